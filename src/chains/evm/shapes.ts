/**
 * The shapes of Ethereum's JSON-RPC (execution-apis), as far as this family reads them. Hashes and addresses come out
 * in lower case, so that two spellings of one are equal.
 */
import * as z from 'zod/mini';
import { written } from '../rpc/shapes.ts';

export const TRANSACTION_ID = /^0x[0-9a-f]{64}$/;
/** One ABI word, and the word for true. */
export const WORD = /^0x[0-9a-fA-F]{64}$/;
export const TRUE = /^0x0{63}1$/;

/** 256 bits at most. Leading zeros violate the standard, but some nodes send them. */
export const QUANTITY = written(/^0x[0-9a-fA-F]{1,64}$/, BigInt);

/** Heights above 2 ** 40 are nonsense; below, a double holds them exactly. */
const MAX_HEIGHT = 1n << 40n;
export const HEIGHT = z.lazy(() =>
	z.pipe(QUANTITY.check(z.refine((height) => height <= MAX_HEIGHT, 'no such height')), z.transform(Number)),
);

export const HASH = written(WORD, (text) => text.toLowerCase());

export const ADDRESS = written(/^0x[0-9a-fA-F]{40}$/, (text) => text.toLowerCase());

export const BYTES = z.lazy(() => z.string().check(z.regex(/^0x([0-9a-fA-F]{2})*$/)));

/** A block without its transactions. `baseFeePerGas` is EIP-1559's. */
export const BLOCK = z.lazy(() => z.object({ number: HEIGHT, hash: HASH, baseFeePerGas: z.optional(QUANTITY) }));
/** Null where the node has no such block, or does not know the tag. */
export const BLOCK_OR_NONE = z.lazy(() => z.nullable(BLOCK));

/** A contract creation has no `to`. */
const RECIPIENT = z.lazy(() => z.nullish(ADDRESS));

export const FULL_BLOCK = z.lazy(() =>
	z.object({
		number: HEIGHT,
		hash: HASH,
		transactions: z.array(
			z.object({ hash: HASH, from: z.optional(ADDRESS), to: RECIPIENT, value: QUANTITY, nonce: z.optional(QUANTITY) }),
		),
	}),
);

/** With the time, Unix seconds. */
export const TIMED_BLOCK = z.lazy(() => z.extend(BLOCK._zod.innerType, { timestamp: HEIGHT }));

export const TIMED_BLOCK_OR_NONE = z.lazy(() => z.nullable(TIMED_BLOCK));

/** A block with the ids of its transactions alone. */
export const BLOCK_OF_IDS = z.lazy(() => z.extend(BLOCK._zod.innerType, { transactions: z.array(HASH) }));

/** Block number and hash are null in the mempool. */
const TRANSACTION = z.lazy(() =>
	z.object({
		hash: HASH,
		from: ADDRESS,
		to: RECIPIENT,
		value: QUANTITY,
		blockNumber: z.nullish(HEIGHT),
		blockHash: z.nullish(HASH),
		nonce: z.optional(QUANTITY),
	}),
);
export const TRANSACTION_OR_NONE = z.lazy(() => z.nullable(TRANSACTION));
export type Transaction = z.output<typeof TRANSACTION>;

/** `status` is 1 for success (EIP-658); a reverted transaction cost its fee and moved nothing. */
const RECEIPT = z.lazy(() =>
	z.object({
		transactionHash: HASH,
		blockHash: HASH,
		blockNumber: HEIGHT,
		status: QUANTITY,
		gasUsed: QUANTITY,
		effectiveGasPrice: QUANTITY,
		/** On OP Stack chains: the fee for the data on Ethereum. */
		l1Fee: z.nullish(QUANTITY),
	}),
);
export const RECEIPT_OR_NONE = z.lazy(() => z.nullable(RECEIPT));

/** A contract's event. Topics are words; the first one identifies the event. */
const LOG = z.lazy(() => z.object({ address: ADDRESS, topics: z.array(HASH).check(z.maxLength(4)), data: BYTES }));
export const RECEIPT_WITH_LOGS_OR_NONE = z.lazy(() =>
	z.nullable(z.extend(RECEIPT._zod.innerType, { logs: z.array(LOG) })),
);

/** The answer to `eth_getLogs`. */
export const LOGS = z.lazy(() => z.array(z.extend(LOG._zod.innerType, { transactionHash: HASH, blockNumber: HEIGHT })));

export const hexOf = (value: number | bigint): string => `0x${value.toString(16)}`;
