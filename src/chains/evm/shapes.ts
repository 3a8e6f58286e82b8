/**
 * The shapes of Ethereum's JSON-RPC (execution-apis), as far as this family reads them. Hashes and addresses come out
 * in lower case, so that two spellings of one are equal.
 */
import * as z from 'zod';

export const TRANSACTION_ID = /^0x[0-9a-f]{64}$/;

/** 256 bits at most. Leading zeros violate the standard, but some nodes send them. */
export const QUANTITY = z.lazy(() =>
	z
		.string()
		.regex(/^0x[0-9a-fA-F]{1,64}$/)
		.transform(BigInt),
);

/** Heights above 2 ** 40 are nonsense; below, a double holds them exactly. */
const MAX_HEIGHT = 1n << 40n;
export const HEIGHT = z.lazy(() =>
	QUANTITY.refine((height) => height <= MAX_HEIGHT, 'no such height').transform(Number),
);

export const HASH = z.lazy(() =>
	z
		.string()
		.regex(/^0x[0-9a-fA-F]{64}$/)
		.transform((text) => text.toLowerCase()),
);

export const ADDRESS = z.lazy(() =>
	z
		.string()
		.regex(/^0x[0-9a-fA-F]{40}$/)
		.transform((text) => text.toLowerCase()),
);

export const BYTES = z.lazy(() => z.string().regex(/^0x([0-9a-fA-F]{2})*$/));

/** A block without its transactions. `baseFeePerGas` is EIP-1559's. */
export const BLOCK = z.lazy(() => z.object({ number: HEIGHT, hash: HASH, baseFeePerGas: QUANTITY.optional() }));
/** Null where the node has no such block, or does not know the tag. */
export const BLOCK_OR_NONE = z.lazy(() => BLOCK.nullable());

/** A contract creation has no `to`. */
const RECIPIENT = z.lazy(() => ADDRESS.nullish());

export const FULL_BLOCK = z.lazy(() =>
	z.object({
		number: HEIGHT,
		hash: HASH,
		transactions: z.array(
			z.object({ hash: HASH, from: ADDRESS.optional(), to: RECIPIENT, value: QUANTITY, nonce: QUANTITY.optional() }),
		),
	}),
);

/** With the time, Unix seconds. */
export const TIMED_BLOCK = z.lazy(() => BLOCK.unwrap().extend({ timestamp: HEIGHT }));

/** A block with the ids of its transactions alone. */
export const BLOCK_OF_IDS = z.lazy(() => BLOCK.unwrap().extend({ transactions: z.array(HASH) }));

/** Block number and hash are null in the mempool. */
export const TRANSACTION_OR_NONE = z.lazy(() =>
	z
		.object({
			...{ hash: HASH, from: ADDRESS, to: RECIPIENT, value: QUANTITY },
			...{ blockNumber: HEIGHT.nullish(), blockHash: HASH.nullish(), nonce: QUANTITY.optional() },
		})
		.nullable(),
);

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
		l1Fee: QUANTITY.nullish(),
	}),
);
export const RECEIPT_OR_NONE = z.lazy(() => RECEIPT.nullable());

/** A contract's event. Topics are words; the first one identifies the event. */
const LOG = z.lazy(() => z.object({ address: ADDRESS, topics: z.array(HASH).max(4), data: BYTES }));
export const RECEIPT_WITH_LOGS_OR_NONE = z.lazy(() =>
	RECEIPT.unwrap()
		.extend({ logs: z.array(LOG) })
		.nullable(),
);

/** The answer to `eth_getLogs`. */
export const LOGS = z.lazy(() => z.array(LOG.unwrap().extend({ transactionHash: HASH, blockNumber: HEIGHT })));

export const hexOf = (value: number | bigint): string => `0x${value.toString(16)}`;
