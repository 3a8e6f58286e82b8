/**
 * Reads accounts from nodes: what they hold, which program they belong to, and what the Token program stores in them.
 */
import { base58 } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';
import { askEach } from '../rpc/answers.ts';
import { inParts } from '../rpc/each-of.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import { ACCOUNTS } from './shapes.ts';

/** Addresses that `getMultipleAccounts` accepts in one call. */
const ADDRESSES_PER_CALL = 100;

export interface Account {
	readonly lamports: bigint;
	/** The program that the account belongs to. */
	readonly owner: string;
	readonly data: Uint8Array;
}

export interface TokenAccount {
	readonly mint: string;
	readonly owner: string;
	readonly amount: bigint;
	readonly frozen: boolean;
}

/** Layout of the Token program's accounts, bytes. */
export const TOKEN_ACCOUNT_BYTES = 165;
/**
 * One byte longer than a token account. A longer account, which may have megabytes, is recognised as longer without
 * reading it all.
 */
const SLICE = { offset: 0, length: TOKEN_ACCOUNT_BYTES + 1 };
const KEY_BYTES = 32;
const AMOUNT_AT = 64;
const STATE_AT = 108;
const FROZEN = 2;
const MINT_BYTES = 82;
const MINT_DECIMALS_AT = 44;
const MINT_INITIALIZED_AT = 45;

/**
 * In the order of the addresses; null where there is no account. `slot`: the lowest slot that an answer is from.
 * @throws ChainUnavailable
 */
export async function accountsAt(
	rpc: JsonRpc,
	addresses: readonly string[],
	commitment: string,
): Promise<{ readonly accounts: readonly (Account | null)[]; readonly slot: number }> {
	// Without addresses too, for the slot.
	const parts = addresses.length === 0 ? [[]] : inParts(addresses, ADDRESSES_PER_CALL);
	const calls = parts.map((part) => ({
		method: 'getMultipleAccounts',
		params: [part, { encoding: 'base64', commitment, dataSlice: SLICE }],
	}));
	const answers = await askEach(rpc, ACCOUNTS, calls);
	if (answers.some(({ value }, at) => value.length !== parts[at]?.length))
		throw new ChainUnavailable('the node did not answer for exactly the accounts that it was asked for');
	return {
		accounts: answers.flatMap(({ value }) => value),
		slot: Math.min(...answers.map(({ context }) => context.slot)),
	};
}

/** Null where it is not an account of the Token program. */
export function tokenAccount(account: Account | null): TokenAccount | null {
	if (account?.owner !== TOKEN_PROGRAM || account.data.length !== TOKEN_ACCOUNT_BYTES) return null;
	const { data } = account;
	return {
		mint: base58.encode(data.subarray(0, KEY_BYTES)),
		owner: base58.encode(data.subarray(KEY_BYTES, 2 * KEY_BYTES)),
		amount: new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true),
		frozen: data[STATE_AT] === FROZEN,
	};
}

/** Null where it is not a mint of the Token program. */
export function mintDecimals(account: Account | null): number | null {
	if (account?.owner !== TOKEN_PROGRAM || account.data.length !== MINT_BYTES) return null;
	return account.data[MINT_INITIALIZED_AT] === 1 ? (account.data[MINT_DECIMALS_AT] ?? null) : null;
}
