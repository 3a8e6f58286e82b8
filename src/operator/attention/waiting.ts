/** A row of `attention`: one thing that waits for a person or for a condition. Every collector gives a list of them. */
import type { Asset } from '../../catalog/assets.ts';
import type { Settings } from '../../catalog/settings.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import type { Context } from '../command.ts';
import type { networkRecords } from '../commands/network.ts';

export const AREAS = [
	'order',
	'transaction',
	'addresses',
	'price',
	'network',
	'wallet',
	'cap',
	'switch',
	'webhook',
	'partner',
	'attention',
	'configuration',
	'incident',
] as const;

export interface Waiting {
	readonly area: (typeof AREAS)[number];
	/** The id or name that commands take: of an order, a transaction, a network, a coin, a partner, a switch. */
	readonly subject: string;
	/** Where an area has several rows of one subject: a word that tells them apart and stays the same. */
	readonly sort?: string;
	readonly cause: string;
	/** Unix milliseconds; null, or left out, where it is not on record. */
	readonly since?: number | null;
	/** Coins with their asset; null, or left out, where none are at stake. */
	readonly amount?: string | null;
	/** Its worth, US dollars with two places; null, or left out, where it is not known. */
	readonly usd?: string | null;
	/** The step that a person can take, or that it resolves by itself. */
	readonly todo: string;
	/** The cause that others of its area may have too. */
	readonly shared?: SharedCause;
	/** Ids of orders and transactions, coins or networks: all that the row stands for, where it is several. */
	readonly of?: readonly string[];
}

/** The words for all rows that have it. */
export interface SharedCause {
	/** Stays the same for the same cause. */
	readonly key: string;
	readonly cause: string;
	readonly todo: string;
	/** The thing that waits for it: the order of a transaction where it has one. */
	readonly of: string;
}

/** The facts that several collectors need, read once. */
export interface Facts {
	readonly context: Context;
	readonly settings: Settings;
	/** Null where the rate book does not answer. */
	readonly market: Market | null;
	readonly networks: readonly NetworkState[];
}

type Recorded = Awaited<ReturnType<typeof networkRecords>>[number];
/** One network's facts, as collectors need them. */
export type NetworkState = Pick<Recorded, 'name' | 'answers' | 'lastScannedAt' | 'freeAddresses' | 'hotAddress'> &
	Pick<Recorded, 'mode' | 'lastError' | 'lastErrorAt' | 'failures'>;

export type Collector = (facts: Facts) => Waiting[] | Promise<Waiting[]>;

/** Most rows that one collector names. */
export const MOST_ROWS = 200;

export const coinsText = (asset: Asset, baseUnits: bigint): string =>
	`${fromBaseUnits(baseUnits, asset.decimals)} ${asset.code}`;

/** Rounded to cents; null without a fresh price. */
export function worth({ market, context }: Pick<Facts, 'market' | 'context'>, asset: Asset, baseUnits: bigint) {
	const price = market && usdPrice(market, asset, context.now);
	return price ? usdText(price.times(decimal(fromBaseUnits(baseUnits, asset.decimals)))) : null;
}

/** One cause, one row: rows of an area that have a cause in common become one, in the place of the first. */
export function byCause(rows: readonly Waiting[]): Waiting[] {
	const groups = Map.groupBy(rows, (row) => (row.shared ? `${row.area} ${row.shared.key}` : row));
	return [...groups.values()].map(oneOf);
}

function oneOf(rows: readonly Waiting[]): Waiting {
	const [first] = rows as readonly [Waiting];
	const { area, shared } = first;
	if (!shared || rows.length === 1) return first;
	const times = rows.flatMap(({ since }) => since ?? []);
	const worths = rows.flatMap(({ usd }) => usd ?? []);
	const sum = worths.reduce((all, usd) => all.plus(usd), decimal('0'));
	return {
		area,
		subject: 'several',
		cause: `${rows.length} of them: ${shared.cause}`,
		since: times.length === 0 ? null : Math.min(...times),
		usd: worths.length === rows.length ? usdText(sum) : null,
		todo: shared.todo,
		shared,
		of: rows.flatMap((row) => row.shared?.of ?? []),
	};
}
