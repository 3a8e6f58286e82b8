/**
 * The shapes of a Tron full node's HTTP API, as far as this family reads them. Protobuf leaves out zero and empty
 * values, and so does the API. Data that strangers write into blocks is checked only as far as needed: a contract of an
 * unknown kind must not make a block unreadable. Addresses come out as the hash alone, in lower case.
 */
import * as z from 'zod/mini';
import { whole, written } from '../rpc/shapes.ts';

export const TRANSACTION_ID = /^[0-9a-f]{64}$/;

const hash = written(/^[0-9a-fA-F]{64}$/, (text) => text.toLowerCase());
/** int64. */
export const units = whole(19);
/** The version byte and 20 bytes of hash. */
const address = written(/^41([0-9a-f]{40})$/i, (text) => text.slice(2).toLowerCase());

/** Heights and times above 2 ** 42 are nonsense. */
const count = z.lazy(() => z.int().check(z.nonnegative(), z.maximum(2 ** 42)));

/** A block's id begins with its height. */
export const HEADER = z.lazy(() =>
	z
		.pipe(
			z.object({
				blockID: hash,
				block_header: z.object({
					raw_data: z.object({
						number: z._default(count, 0),
						timestamp: z._default(count, 0),
						parentHash: z.optional(hash),
					}),
				}),
			}),
			z.transform(({ blockID, block_header: { raw_data } }) => ({
				id: blockID,
				parentId: raw_data.parentHash,
				height: raw_data.number,
				/** Unix milliseconds. */
				timestamp: raw_data.timestamp,
			})),
		)
		.check(z.refine(({ id, height }) => BigInt(`0x${id.slice(0, 16)}`) === BigInt(height), 'the id of another height')),
);

export const TRANSACTION = z.lazy(() =>
	z.object({
		txID: hash,
		ret: z._default(z.array(z.object({ contractRet: z.optional(z.string()) })), []),
		raw_data: z.object({
			contract: z.array(
				z.object({ type: z.string(), parameter: z.optional(z.object({ value: z.optional(z.unknown()) })) }),
			),
		}),
	}),
);

/** The fields of a `TransferContract` that we read. The sender of a deposit does not matter. */
export const TRANSFER = z.lazy(() => z.object({ amount: units, to_address: address, owner_address: address }));
/** The same of a `TriggerSmartContract`. `data`: hex. */
export const CALL = z.lazy(() => z.object({ contract_address: address, data: z._default(z.string(), '') }));
/** Who sent it. Every kind of contract has this. */
export const OWNER = z.lazy(() => z.object({ owner_address: address }));

const BLOCK = z.lazy(() => z.intersection(HEADER, z.object({ transactions: z._default(z.array(TRANSACTION), []) })));
export const BLOCKS = z.lazy(() => z.object({ block: z._default(z.array(BLOCK), []) }));

/** Value that a contract moved. `note` is the kind of the call, in hex. An entry with a token id moves TRC-10. */
const INTERNAL = z.lazy(() =>
	z.object({
		transferTo_address: z.optional(z.string()),
		callValueInfo: z._default(z.array(z.object({ callValue: z.optional(units), tokenId: z.optional(z.string()) })), []),
		note: z.optional(z.string()),
		rejected: z.optional(z.boolean()),
	}),
);

const LOG = z.lazy(() =>
	z.object({
		address: z._default(z.string(), ''),
		topics: z._default(z.array(z.string()), []),
		data: z._default(z.string(), ''),
	}),
);

/**
 * A transaction's receipt. The outer `result` is present only where the transaction failed, the inner one only where a
 * contract ran.
 */
export const INFO = z.lazy(() =>
	z.object({
		id: hash,
		blockNumber: z._default(count, 0),
		/** Sun that the transaction burnt in all. */
		fee: z._default(units, 0n),
		result: z.optional(z.string()),
		receipt: z._default(z.object({ result: z.optional(z.string()) }), {}),
		log: z._default(z.array(LOG), []),
		internal_transactions: z._default(z.array(INTERNAL), []),
	}),
);

const NOTHING = z.lazy(() =>
	z.pipe(
		z.strictObject({}),
		z.transform(() => null),
	),
);
/** Null where the node knows none. */
export const INFO_OR_NONE = z.lazy(() => z.union([NOTHING, INFO]));
export const TRANSACTION_OR_NONE = z.lazy(() => z.union([NOTHING, TRANSACTION]));
/** The answer for an empty block is not a list. */
export const INFOS = z.lazy(() =>
	z.union([
		z.pipe(
			NOTHING,
			z.transform(() => []),
		),
		z.array(INFO),
	]),
);

/** The answer of `eth_getLogs` for the event of a transfer: the block, and the recipient's hash. */
export const LOGS = z.lazy(() =>
	z.object({
		result: z.array(
			z.pipe(
				z.object({
					blockNumber: z.string().check(z.regex(/^0x[0-9a-f]{1,11}$/i)),
					topics: z.array(z.string().check(z.regex(/^0x[0-9a-f]{64}$/i))).check(z.minLength(3)),
				}),
				z.transform(({ blockNumber, topics }) => ({
					height: Number(blockNumber),
					recipient: (topics[2] ?? '').slice(-40).toLowerCase(),
				})),
			),
		),
	}),
);

const PERMISSION = z.lazy(() =>
	z.object({
		id: z._default(z.number(), 0),
		threshold: z.number(),
		operations: z.optional(z.string()),
		keys: z.array(z.object({ address: z.string(), weight: z.number() })),
	}),
);

/** Null where the chain has no such block yet. */
export const HEADER_OR_NONE = z.lazy(() => z.union([NOTHING, HEADER]));

export const ACCOUNT_OR_NONE = z.lazy(() =>
	z.union([
		NOTHING,
		z.object({
			address: z.string(),
			balance: z._default(units, 0n),
			type: z.optional(z.string()),
			owner_permission: z.optional(PERMISSION),
			active_permission: z._default(z.array(PERMISSION), []),
		}),
	]),
);

export const CHAIN_PARAMETERS = z.lazy(() =>
	z.object({ chainParameter: z.array(z.object({ key: z.string(), value: z.optional(z.unknown()) })) }),
);

export const CONSTANT_CALL = z.lazy(() =>
	z.object({
		result: z.object({
			result: z._default(z.boolean(), false),
			code: z.optional(z.string()),
			message: z.optional(z.string()),
		}),
		energy_used: z._default(count, 0),
		constant_result: z._default(z.array(z.string().check(z.regex(/^([0-9a-fA-F]{2})*$/))), []),
		transaction: z._default(z.object({ ret: z._default(z.array(z.object({ ret: z.optional(z.string()) })), []) }), {
			ret: [],
		}),
	}),
);

export const BROADCAST = z.lazy(() =>
	z.object({
		result: z._default(z.boolean(), false),
		code: z.optional(z.string()),
		txid: z.optional(z.string()),
		message: z.optional(z.string()),
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
