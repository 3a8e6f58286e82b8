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
