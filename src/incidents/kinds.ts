/**
 * Incidents: things that go wrong once, so that no other row shows them: each kind with what it means, what a person
 * does, and when it is over. The list is closed. Pure.
 */
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../platform/time.ts';

export interface IncidentKind {
	readonly cause: string;
	/** ` ID` stands for the subject: `attention` puts it there. */
	readonly todo: string;
	/** Over by itself when it was not repeated for so long; null: it waits until a person clears it. */
	readonly lastsMilliseconds: number | null;
	/** A command of `todo` ends it, so that `alert clear` is not asked for. */
	readonly isEndedByTodo?: true;
}

export const INCIDENTS = {
	'books-differ': {
		cause: 'the books and the wallets differ, in two comparisons in a row',
		todo: '`ledger check` shows where; stop payouts of the network with `network update NAME --send false` until it is understood',
		lastsMilliseconds: 3 * HOUR_MILLISECONDS,
	},
	'books-unchecked': {
		cause: 'the books and the wallets could not be compared, in two hourly comparisons in a row',
		todo: '`ledger check` says why; mend a node that is down (`network check`); where many small payments came to the hot wallet, it is over some blocks after the last',
		lastsMilliseconds: 3 * HOUR_MILLISECONDS,
	},
	'solvency-unproven': {
		cause: 'what is owed and held could not be proven this hour, so nothing new is published',
		todo: '`ledger check --full` where the books differ; else read the log of the time; it is tried again every ten minutes',
		lastsMilliseconds: 3 * HOUR_MILLISECONDS,
	},
	'transaction-unsigned': {
		cause: 'the database has transactions that the signer has not signed, or not so: the books are lower by them',
		todo: '`ledger check --full` lists them; unless the journal was set back, somebody writes your database: look in an explorer whether the wallet’s coins are there; if not, `network update NAME --send off`; change the tokens at Cloudflare, and compare with a backup',
		lastsMilliseconds: null,
	},
	'reserve-missing': {
		cause: 'the hot wallet contains less than the books say',
		todo: '`ledger check`, then look at the wallet in an explorer: its key may be used elsewhere',
		lastsMilliseconds: 2 * HOUR_MILLISECONDS,
	},
	'sweep-failing': {
		cause: 'sweeps of an order’s deposits fail on chain again and again, so the coins stay at its pay-in address',
		todo: 'see in an explorer why they fail, such as a token that was paused; once that is mended, `order sweep ID --reason R` tries again now; else the next one follows when the first failure is 30 days old',
		lastsMilliseconds: 48 * HOUR_MILLISECONDS,
	},
	'pool-address-seal-broken': {
		cause: 'free pay-in addresses had a seal that does not hold, and were thrown away',
		todo: '`network check` compares SEAL_KEY of the Workers; if it is the same, somebody changed rows',
		lastsMilliseconds: null,
	},
	'order-seal-broken': {
		cause: 'an order does not match its seal: it is not shown to its partner, and nothing is paid for it',
		todo: '`network check` compares SEAL_KEY of the Workers; if it is the same, somebody changed the row: compare it with a backup',
		lastsMilliseconds: DAY_MILLISECONDS,
	},
	'index-counter-lost': {
		cause: 'the signer lost its counter of addresses and goes on far above all known ones',
		todo: 'find out whether the signer’s journal was lost or restored; nothing is paid twice meanwhile',
		lastsMilliseconds: null,
	},
	'settings-set-back': {
		cause: 'D1 has older or looser settings than the operator decided last: the stricter ones were put back',
		todo: '`audit list` and `site show`: was D1 set back, or did somebody write rows? The command of the setting decides it again',
		lastsMilliseconds: null,
	},
	'journal-lost': {
		cause: 'the signer’s journal was lost: it has forgotten what it signed',
		todo: '`restored show` says what waits and what to do; find out who removed it: that needs your Cloudflare account',
		lastsMilliseconds: null,
	},
	'journal-older': {
		cause: 'the signer’s journal was set back: it has forgotten what it signed lately',
		todo: '`restored show` says what waits and what to do; find out who set it back: that needs your Cloudflare account',
		lastsMilliseconds: null,
	},
	'journal-restored': {
		cause: 'the signer’s journal was restored from a backup: it knows nothing that was signed after it',
		todo: '`restored show` says what waits and what to do',
		lastsMilliseconds: null,
	},
	'payout-address-changed': {
		cause: 'a partner changed in the cabinet where their earnings are paid; nothing is paid there for 24 hours',
		todo: 'ask the partner on another way whether they did; if not, `partner end-access ID` and set the address again',
		lastsMilliseconds: DAY_MILLISECONDS,
	},
	'secret-set-back': {
		cause: 'the database had an older secret of a partner than their gate knows: the newest counts, and was put back',
		todo: 'where the database was set back, that is why; else somebody writes rows: `ledger check`, `audit list`, then replace what can write the database',
		lastsMilliseconds: DAY_MILLISECONDS,
	},
	'code-set-back': {
		cause: 'the database had a reference code as enabled that its partner has disabled: it is disabled again',
		todo: 'where the database was set back, that is why; else somebody writes rows: `ledger check`, `audit list`, then replace what can write the database',
		lastsMilliseconds: DAY_MILLISECONDS,
	},
	'audit-log-changed': {
		cause: 'the audit log is not as it was written: somebody changed or deleted lines, or the database was set back',
		todo: '`audit verify` shows which; if you have set the database back, `audit accept --reason R`; else somebody writes your database: change the tokens at Cloudflare, compare with a backup, and say so with `audit accept --reason R` then',
		lastsMilliseconds: null,
		isEndedByTodo: true,
	},
	'history-bent': {
		cause: 'the audit log, the books or the orders’ moves are not as they were chained and signed',
		todo: '`history verify` names the first row; if you have set the database back, `history accept --reason R`; else somebody writes your database: change the tokens at Cloudflare, compare with a backup, and say so with `history accept --reason R` then',
		lastsMilliseconds: null,
		isEndedByTodo: true,
	},
	'call-failed': {
		cause: 'calls failed for an unforeseen reason and were answered with code 99',
		todo: 'the log lines request_failed have the error and its stack',
		lastsMilliseconds: 30 * MINUTE_MILLISECONDS,
	},
} as const satisfies Record<string, IncidentKind>;

export type IncidentName = keyof typeof INCIDENTS;

/** Incidents that the signer remembers, wherever D1 is set back to, until a person ends them: by what happened to its journal. */
export const JOURNAL_INCIDENTS = {
	restored: 'journal-restored',
	lost: 'journal-lost',
	older: 'journal-older',
} as const satisfies Record<string, IncidentName>;

export const isIncidentName = (kind: string): kind is IncidentName => Object.hasOwn(INCIDENTS, kind);
