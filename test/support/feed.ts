/** A reader of the feed: each item as an object of its elements' texts. */

/** The elements of an item, in their order (book: contract, "Feeds"). */
export const ELEMENTS = [
	...(['from', 'to', 'in', 'out', 'amount', 'tofee', 'minamount', 'maxamount'] as const),
	...(['frommin', 'frommax', 'tomin', 'tomax', 'param'] as const),
] as const;

export type FeedItem = Readonly<Record<(typeof ELEMENTS)[number], string>>;

export const feedItems = (xml: string): FeedItem[] =>
	[...xml.matchAll(/<item>(.*?)<\/item>/gs)].map(
		([, inside = '']) =>
			Object.fromEntries(
				[...inside.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, text]) => [name, text]),
			) as FeedItem,
	);
