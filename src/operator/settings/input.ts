/** What the operator may name and set in the catalog's and the site's settings. Pure. */
import * as z from 'zod';
import { ASSET_IDS } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';

/** A whole number in these bounds, both inclusive. */
export function wholeBetween(min: number, max: number) {
	const message = `must be a whole number from ${min} to ${max}`;
	return z.int(message).min(min, message).max(max, message);
}

/** An asset id, in capitals or not. */
export const assetId = z
	.string()
	.max(100)
	.toUpperCase()
	.pipe(z.enum(ASSET_IDS, 'is not an asset of this service; asset list shows them'));

/** A network's name, in any case. */
export const networkName = z
	.string()
	.max(100)
	.transform((text) => NETWORK_NAMES.find((name) => name.toLowerCase() === text.toLowerCase()) ?? text)
	.pipe(z.enum(NETWORK_NAMES, 'is not a network of this service; network list shows them'));

/** Far above any order. */
const MAX_USD = 1_000_000_000;

export const orderUsd = wholeBetween(0, MAX_USD);
