/** Outgoing transactions of every kind that do not go on, each with its stored reason. */
import { asc, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { networkSettings, type Settings } from '../../catalog/settings.ts';
import { usdOfCents } from '../../money/usd.ts';
import { byIndex } from '../../platform/d1/by-index.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isDead } from '../../treasury/transactions/blocked.ts';
import { canBeGivenUp } from '../../treasury/transactions/give-up.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import {
	blockedReason,
	reasonSaysWayOut,
	type StopReason,
	waitingReason,
} from '../../treasury/transactions/stop-reason.ts';
import { waitReason } from '../../treasury/transactions/wait-reason.ts';
import type { Context } from '../command.ts';
import { type Doubts, doubtsOf, isOwn, ONLY_SAFE, placesOf } from '../orders/doubted.ts';
import { payByHand } from '../orders/pay-by-hand.ts';
import { coinsText, type Facts, MOST_ROWS, type Waiting } from './waiting.ts';

/** A transaction without a reason on record is slow when it is not sent this long after it was planned. */
const SLOW_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

export interface WaitingTransaction {
	readonly transaction: TransactionRow;
	readonly cause: string;
	/** Unix milliseconds. */
	readonly since: number;
	readonly todo: string;
}

export async function waitingTransactions({ context, settings }: Facts): Promise<Waiting[]> {
	const found = await transactionsThatWait(context, settings);
	const rows = found
		.slice(0, MOST_ROWS)
		.map(
			({ transaction, cause, since, todo }): Waiting => ({
				area: 'transaction',
				subject: transaction.id,
				cause: `${transaction.kind}${transaction.orderId === null ? '' : ` of order ${transaction.orderId}`} on ${transaction.network}, ${transaction.state}: ${cause}`,
				since,
				amount: coinsText(assetOf(transaction.asset), BigInt(transaction.amount)),
				usd: usdOfCents(transaction.usdCents),
				todo,
				...(todo !== ONLY_SAFE && sharedBy(transaction, settings)),
			}),
		);
	return found.length > MOST_ROWS ? [...rows, MORE] : rows;
}

const MORE: Waiting = {
	area: 'transaction',
	subject: 'more',
	cause: `more than ${MOST_ROWS} transactions wait; those that have waited the longest are named`,
	todo: '`payout list --open --limit 500` names more',
};

/** Those that have waited the longest, one more than `MOST_ROWS` at most. */
export async function transactionsThatWait(context: Context, settings: Settings): Promise<WaitingTransaction[]> {
	const { db, now } = context;
	const off = inJson(settings.inactiveAssets);
	const unsent = inJson(NETWORK_NAMES.filter((name) => !networkSettings(settings, name).send));
	// One list of ids. Each part repeats the words of the partial index that serves it.
	const rows = await db
		.select()
		.from(transactions)
		.where(sql`${transactions.id} in (
			select ${transactions.id} from ${byIndex(transactions, 'transactions_blocked')} where ${transactions.blockedKind} is not null
			union all
			select ${transactions.id} from ${byIndex(transactions, 'transactions_waiting')} where ${transactions.waitsKind} is not null and ${transactions.state} <> 'final'
			union all
			select ${transactions.id} from ${byIndex(transactions, 'transactions_open')}
			where ${transactions.state} <> 'final' and ${transactions.state} in ('planned', 'signed')
				and (${transactions.plannedAt} < ${now - SLOW_MILLISECONDS}
					or ${transactions.network} in ${unsent}
					or ${transactions.asset} in ${off}
					or coalesce(${transactions.sweepAsset}, '') in ${off})
		)`)
		.orderBy(asc(transactions.plannedAt), transactions.id)
		.limit(MOST_ROWS + 1);
	const waiting = rows.flatMap((transaction) => {
		const why = whyWaiting(transaction, settings, now);
		return why === null ? [] : [{ transaction, ...why }];
	});
	const orderIds = waiting.flatMap(({ transaction }) => transaction.orderId ?? []);
	const doubts = await doubtsOf(context, await placesOf(context, orderIds));
	return waiting.map((each) => ({ ...each, todo: todoOf(each.transaction, doubts) }));
}

/** The signer's own state, its prices and its cap: all transactions wait for them alike. */
const STATES_OF_SIGNER: ReadonlySet<string> = new Set<SignerRefusal['kind']>([
	'wrong-world',
	'deployment-not-named',
	'journal-too-new',
	'held',
	'restoring',
	'key-invalid',
	'cap-not-set',
	'cap-invalid',
	'daily-cap',
	'no-fresh-price',
]);

/** Empty where what stops it is its own. Pure. */
function sharedBy(transaction: TransactionRow, settings: Settings): Pick<Waiting, 'shared'> {
	const { network } = transaction;
	const blocked = blockedReason(transaction);
	const isOff = transaction.state === 'planned' && !networkSettings(settings, network).send;
	const reason = blocked ?? (isOff ? null : waitingReason(transaction));
	const cause = waitReason(transaction, settings)?.because;
	const key = reason === null ? isOff && `off ${network}` : sharedKey(reason, network);
	if (!key || cause === undefined) return {};
	const todo = 'they go on by themselves once the cause has passed; `payout list --open --limit 500` names them';
	return { shared: { key, cause, todo, of: transaction.orderId ?? transaction.id } };
}

function sharedKey(reason: StopReason, network: string): string | null {
	if (reason.kind === 'signer-unreachable') return reason.kind;
	if (reason.kind === 'broadcast-failed') return `${reason.kind} ${network}`;
	if (reason.kind !== 'signer') return null;
	const { kind } = reason.facts.refusal;
	return STATES_OF_SIGNER.has(kind) ? kind : null;
}

/** Null while it goes on. Pure. */
export function whyWaiting(
	transaction: TransactionRow,
	settings: Settings,
	now: number,
): { readonly cause: string; readonly since: number } | null {
	const { blockedKind, sentAt, plannedAt, state } = transaction;
	const why = waitReason(transaction, settings);
	if (why)
		return { cause: why.because, since: why.since ?? (blockedKind === null ? plannedAt : (sentAt ?? plannedAt)) };
	const isSlow = (state === 'planned' || state === 'signed') && now - plannedAt > SLOW_MILLISECONDS;
	const minutes = Math.floor((now - plannedAt) / 60_000);
	return isSlow
		? { cause: `still ${state} after ${minutes} minutes, for no reason on record`, since: plannedAt }
		: null;
}

/**
 * A transaction of before a restore may have been paid: nothing of it is taken back, or paid by hand, before that is
 * known.
 */
function todoOf(row: TransactionRow, doubts: Doubts): string {
	const { id, kind, orderId, state, blockedKind } = row;
	if (isOwn(row) ? doubts.own : doubts.orders.has(String(orderId))) return ONLY_SAFE;
	if (reasonSaysWayOut(row)) return 'do what the cause says';
	if (state === 'planned') {
		if (!canBeGivenUp({ kind })) return 'it goes on by itself once the cause has passed, or is planned again';
		const after = orderId === null ? '' : `, then \`order refund ${orderId}\``;
		return `it goes on by itself once the cause has passed; \`payout give-up ${id} --reason R\` takes it back${after}`;
	}
	if (blockedKind === null) return 'it is tried again by itself';
	if (blockedKind === 'overtaken') return `do what the cause says: \`payout overtaken ${id} --tx-id T --reason R\``;
	return isDead(row) && !KINDS[kind].isInternal ? payByHand(row) : 'do what the cause says';
}
