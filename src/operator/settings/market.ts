/** The market snapshot for the operator's tables: as RateBook has it now, not as this isolate has cached it. */
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { Market } from '../../pricing/market.ts';
import type { Context } from '../command.ts';

/** Null when RateBook does not answer: a list without prices is better than none. */
export async function marketOrNull({ env }: Context): Promise<Market | null> {
	try {
		return await objectNamed(env, env.RATE_BOOK, 'book').market();
	} catch (error) {
		logError('market_not_read', error);
		return null;
	}
}
