/** The market as an isolate sees it; a caller who gets none answers 11. */
import type { Market } from './market.ts';
import { snapshotReader } from './snapshot-reader.ts';

export const MARKET_KEY = 'market';

const FRESH_MILLISECONDS = 1_000;

export const { read: readMarket, use: useMarket } = snapshotReader<Market>(MARKET_KEY, FRESH_MILLISECONDS, (book) =>
	book.market(),
);
