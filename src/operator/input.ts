/** Fields of commands: how each is typed, and its bounds. Several commands share them. Pure. */
import * as z from 'zod/mini';
import { ASSET_IDS } from '../catalog/assets.ts';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import type { Option } from './topic.ts';
import { moment } from './topics/moment.ts';

/** A whole number in these bounds, both inclusive. */
export function wholeBetween(min: number, max: number) {
	const message = `must be a whole number from ${min} to ${max}`;
	return z.int(message).check(z.minimum(min, message), z.maximum(max, message));
}

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

type More = Omit<Option, 'kind' | 'help' | 'value'>;

/** An option with a value, which may be left out. `value`: what the help shows as the value. */
export const text = <Schema extends z.ZodMiniType>(value: string, schema: Schema, help: string, more: More = {}) =>
	({ kind: 'text', value, help, ...more, schema: z.optional(schema) }) as const;

export const needed = <Schema extends z.ZodMiniType>(value: string, schema: Schema, help: string) =>
	({ kind: 'text', value, help, required: true, schema }) as const;

/** Why the operator does it. */
export const why = (value: 'R' | 'T', help = 'why, for the audit log') =>
	needed(value, z.string().check(z.trim(), z.minLength(1, 'say why, in a few words'), z.maxLength(200)), help);

/** Without a value: true where it is there. */
export const flag = (help: string) => ({ kind: 'present', help, schema: z._default(z.boolean(), false) }) as const;

export const onOff = (help: string) => ({ kind: 'boolean', help, schema: z.optional(z.boolean()) }) as const;

type Bounds = readonly [min: number, max: number];

export const whole = (bounds: Bounds, help: string) =>
	({ kind: 'integer', help, schema: z.optional(wholeBetween(...bounds)) }) as const;

/** The same, or `none`. */
export const wholeOrNone = (bounds: Bounds, help: string) =>
	({ kind: 'integer', clearable: true, help, schema: z.nullish(wholeBetween(...bounds)) }) as const;

export const time = (help: string) => text('T', moment, help);

/** How many rows a list may have. */
export const LIMIT = {
	kind: 'integer',
	short: 'n',
	help: 'at most this many, up to 500 (50 if not named)',
	schema: z._default(wholeBetween(1, 500), 50),
} as const;

export const CURSOR = text(
	'C',
	z.string().check(z.maxLength(400)),
	'where a page of the API ended; the command itself goes through all',
);
