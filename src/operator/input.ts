/** Input fields that several commands take. Pure. */
import * as z from 'zod/mini';
import { ASSET_IDS } from '../catalog/assets.ts';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import type { Option } from './topic.ts';

/** A whole number in these bounds, both inclusive. */
export function wholeBetween(min: number, max: number) {
	const message = `must be a whole number from ${min} to ${max}`;
	return z.int(message).check(z.minimum(min, message), z.maximum(max, message));
}

/** How many rows a list may have. */
export const limit = z._default(wholeBetween(1, 500), 50);
export const LIMIT: Option = { kind: 'integer', short: 'n', help: 'at most this many, up to 500 (50 if not named)' };

/** Id of a partner or a webhook, as it was issued. */
export const id = z.string().check(z.maxLength(100));

/** Id of an order or a transaction: lower case, however it is typed. */
export const lowerCaseId = id.check(z.toLowerCase());

/** Coins as a plain decimal; the run knows how many decimals the asset has. */
export const coinAmount = z.string().check(z.maxLength(100));

/** Transaction ids in hexadecimal mean the same in either case; those in base58 do not. */
export function inOneCase(text: string): string {
	return /^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text;
}

export const txId = z.pipe(
	z.string().check(z.regex(/^[\x21-\x7e]{1,128}$/, 'must be a transaction id: 1 to 128 characters without blanks')),
	z.transform(inOneCase),
);

/** Why the operator does it, for the audit log. */
export const reason = z.string().check(z.trim(), z.minLength(1, 'say why, in a few words'), z.maxLength(200));

/** An asset id, in capitals or not. */
export const assetId = z.pipe(
	z.string().check(z.maxLength(100), z.toUpperCase()),
	z.enum(ASSET_IDS, 'is not an asset of this service; asset list shows them'),
);

/** A network's name, in any case. */
export const networkName = z.pipe(
	z.pipe(
		z.string().check(z.maxLength(100)),
		z.transform((text) => NETWORK_NAMES.find((name) => name.toLowerCase() === text.toLowerCase()) ?? text),
	),
	z.enum(NETWORK_NAMES, 'is not a network of this service; network list shows them'),
);

/** For an update that names no field to change. */
export const NOTHING_TO_CHANGE = 'nothing to change: name at least one field';
