/**
 * When a failed delivery is tried again (book: contract, "Webhooks"). Pure: `random` and `now` come in as arguments.
 */
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../platform/time.ts';

const SECOND = 1000;

/** Milliseconds between attempt n and attempt n + 1, n from 1: 11 attempts in about 75 hours. */
export const GAPS = [
	10 * SECOND,
	MINUTE_MILLISECONDS,
	5 * MINUTE_MILLISECONDS,
	30 * MINUTE_MILLISECONDS,
	2 * HOUR_MILLISECONDS,
	5 * HOUR_MILLISECONDS,
	10 * HOUR_MILLISECONDS,
	14 * HOUR_MILLISECONDS,
	20 * HOUR_MILLISECONDS,
	DAY_MILLISECONDS,
] as const;

export const MAX_ATTEMPTS = GAPS.length + 1;

/** Each gap varies by at most this share, so that events that failed together are not all retried together. */
const JITTER = 0.1;

/**
 * Milliseconds from the failed `attempt` (1 is the first) to the next; null after the last.
 *
 * A Retry-After may put the next attempt off, up to when the one after it would have been, and by nothing after the
 * last but one. It never brings an attempt forward: an endpoint that always says `Retry-After: 1` would spend 75 hours
 * of patience in eleven seconds.
 *
 * @param random From 0 to 1.
 * @param retryAfter Milliseconds, as `parseRetryAfter` reads them; null when the answer named none.
 */
export function nextAttemptDelay(attempt: number, random: number, retryAfter: number | null): number | null {
	const gap = GAPS[attempt - 1];
	if (gap === undefined) return null;
	const scheduled = Math.round(gap * (1 - JITTER + 2 * JITTER * random));
	const latest = scheduled + (GAPS[attempt] ?? 0);
	return Math.max(scheduled, Math.min(retryAfter ?? 0, latest));
}

/**
 * Did `attempt`, made at `at`, come ahead of the schedule? It does when the endpoint has just accepted another event, and
 * when the operator asked for it.
 */
export function cameEarly(attempt: number, at: number, previousAt: number): boolean {
	return at - previousAt < (GAPS[attempt - 2] ?? 0) * (1 - JITTER);
}

const SECONDS = /^\d{1,9}$/;
/** The three forms of RFC 9110 all begin with the day's name; nothing else reaches `Date.parse`, which reads anything. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Milliseconds from `now`; null when there is no header or it is neither seconds nor an HTTP date. */
export function parseRetryAfter(header: string | null, now: number): number | null {
	const text = header?.trim() ?? '';
	if (SECONDS.test(text)) return Number(text) * SECOND;
	const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(at) ? null : Math.max(0, at - now);
}
