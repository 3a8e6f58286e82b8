/** The market snapshot for the operator's tables: as RateBook has it now, not as this isolate has cached it. */
import { logError } from '../../log.ts';
import type { Market } from '../../pricing/market.ts';
import type { Context } from '../command.ts';

/** Null when RateBook does not answer: a list without prices is better than none. */
export async function marketOrNull({ env }: Context): Promise<Market | null> {
	try {
		return await env.RATE_BOOK.getByName('book').market();
	} catch (error) {
		logError('market_not_read', error);
		return null;
	}
}
