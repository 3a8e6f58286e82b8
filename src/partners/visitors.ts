/**
 * The public sandbox (book: deploy, "A public sandbox"): strangers make a partner of their own for a day, and play what
 * happens to its orders. It is there only where the operator says how many a day may come, and every network is on an
 * embedded ledger.
 */
import type { Refusal } from '../http/refusals.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';

/** A visitor's key ends after so long. */
export const VISIT_MILLISECONDS = DAY_MILLISECONDS;
/** One client network makes no more in a day. A class room shares one. */
export const VISITS_PER_NETWORK = 20;
export const ORDERS_PER_VISIT = 50;
/** Keys that are made, revoked or rotated. */
export const CHANGES_PER_VISIT = 20;
/** The deposits that a visitor may make to one order. */
export const DEPOSITS_PER_ORDER = 10;

/** For the reference. */
export const HERE_ALONE = 'Elsewhere than on a public sandbox: code 6.';

const SECONDS_TO_TRY_AGAIN = 5;
/** A signed call asks for these, so that its client meets them. */
const ASKED: Readonly<Record<string, Refusal>> = {
	'5': { kind: 'asked-rate-limit', retryAfterSeconds: SECONDS_TO_TRY_AGAIN },
	'10': { kind: 'asked-maintenance' },
	'11': { kind: 'asked-upstream-error' },
	'99': { kind: 'asked-internal' },
};

/** The refusal that `X-Sandbox-Answer` asks for; null without one that can be asked for. */
export const askedAnswer = (headers: Headers): Refusal | null => ASKED[headers.get('x-sandbox-answer') ?? ''] ?? null;
