/** A row of `attention`: one thing that waits for a person or for a condition. Every collector gives a list of them. */
import type { Asset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Settings } from '../../catalog/settings.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import type { Context } from '../command.ts';

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
	/** Unix milliseconds; null where it is not on record. */
	readonly since: number | null;
	/** Coins with their asset; null where none are at stake. */
	readonly amount: string | null;
	/** Its worth, US dollars with two places; null where it is not known. */
	readonly usd: string | null;
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

/** One network's facts, as collectors need them; the times are ISO 8601. */
export interface NetworkState {
	readonly name: NetworkName;
	/** `off` where this deployment does not run it. */
	readonly mode: string;
	/** Was it scanned for deposits lately? */
	readonly answers: boolean;
	readonly lastScannedAt: string | null;
	/** Null where the agent does not answer. */
	readonly freeAddresses: number | null;
	readonly hotAddress: string | null;
	readonly lastError: string | null;
	readonly lastErrorAt: string | null;
	/** As `LastError.failures`. */
	readonly failures: number | null;
}

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
