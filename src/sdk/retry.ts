/** Which calls are tried again, and when (book: client, "Retries"). Pure. */
import { NetworkError, RefusedError } from './errors.ts';

/** Calls that may be carried out twice: reads, and what changes nothing the second time. `create` has its key. */
const REPEATABLE: readonly string[] = [
	'assets',
	'currencies',
	'pairs',
	'price',
	'pairLimits',
	'create',
	'order',
	'orders',
	'qr',
	'earnings',
	'validateAddress',
	'listCodes',
	'listDeliveries',
	'listKeys',
	'listEndpoints',
	'changeEndpoint',
	'disableCode',
	'enableCode',
];

/** Nothing was carried out: the budget, or something that the answer needs. */
const NOT_CARRIED_OUT: readonly number[] = [5, 10, 11];
const INTERNAL = 99;

const FIRST_PAUSE_MILLISECONDS = 500;
/** A `Retry-After` beyond this is the caller's to wait for. */
const MAX_PAUSE_MILLISECONDS = 20_000;

/** May this call be sent again after this error? */
export function isRetried(call: string, error: unknown): boolean {
	if (error instanceof NetworkError) return REPEATABLE.includes(call);
	if (!(error instanceof RefusedError)) return false;
	return NOT_CARRIED_OUT.includes(error.code) || (error.code === INTERNAL && REPEATABLE.includes(call));
}

/** Could a later read succeed? */
export const isTransient = (error: unknown): boolean => isRetried('order', error);

/**
 * Milliseconds until the next attempt; null: not worth waiting for. `attempt` counts from 0; `random`: 0 to 1. The pause
 * doubles, and is drawn between its half and its whole, so that many callers do not come back at once.
 */
export function pauseAfter(error: unknown, attempt: number, random: number): number | null {
	const asked = error instanceof RefusedError ? error.retryAfterSeconds : null;
	if (asked !== null) return asked * 1000 <= MAX_PAUSE_MILLISECONDS ? asked * 1000 : null;
	const whole = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** attempt, MAX_PAUSE_MILLISECONDS);
	return Math.ceil(whole * (0.5 + random / 2));
}
