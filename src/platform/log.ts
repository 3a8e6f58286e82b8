/**
 * The log: one line of JSON for each event. The list of events is closed: a name that is not in a table below does not
 * compile. Callers pass named facts, which never contain a secret, a token or a full client address. Each event has one
 * level. How many lines an isolate writes in a minute is bounded (`log-limit.ts`).
 */
import { LineLimit } from './log-limit.ts';

/** What happened, for `log`, while the service works as it should. */
export const NOTICES = {
	alert_dropped: 'An alert that nobody accepted for a week after it was over was deleted.',
	alert_not_accepted: 'The alert endpoint did not accept an alert; it is posted again.',
	auto_payout_waits: 'An automatic payout of a partner could not be planned: the reason is given; it is tried again.',
	secret_set_back: 'D1 had an older secret of a partner than the gate: the newest counts, and is put back.',
	code_set_back: 'D1 had reference codes as enabled that their partner has disabled: they are disabled again.',
	cabinet_refused: 'The cabinet refused an answer of a passkey, an invitation or a form: `why` says what was wrong.',
	chain_anomaly: 'Something on the chain could not be read or credited; a person should read it.',
	configuration_wrong: 'A variable is missing or malformed, or a name is none; while it is a key, calls get code 11.',
	console_refused: 'A request to the operator console was refused: why is given.',
	books_differ: 'The hourly comparison of books and wallets found a difference.',
	consolidation_abandoned: 'A consolidation was deleted: another transaction spent its coins.',
	consolidation_given_up: 'A consolidation was deleted before it was signed.',
	consolidation_planned: 'Small coins of the hot wallet are to be joined into one.',
	create_answer_lost: 'D1 did not say whether an order was written; it is looked for and written again.',
	fee_bump_refused: 'The signer refused to bump a fee: the reason is given.',
	index_counter_lost: 'The signer lost its counter of addresses and continued at a safe distance above all known ones.',
	journal_lost:
		'The signer has no journal, and the agents or sealed orders remember one: it was lost. Older orders wait for a person.',
	journal_older:
		'The signer’s journal has fewer entries than an agent remembers: it was set back. Older orders wait for a person.',
	journal_restored:
		'The signer’s journal was restored from a backup; what may have been sent after it waits for a person.',
	operator_refused: 'A call of the operator API had the wrong token, or came after too many wrong ones.',
	order_seal_broken: 'Orders of a list have a seal that does not hold: they are named and not shown.',
	orders_archived: 'Finished orders were moved from D1 to R2.',
	orders_not_archived:
		'The books or the seals of finished orders are broken, or they owe somebody; they stay in D1 for a person to look at.',
	payout_refused: 'The signer refused a transaction: the reason is given, and whether it is asked again.',
	pool_address_seal_broken:
		'Free addresses whose seal does not hold were thrown away: SEAL_KEY differs, or rows changed.',
	settings_set_back: 'D1 had older or looser settings than the operator decided last; the stricter ones were put back.',
	pool_filled: 'New free pay-in addresses are in stock.',
	pool_retired: 'The signer’s journal goes on after a loss: free addresses of before it were thrown away.',
	price_disagreement: 'The sources disagree about a price; it keeps its old value until they agree.',
	price_source_failed: 'A price source did not answer, or not as it documents.',
	price_source_incomplete: 'A price source had no believable price for coins that it lists.',
	refused: 'A call of a partner was refused. `kind` names the cause; `alert` marks those that the operator must see.',
	arrivals_unattributed: 'Coins came to addresses of ours and belong to no order; they are in the books as one sum.',
	stray_found: 'Coins of another asset or network lie at the address of an order.',
	stray_unlisted: 'Tokens that are not listed lie at the address of an order.',
	stray_return_planned: 'Such coins go back.',
	reserve_booked: 'Coins that arrived without an order are in the books as reserve.',
	recipient_not_checked: 'No node said whether a recipient can use what it gets; the signer asks again.',
	reserve_missing: 'The hot wallet contains less than the books say.',
	returned_by_itself:
		'Nobody decided about a deposit in time: its refund is planned, or it is booked as too small for one.',
	screening_not_accepted:
		'Screening did not accept a deposit or an address, or gave no usable answer: what it said is given.',
	signing_refused: 'The signer refused to sign: the reason is given.',
	sweep_abandoned: 'A sweep was deleted: it can no longer confirm.',
	sweep_failed: 'A sweep, or gas for one, failed on chain: it cost its fee and moved nothing.',
	sweep_given_up: 'A sweep was deleted before it was signed.',
	sweep_overtaken: 'Another transaction took the nonce of a sweep, or of gas for one: it ended and moved nothing.',
	sweep_planned: 'Deposits are to be moved to the hot wallet.',
	version_not_signed: 'No block takes a transaction, and the signer makes no new version of it: the reason is given.',
	version_signed: 'No block took a transaction, so the signer made a new version of it.',
	watch_cut: 'More addresses are watched than one poll can ask for; the rest waits for the next polls.',
	webhook_attempt_failed: 'An endpoint did not accept a webhook; it is tried again by the retry schedule, or ended.',
} as const satisfies Record<string, string>;

/** What failed, for `logError`: each line has the error and its stack. */
export const ERRORS = {
	addresses_not_drawn: 'No free pay-in addresses could be fetched from the network’s agent.',
	audit_not_chained: 'The signer did not chain a line of the audit log; the next minute does.',
	agent_not_woken: 'An agent could not be woken; its next poll finds the work.',
	alerts_not_evaluated: 'What waits could not be read, so alerts could not be decided.',
	attention_not_collected: 'A part of the attention list could not be computed.',
	auto_payout_failed: 'An automatic payout of a partner failed for an unforeseen reason; it is tried again.',
	balances_not_read: 'The books’ balances could not be read for a list.',
	code_answer_lost: 'D1 did not say whether a reference code was written; the write is repeated.',
	confirmations_not_read: 'A network’s agent did not say how deep deposits are; a partner who asked was told so.',
	doctor_part_failed: 'A part of the doctor’s examination failed; its row says unknown.',
	earnings_payout_not_booked: 'A sent payout of earnings could not be booked; the next poll repeats it.',
	fee_bump_failed: 'The signer failed to bump a fee for an unforeseen reason.',
	feed_not_rendered: 'The rate feed could not be rendered; the old one is served while it may be.',
	funds_not_read: 'A network’s agent did not say what the hot wallet contains.',
	gate_not_told: 'A partner’s gate could not be told of a changed record; it reads it by itself within a minute.',
	transactions_not_asked: 'The signer did not say whether it has signed the transactions of the books.',
	holdings_not_read: 'A network’s agent did not say what its addresses contain, so the books are not compared.',
	incident_not_noted: 'An incident could not be written, so `attention` does not list it.',
	market_not_read: 'RateBook did not answer with the market.',
	market_refresh_failed: 'The market snapshot could not be built; the old one ages.',
	moves_not_written: 'Orders’ moves could not be written together; they are written one by one.',
	network_not_checked: 'A network could not be checked for the operator.',
	network_not_read: 'A network’s agent did not answer a list.',
	operator_command_failed: 'An operator command failed for an unforeseen reason.',
	operator_lost_race: 'An operator command came second: the order had changed in the meantime.',
	order_not_settled: 'An order could not be settled; the next poll repeats it.',
	overtaker_not_found: 'Which transaction took the nonce of a sweep could not be read; it is looked for again.',
	partner_payout_not_written: 'D1 did not say whether a payout of earnings was written; it is looked for.',
	payout_not_broadcast: 'A node did not accept a transaction; the next poll sends it again.',
	page_failed: 'A page failed for an unforeseen reason; its reader was told the request id.',
	payout_not_broadcast_again: 'A node did not accept an older version of a transaction.',
	payout_not_given_up: 'An operator’s giving up of a transaction could not be written.',
	payout_not_looked_for: 'A network did not say whether it knows a transaction, so it was not settled by hand.',
	payout_not_settled: 'An operator’s settling of a transaction by hand could not be written.',
	poll_failed: 'An agent’s poll failed; the next one follows.',
	poll_part_failed: 'A part of an agent’s poll failed; the other parts went on.',
	pool_not_filled: 'The signer derived no new pay-in addresses.',
	prices_not_refreshed: 'The signer’s own prices could not be refreshed; the old ones age.',
	qr_not_cached: 'A QR image could not be kept in KV; the next call draws it again.',
	rate_book_not_told: 'RateBook could not be told of a changed setting; it reads it by itself within seconds.',
	request_failed: 'A call failed for an unforeseen reason: code 99.',
	rotation_answer_lost: 'D1 did not say whether new secrets were written; the record is read to find out.',
	payout_address_not_taken: 'The signer could not be told where a partner’s earnings go, or asked whether it is so.',
	code_not_put_back: 'D1 has a code as enabled that the gate takes for disabled, and could not be mended yet.',
	secret_not_put_back: 'D1 has an older secret of a partner than the gate, which could not write the newest there yet.',
	webhook_secret_unknown:
		'The secret that signs a webhook was not told by the gate, or does not open; the attempt failed.',
	rotation_not_abandoned: 'An interrupted rotation could not be undone yet; the gate’s alarm repeats it.',
	screened_refund_not_planned: 'A refund that screening wants could not be planned; the next poll repeats it.',
	screening_not_stored: 'An answer of screening could not be stored; it is asked again.',
	signature_not_stored: 'The signer answered with a transaction that another row has; the row is tried again.',
	signer_limits_not_read: 'The signer did not say what it signs in a day; the last known limit holds.',
	signer_not_asked: 'The signer did not answer an operator command.',
	signer_not_identified: 'The signer did not prove its keys for the network check.',
	signing_failed: 'The signer failed for an unforeseen reason; it is asked again.',
	snapshot_fetch_failed: 'An isolate could not read a snapshot from RateBook.',
	snapshot_not_shared: 'A snapshot could not be written to KV.',
	version_not_decided: 'The signer could not find out which version of a transaction is on the chain.',
	watchdog_failed: 'A part of the cron’s work failed; the next minute repeats it.',
	webhook_delivery_failed: 'A webhook attempt could not be recorded; the event is due again after its lease.',
	webhook_wake_failed: 'The queue did not take messages; the cron finds the events.',
	named_not_looked_up: 'A network did not look up a transaction that was named.',
	stray_not_planned: 'The way back of coins of another asset or network could not be planned; it is tried again.',
	undecided_not_returned: 'A deposit that waited for a decision too long could not be sent back; it is tried again.',
	withdrawal_not_written: 'D1 did not say whether a withdrawal was written; it is looked for.',
} as const satisfies Record<string, string>;

export type Notice = keyof typeof NOTICES;
type ErrorEvent = keyof typeof ERRORS;
type Event = Notice | ErrorEvent;
/** By name. Values are written as JSON, so they hold no bigint. */
type Facts = Readonly<Record<string, unknown>>;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Where the level is not that of its table: `info` of notices, `error` of errors. */
const OTHER_LEVELS: Readonly<Partial<Record<Event, Level>>> = {
	alert_dropped: 'error',
	alert_not_accepted: 'warn',
	auto_payout_waits: 'warn',
	books_differ: 'error',
	cabinet_refused: 'warn',
	secret_set_back: 'warn',
	code_set_back: 'warn',
	chain_anomaly: 'warn',
	configuration_wrong: 'error',
	console_refused: 'warn',
	consolidation_planned: 'debug',
	create_answer_lost: 'warn',
	fee_bump_refused: 'warn',
	index_counter_lost: 'error',
	journal_lost: 'error',
	journal_older: 'error',
	journal_restored: 'warn',
	operator_refused: 'warn',
	order_seal_broken: 'error',
	orders_not_archived: 'error',
	payout_refused: 'warn',
	pool_address_seal_broken: 'error',
	settings_set_back: 'error',
	pool_filled: 'debug',
	pool_retired: 'warn',
	price_disagreement: 'warn',
	price_source_failed: 'warn',
	price_source_incomplete: 'warn',
	recipient_not_checked: 'warn',
	reserve_missing: 'error',
	screening_not_accepted: 'warn',
	signing_refused: 'warn',
	sweep_failed: 'warn',
	sweep_overtaken: 'warn',
	sweep_planned: 'debug',
	watch_cut: 'warn',
	webhook_attempt_failed: 'warn',
	code_answer_lost: 'warn',
	confirmations_not_read: 'warn',
	gate_not_told: 'warn',
	operator_lost_race: 'warn',
	overtaker_not_found: 'warn',
	qr_not_cached: 'warn',
	rate_book_not_told: 'warn',
	rotation_answer_lost: 'warn',
	snapshot_fetch_failed: 'warn',
	snapshot_not_shared: 'warn',
};

/** For the book. The Workers do not call it: with it the texts of the tables would be in their bundles. */
export const levelOf = (event: Event): Level => OTHER_LEVELS[event] ?? (event in ERRORS ? 'error' : 'info');

/** Lines below it are not written. It is per isolate, so every entry sets it. */
let threshold: Level = 'info';

/** From the variable LOG_LEVEL; anything but a level is `info`. */
export function setLogLevel(name: string | undefined): void {
	threshold = LEVELS.find((level) => level === name) ?? 'info';
}

const limit = new LineLimit();

export function log(event: Notice, facts: Facts = {}): void {
	write(event, OTHER_LEVELS[event] ?? 'info', facts, {});
}

/** `error`: whatever was thrown. */
export function logError(event: ErrorEvent, error: unknown, facts: Facts = {}): void {
	const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
	write(event, OTHER_LEVELS[event] ?? 'error', { ...facts, error: `${name}: ${message}` }, { stack });
}

/** `more`: facts that two lines with the same cause may differ in. */
function write(event: Event, level: Level, facts: Facts, more: Facts): void {
	if (LEVELS.indexOf(level) < LEVELS.indexOf(threshold)) return;
	const verdict = limit.take({ event, isNews: level === 'info' || level === 'debug', facts }, Date.now());
	if (verdict === null) return;
	const repeated = verdict.suppressed > 0 ? { suppressed: verdict.suppressed } : {};
	WRITERS[level](JSON.stringify({ event, level, ...facts, ...repeated, ...more }));
}

/** A line that is data and no event: `{"metric":…}`. */
export const writeData = (line: string): void => console.log(line);

const WRITERS: Readonly<Record<Level, (line: string) => void>> = {
	debug: (line) => console.debug(line),
	info: (line) => console.log(line),
	warn: (line) => console.warn(line),
	error: (line) => console.error(line),
};
