/** The market snapshot as RateBook has it now, not as this isolate has cached it. */
import { logError } from '../platform/log.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import type { RateBookRpc } from '../ports/rate-book.ts';
import type { Market } from './market.ts';

interface Asking extends Regional {
	readonly RATE_BOOK: DurableObjectNamespace<RateBookRpc>;
}

/** Null where RateBook does not answer: what needs no prices goes on without them. */
export async function marketOrNull(env: Asking): Promise<Market | null> {
	try {
		return await objectNamed(env, env.RATE_BOOK, 'book').market();
	} catch (error) {
		logError('market_not_read', error);
		return null;
	}
}
