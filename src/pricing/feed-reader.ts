/** The rendered feed as an isolate sees it; beside the market, so that a quote never carries the text of all pairs. */
import { type Feed, isServable } from './feed.ts';
import { SnapshotReader } from './snapshot-reader.ts';

export const FEED_KEY = 'feed';

export const { read: readFeed } = new SnapshotReader<Feed>({
	key: FEED_KEY,
	/** RateBook renders every ten seconds; asking it for all that text more often than this gains nothing. */
	freshMilliseconds: 5_000,
	ask: (book) => book.feed(),
	isUsable: isServable,
});
