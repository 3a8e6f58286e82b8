/**
 * The shapes of a Tron full node's HTTP API, as far as this family reads them. Protobuf leaves out zero and empty
 * values, and so does the API. Data that strangers write into blocks is checked only as far as needed: a contract of an
 * unknown kind must not make a block unreadable. Addresses come out as the hash alone, in lower case.
 */
import * as z from 'zod';

export const TRANSACTION_ID = /^[0-9a-f]{64}$/;

const hash = z.lazy(() =>
	z
		.string()
		.regex(/^[0-9a-fA-F]{64}$/)
		.transform((text) => text.toLowerCase()),
);

/** int64. Numbers that a double cannot hold exactly arrive as text (json-rpc.ts). */
const units = z.lazy(() => z.union([z.int().nonnegative(), z.string().regex(/^\d{1,19}$/)]).transform(BigInt));

/** The version byte and 20 bytes of hash. */
const ADDRESS = /^41([0-9a-f]{40})$/i;
const address = z.lazy(() =>
	z
		.string()
		.regex(ADDRESS)
		.transform((text) => text.slice(2).toLowerCase()),
);

/** Heights and times above 2 ** 42 are nonsense. */
const count = z.lazy(() =>
	z
		.int()
		.nonnegative()
		.max(2 ** 42),
);

/** A block's id begins with its height. */
export const HEADER = z.lazy(() =>
	z
		.object({
			blockID: hash,
			block_header: z.object({
				raw_data: z.object({ number: count.default(0), timestamp: count.default(0), parentHash: hash.optional() }),
			}),
		})
		.transform(({ blockID, block_header: { raw_data } }) => ({
			id: blockID,
			parentId: raw_data.parentHash,
			height: raw_data.number,
			/** Unix milliseconds. */
			timestamp: raw_data.timestamp,
		}))
		.refine(({ id, height }) => BigInt(`0x${id.slice(0, 16)}`) === BigInt(height), 'the id of another height'),
);

export const TRANSACTION = z.lazy(() =>
	z.object({
		txID: hash,
		ret: z.array(z.object({ contractRet: z.string().optional() })).default([]),
		raw_data: z.object({
			contract: z.array(
				z.object({ type: z.string(), parameter: z.object({ value: z.unknown().optional() }).optional() }),
			),
		}),
	}),
);

/** The fields of a `TransferContract` that we read. The sender of a deposit does not matter. */
export const TRANSFER = z.lazy(() => z.object({ amount: units, to_address: address }));
/** The same of a `TriggerSmartContract`. `data`: hex. */
export const CALL = z.lazy(() => z.object({ contract_address: address, data: z.string().default('') }));
/** Who sent it. Every kind of contract has this. */
export const OWNER = z.lazy(() => z.object({ owner_address: address }));

const BLOCK = z.lazy(() => z.intersection(HEADER, z.object({ transactions: z.array(TRANSACTION).default([]) })));
export const BLOCKS = z.lazy(() => z.object({ block: z.array(BLOCK).default([]) }));

/** Value that a contract moved. `note` is the kind of the call, in hex. An entry with a token id moves TRC-10. */
const INTERNAL = z.lazy(() =>
	z.object({
		transferTo_address: z.string().optional(),
		callValueInfo: z.array(z.object({ callValue: units.optional(), tokenId: z.string().optional() })).default([]),
		note: z.string().optional(),
		rejected: z.boolean().optional(),
	}),
);

const LOG = z.lazy(() =>
	z.object({
		address: z.string().default(''),
		topics: z.array(z.string()).default([]),
		data: z.string().default(''),
	}),
);

/**
 * A transaction's receipt. The outer `result` is present only where the transaction failed, the inner one only where a
 * contract ran.
 */
export const INFO = z.lazy(() =>
	z.object({
		id: hash,
		blockNumber: count.default(0),
		/** Sun that the transaction burnt in all. */
		fee: units.default(0n),
		result: z.string().optional(),
		receipt: z.object({ result: z.string().optional() }).default({}),
		log: z.array(LOG).default([]),
		internal_transactions: z.array(INTERNAL).default([]),
	}),
);

const NOTHING = z.lazy(() => z.strictObject({}).transform(() => null));
/** Null where the node knows none. */
export const INFO_OR_NONE = z.lazy(() => z.union([NOTHING, INFO]));
export const TRANSACTION_OR_NONE = z.lazy(() => z.union([NOTHING, TRANSACTION]));
/** The answer for an empty block is not a list. */
export const INFOS = z.lazy(() => z.union([NOTHING.transform(() => []), z.array(INFO)]));

export const ACCOUNT_OR_NONE = z.lazy(() =>
	z.union([NOTHING, z.object({ address: z.string(), balance: units.default(0n), type: z.string().optional() })]),
);

export const CHAIN_PARAMETERS = z.lazy(() =>
	z.object({
		chainParameter: z.array(z.object({ key: z.string(), value: z.unknown().optional() })),
	}),
);

export const CONSTANT_CALL = z.lazy(() =>
	z.object({
		result: z.object({
			result: z.boolean().default(false),
			code: z.string().optional(),
			message: z.string().optional(),
		}),
		energy_used: count.default(0),
		constant_result: z.array(z.string().regex(/^([0-9a-fA-F]{2})*$/)).default([]),
		transaction: z.object({ ret: z.array(z.object({ ret: z.string().optional() })).default([]) }).default({ ret: [] }),
	}),
);

export const BROADCAST = z.lazy(() =>
	z.object({
		result: z.boolean().default(false),
		code: z.string().optional(),
		txid: z.string().optional(),
		message: z.string().optional(),
	}),
);

export type Header = z.output<typeof HEADER>;
export type Block = z.output<typeof BLOCK>;
export type Transaction = z.output<typeof TRANSACTION>;
export type Info = z.output<typeof INFO>;

/** Nodes write their messages as the hex of the text. */
export function textOf(message: string | undefined): string {
	if (!message || !/^([0-9a-fA-F]{2})+$/.test(message)) return message ?? '';
	return new TextDecoder().decode(Uint8Array.from(message.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)));
}
