/** The rendered feed as an isolate sees it; beside the market, so that a quote never carries the text of all pairs. */
import { type Feed, isServable } from './feed.ts';
import { snapshotReader } from './snapshot-reader.ts';

export const FEED_KEY = 'feed';

/** RateBook renders every ten seconds; asking it for all that text more often than this gains nothing. */
const FRESH_MILLISECONDS = 5_000;

export const { read: readFeed } = snapshotReader<Feed>(FEED_KEY, FRESH_MILLISECONDS, (book) => book.feed(), isServable);
