/** The weight that order pages may cost a client network in a minute: a budget beside those of the API's endpoints. */
import { spendAnonymous } from '../partners/gate/anonymous.ts';
import type { Reader } from './read.ts';

const BUCKET = 'order-page';
/** Reads: an open page makes 15, so a network has at most a hundred pages open. */
const SPENT = { weight: 1, perMinute: 1_500 };

/** Seconds to wait, or null when it may go on. */
export const spendOnPage = ({ env, background }: Reader, headers: Headers): Promise<number | null> =>
	spendAnonymous({ anonymous: env.ANONYMOUS_GATE, background }, BUCKET, headers.get('cf-connecting-ip'), {
		spent: SPENT,
	});
