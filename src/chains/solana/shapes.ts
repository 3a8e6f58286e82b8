/** The shapes of Solana's JSON-RPC, as far as this family reads them. Lamports and token amounts are 64 bits wide. */
import { base58, base64 } from '@scure/base';
import * as z from 'zod/mini';
import { natural, whole } from '../rpc/shapes.ts';

export const TRANSACTION_ID = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const SIGNATURE_BYTES = 64;
/**
 * Text that is not a signature is never sent to a node: one wrong id would spoil the answers for all others in its
 * call.
 */
export function isTransactionId(text: string): boolean {
	return TRANSACTION_ID.test(text) && base58.decode(text).length === SIGNATURE_BYTES;
}

const MAX_U64 = (1n << 64n) - 1n;
export const U64 = z.lazy(() => whole(20).check(z.refine((value) => value <= MAX_U64, 'more than 64 bits')));

/** Slots and block heights above 2 ** 40 are nonsense. A double holds any below exactly. */
const MAX_SLOT = 2 ** 40;
export const SLOT = z.lazy(() => z.int().check(z.nonnegative(), z.maximum(MAX_SLOT)));

export const PUBLIC_KEY = z.lazy(() => z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)));
const SIGNATURE = z.lazy(() => z.string().check(z.regex(TRANSACTION_ID)));

/** The slot that the answer is from. */
const CONTEXT = z.lazy(() => z.object({ slot: SLOT }));

const ACCOUNT = z.lazy(() =>
	z.object({
		lamports: U64,
		owner: PUBLIC_KEY,
		data: z.pipe(
			z.tuple([z.base64(), z.literal('base64')]),
			z.transform(([text]) => base64.decode(text)),
		),
	}),
);
export const ACCOUNTS = z.lazy(() => z.object({ context: CONTEXT, value: z.array(z.nullable(ACCOUNT)) }));

export const OWNED_ACCOUNTS = z.lazy(() =>
	z.object({ value: z.array(z.object({ pubkey: PUBLIC_KEY, account: ACCOUNT })) }),
);

export const BLOCKHASH = z.lazy(() =>
	z.object({ value: z.object({ blockhash: PUBLIC_KEY, lastValidBlockHeight: SLOT }) }),
);

/** An error's shape depends on the program. We only need to know whether there is one. */
const FAILURE = z.unknown();

/** Newest first. */
export const SIGNATURES = z.lazy(() =>
	z.array(
		z.object({
			signature: SIGNATURE,
			slot: SLOT,
			err: FAILURE,
			/** Unix seconds; null where the node does not know it. */
			blockTime: z.nullish(z.int()),
		}),
	),
);

export const STATUSES = z.lazy(() =>
	z.object({
		context: CONTEXT,
		value: z.array(
			z.nullable(
				z.object({ slot: SLOT, err: FAILURE, confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']) }),
			),
		),
	}),
);

/** Old nodes leave out `owner` and `programId`. */
const TOKEN_BALANCE = z.lazy(() =>
	z.object({
		accountIndex: natural,
		mint: PUBLIC_KEY,
		owner: z.optional(PUBLIC_KEY),
		programId: z.optional(PUBLIC_KEY),
		uiTokenAmount: z.object({ amount: U64 }),
	}),
);

const META = z.lazy(() =>
	z.object({
		err: FAILURE,
		fee: U64,
		preBalances: z.array(U64),
		postBalances: z.array(U64),
		preTokenBalances: z.nullish(z.array(TOKEN_BALANCE)),
		postTokenBalances: z.nullish(z.array(TOKEN_BALANCE)),
		/** Accounts that a version 0 transaction takes from lookup tables. They come after its own. */
		loadedAddresses: z.nullish(z.object({ writable: z.array(PUBLIC_KEY), readonly: z.array(PUBLIC_KEY) })),
	}),
);

/** Null where the node has none at that commitment. */
export const TRANSACTION_OR_NONE = z.lazy(() =>
	z.nullable(
		z.object({
			slot: SLOT,
			meta: META,
			transaction: z.object({
				signatures: z.array(SIGNATURE).check(z.minLength(1)),
				message: z.object({ accountKeys: z.array(PUBLIC_KEY) }),
			}),
		}),
	),
);
export type Transaction = NonNullable<z.output<typeof TRANSACTION_OR_NONE>>;

/** With `encoding: 'base64'`. */
export const TRANSACTION_BYTES = z.lazy(() =>
	z.object({ slot: SLOT, transaction: z.tuple([z.base64(), z.literal('base64')]) }),
);

/** One block's height; null where the node has lost count. */
export const BLOCK_HEIGHT = z.lazy(() => z.object({ blockHeight: z.nullable(SLOT) }));

/** `blockTime`: Unix seconds. */
export const TIMED_BLOCK = z.lazy(() => z.object({ blockhash: PUBLIC_KEY, blockTime: z.nullable(z.int()) }));
/** With which `getBlock` is asked for that alone. */
export const NO_DETAILS = {
	transactionDetails: 'none',
	rewards: false,
	commitment: 'finalized',
	maxSupportedTransactionVersion: 0,
} as const;

/** Micro-lamports per unit that were enough to get a transaction into each of the last blocks. */
export const RECENT_PRICES = z.lazy(() => z.array(z.object({ prioritizationFee: U64 })));

export const SIMULATION = z.lazy(() =>
	z.object({ value: z.object({ err: FAILURE, logs: z.nullish(z.array(z.string())), unitsConsumed: z.nullish(U64) }) }),
);
