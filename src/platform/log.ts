/**
 * The log: one line of JSON for each event. The list of events is closed: a name that is not in the table below does not
 * compile, and the book says of each what it means and what to do (book: bad-hour, "Log events"). Callers pass named facts, which
 * never contain a secret, a token or a full client address. How many lines an isolate writes in a minute is bounded
 * (`log-limit.ts`).
 */
import { LineLimit } from './log-limit.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

export const EVENTS = {
	addresses_not_drawn: 'error',
	agent_not_woken: 'error',
	agents_not_asked: 'error',
	alert_dropped: 'error',
	alert_not_accepted: 'warn',
	alerts_not_evaluated: 'error',
	arrivals_unattributed: 'info',
	attention_not_collected: 'error',
	audit_not_chained: 'error',
	auto_payout_failed: 'error',
	auto_payout_waits: 'warn',
	balances_not_read: 'error',
	books_differ: 'error',
	cabinet_refused: 'warn',
	chain_anomaly: 'warn',
	code_answer_lost: 'warn',
	code_not_put_back: 'error',
	code_set_back: 'warn',
	configuration_wrong: 'error',
	confirmations_not_read: 'warn',
	console_refused: 'warn',
	consolidation_abandoned: 'info',
	consolidation_given_up: 'info',
	consolidation_planned: 'debug',
	create_answer_lost: 'warn',
	doctor_part_failed: 'error',
	fee_bump_failed: 'error',
	fee_bump_refused: 'warn',
	feed_not_rendered: 'error',
	funds_not_read: 'error',
	gate_not_told: 'warn',
	holdings_not_read: 'error',
	incident_not_noted: 'error',
	index_counter_lost: 'error',
	journal_lost: 'error',
	journal_not_moved: 'error',
	journal_older: 'error',
	journal_restored: 'warn',
	key_not_opened: 'error',
	key_not_stored: 'warn',
	key_set_back: 'warn',
	language_not_read: 'error',
	market_not_read: 'error',
	market_refresh_failed: 'error',
	moves_not_written: 'error',
	named_not_looked_up: 'error',
	network_not_checked: 'error',
	network_not_read: 'error',
	operator_command_failed: 'error',
	operator_lost_race: 'warn',
	operator_refused: 'warn',
	order_not_settled: 'error',
	order_seal_broken: 'error',
	orders_archived: 'info',
	orders_not_archived: 'error',
	overtaker_not_found: 'warn',
	page_failed: 'error',
	partner_payout_not_written: 'error',
	payout_address_not_taken: 'error',
	payout_not_broadcast: 'error',
	payout_not_broadcast_again: 'error',
	payout_not_given_up: 'error',
	payout_not_looked_for: 'error',
	payout_not_settled: 'error',
	payout_refused: 'warn',
	poll_failed: 'error',
	poll_part_failed: 'error',
	pool_address_seal_broken: 'error',
	pool_filled: 'debug',
	pool_not_filled: 'error',
	pool_retired: 'warn',
	price_disagreement: 'warn',
	price_source_failed: 'warn',
	price_source_incomplete: 'warn',
	prices_not_refreshed: 'error',
	promise_not_signed: 'warn',
	promise_refused: 'warn',
	qr_not_cached: 'warn',
	rate_book_not_told: 'warn',
	recipient_not_checked: 'warn',
	refused: 'info',
	request_failed: 'error',
	reserve_booked: 'info',
	reserve_missing: 'error',
	reserves_unsigned: 'info',
	returned_by_itself: 'info',
	rotation_answer_lost: 'warn',
	rotation_not_abandoned: 'error',
	screened_refund_not_planned: 'error',
	screening_not_accepted: 'warn',
	screening_not_stored: 'error',
	secret_not_put_back: 'error',
	secret_set_back: 'warn',
	settings_set_back: 'error',
	signature_not_stored: 'error',
	signer_limits_not_read: 'error',
	signer_not_asked: 'error',
	signer_not_identified: 'error',
	signing_failed: 'error',
	signing_refused: 'warn',
	snapshot_fetch_failed: 'warn',
	snapshot_not_shared: 'warn',
	solvency_not_proven: 'error',
	stray_found: 'info',
	stray_not_planned: 'error',
	stray_return_planned: 'info',
	stray_token_not_returned: 'warn',
	stray_unlisted: 'info',
	sweep_abandoned: 'info',
	sweep_failed: 'warn',
	sweep_given_up: 'info',
	sweep_overtaken: 'warn',
	sweep_planned: 'debug',
	transactions_not_asked: 'error',
	undecided_not_returned: 'error',
	version_not_decided: 'error',
	version_not_signed: 'info',
	version_signed: 'info',
	watch_cut: 'warn',
	watchdog_failed: 'error',
	webhook_attempt_failed: 'warn',
	webhook_delivery_failed: 'error',
	webhook_secret_unknown: 'error',
	webhook_wake_failed: 'error',
	withdrawal_not_written: 'error',
} as const satisfies Record<string, Level>;

export type LogEvent = keyof typeof EVENTS;
/** By name. Values are written as JSON, so they hold no bigint. */
type Facts = Readonly<Record<string, unknown>>;

/** Lines below it are not written. It is per isolate, so every entry sets it. */
let threshold: Level = 'info';

/** From the variable LOG_LEVEL; anything but a level is `info`. */
export function setLogLevel(name: string | undefined): void {
	threshold = LEVELS.find((level) => level === name) ?? 'info';
}

const limit = new LineLimit();

export function log(event: LogEvent, facts: Facts = {}): void {
	write(event, facts, {});
}

/** With the error and its stack. `error`: whatever was thrown. */
export function logError(event: LogEvent, error: unknown, facts: Facts = {}): void {
	const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
	write(event, { ...facts, error: `${name}: ${message}` }, { stack });
}

/** `more`: facts that two lines with the same cause may differ in. */
function write(event: LogEvent, facts: Facts, more: Facts): void {
	const level: Level = EVENTS[event];
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
