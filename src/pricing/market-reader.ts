/** The market as an isolate sees it; a caller who gets none answers 11. */
import type { Market } from './market.ts';
import { SnapshotReader } from './snapshot-reader.ts';

export const MARKET_KEY = 'market';

export const { read: readMarket, use: useMarket } = new SnapshotReader<Market>({
	key: MARKET_KEY,
	freshMilliseconds: 1_000,
	ask: (book) => book.market(),
});
