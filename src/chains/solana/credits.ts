/**
 * The changes that a transaction made to accounts, computed from their balances before and after it. So a transfer
 * counts the same whether it is the transaction's own instruction, a program's inner one, or one of many. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { accountOf, mintOf } from './assets.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { Transaction } from './shapes.ts';

export const hasFailed = ({ meta }: Transaction): boolean => meta.err !== null;

/** Base units of the asset that the transaction brought to the owner; 0 where it brought none, took some, or failed. */
export function creditOf(transaction: Transaction, owner: string, code: AssetId): bigint {
	if (hasFailed(transaction)) return 0n;
	const at = accountKeys(transaction).indexOf(accountOf(owner, code));
	if (at < 0) return 0n;
	const mint = mintOf(code);
	const [before, after] =
		mint === null ? lamportsAt(transaction, at) : tokensAt(transaction, at, (row) => belongsTo(row, owner, mint));
	return after > before ? after - before : 0n;
}

/**
 * Lamports that one of our own transactions cost us beyond what it moved: its fee, plus rent for token accounts that it
 * opened, minus rent from those that it closed. We open and close these accounts ourselves, and nobody else's lamports
 * move in them.
 */
export function costOf(transaction: Transaction): bigint {
	const { meta } = transaction;
	const rows = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
	const tokenAccounts = new Set(rows.map(({ accountIndex }) => accountIndex));
	return [...tokenAccounts].reduce((sum, at) => {
		const [before, after] = lamportsAt(transaction, at);
		return sum + after - before;
	}, meta.fee);
}

type TokenBalance = NonNullable<Transaction['meta']['preTokenBalances']>[number];

/** Who pays the fee and signs first: its first key. */
export const paidFirst = ({ transaction }: Transaction): string | undefined => transaction.message.accountKeys[0];

/** The transaction's own keys first, then those from lookup tables. The balances are in the same order. */
export function accountKeys({ transaction, meta }: Transaction): string[] {
	const loaded = meta.loadedAddresses;
	return [...transaction.message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
}

const lamportsAt = ({ meta }: Transaction, at: number): [before: bigint, after: bigint] => [
	meta.preBalances[at] ?? 0n,
	meta.postBalances[at] ?? 0n,
];

function tokensAt({ meta }: Transaction, at: number, counts: (row: TokenBalance) => boolean): [bigint, bigint] {
	const held = (rows: readonly TokenBalance[] | null | undefined): bigint =>
		rows?.find((row) => row.accountIndex === at && counts(row))?.uiTokenAmount.amount ?? 0n;
	return [held(meta.preTokenBalances), held(meta.postTokenBalances)];
}

/** Owner and mint already determine the account. A node that reports another owner, mint or program is not believed. */
const belongsTo = (row: TokenBalance, owner: string, mint: string): boolean =>
	row.mint === mint && (row.owner ?? owner) === owner && (row.programId ?? TOKEN_PROGRAM) === TOKEN_PROGRAM;
