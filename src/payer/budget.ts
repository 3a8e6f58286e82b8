/**
 * What the pages of orders may cost a client network in a minute: a budget of their own, beside those of the API's
 * endpoints. A stream weighs more than a read, because it stays: with what one weighs and how long it lasts, a network
 * has at most 300 streams at a time.
 */
import { spendAnonymous } from '../partners/gate/anonymous.ts';
import type { Reader } from './read.ts';

const BUCKET = 'order-page';
const PER_MINUTE = 300;

export const READ_WEIGHT = 1;
export const STREAM_WEIGHT = 5;

/** Seconds to wait, or null when it may go on. */
export const spendOnPage = ({ env, background }: Reader, headers: Headers, weight: number): Promise<number | null> => {
	const spent = { weight, perMinute: PER_MINUTE };
	return spendAnonymous({ anonymous: env.ANONYMOUS_GATE, background }, BUCKET, headers.get('cf-connecting-ip'), spent);
};
