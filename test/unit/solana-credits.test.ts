/** What a Solana transaction credited, and what one of ours cost, from its balances before and after. */
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { costOf, creditOf } from '../../src/chains/solana/credits.ts';
import { tokenAddress } from '../../src/chains/solana/programs.ts';
import { TRANSACTION_OR_NONE, type Transaction } from '../../src/chains/solana/shapes.ts';

const OWNER = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
const PAYER = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const USDT = assetOf('USDTSOL').contract ?? '';
const ACCOUNT = tokenAddress(OWNER, USDT);
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const RENT = 2_039_280;

interface Shown {
	readonly keys: readonly string[];
	readonly before: readonly (number | string)[];
	readonly after: readonly (number | string)[];
	readonly more?: Record<string, unknown>;
}

/** A transaction as a node returns it. */
function shown({ keys, before, after, more = {} }: Shown): Transaction {
	const transaction = TRANSACTION_OR_NONE.parse({
		slot: 5,
		transaction: { signatures: ['2'.repeat(88)], message: { accountKeys: keys } },
		meta: { err: null, fee: 5_000, preBalances: before, postBalances: after, ...more },
	});
	if (!transaction) throw new Error('no transaction');
	return transaction;
}

const row = (accountIndex: number, amount: string, more: Record<string, unknown> = {}) => ({
	accountIndex,
	mint: USDT,
	owner: OWNER,
	programId: TOKEN_PROGRAM,
	uiTokenAmount: { amount, decimals: 6 },
	...more,
});

const solPaid = (more: Record<string, unknown> = {}): Transaction =>
	shown({ keys: [PAYER, OWNER], before: [100_000, 7], after: [64_993, 30_007], more });

const tokensPaid = (post: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Transaction =>
	shown({
		keys: [PAYER, ACCOUNT],
		before: [RENT + 5_000, 0],
		after: [0, RENT],
		more: { preTokenBalances: [], postTokenBalances: [row(1, '25', post)], ...more },
	});

describe('a credit', () => {
	it('of SOL is the increase of the address’s balance', () => {
		expect(creditOf(solPaid(), OWNER, 'SOL')).toBe(30_000n);
	});

	it('is exact above what a double holds', () => {
		const most = '18446744073709551615';
		expect(creditOf(shown({ keys: [OWNER], before: [0], after: [most] }), OWNER, 'SOL')).toBe(2n ** 64n - 1n);
	});

	it('is none for the payer, for an address not in the transaction, and for a failed transaction', () => {
		expect(creditOf(solPaid(), PAYER, 'SOL')).toBe(0n);
		expect(creditOf(solPaid(), USDT, 'SOL')).toBe(0n);
		expect(creditOf(solPaid({ err: { InstructionError: [0, 'Custom'] } }), OWNER, 'SOL')).toBe(0n);
		expect(creditOf(solPaid({ err: undefined }), OWNER, 'SOL')).toBe(0n);
	});

	it('is found when a lookup table names the address', () => {
		const loadedAddresses = { writable: [USDT, OWNER], readonly: [PAYER] };
		const paid = shown({ keys: [PAYER], before: [9, 1, 2, 3], after: [5, 1, 6, 3], more: { loadedAddresses } });
		expect(creditOf(paid, OWNER, 'SOL')).toBe(4n);
	});

	it('of tokens is the increase of the owner’s account of that mint', () => {
		expect(creditOf(tokensPaid(), OWNER, 'USDTSOL')).toBe(25n);
		expect(creditOf(tokensPaid({}, { preTokenBalances: [row(1, '20')] }), OWNER, 'USDTSOL')).toBe(5n);
		expect(creditOf(tokensPaid({}, { preTokenBalances: [row(1, '30')] }), OWNER, 'USDTSOL')).toBe(0n);
		expect(creditOf(tokensPaid({ owner: undefined, programId: undefined }), OWNER, 'USDTSOL')).toBe(25n);
	});

	it.each([
		['another mint', { mint: assetOf('USDCSOL').contract }],
		['another owner', { owner: PAYER }],
		['another program', { programId: TOKEN_2022 }],
		['another account', { accountIndex: 0 }],
	])('of tokens is none in %s', (_, bent) => {
		expect(creditOf(tokensPaid(bent), OWNER, 'USDTSOL')).toBe(0n);
	});

	it('of tokens is none in SOL, nor one of SOL in tokens', () => {
		expect(creditOf(tokensPaid(), OWNER, 'SOL')).toBe(0n);
		expect(creditOf(solPaid(), OWNER, 'USDTSOL')).toBe(0n);
	});
});

describe('the cost', () => {
	it('is the fee, whatever was paid', () => {
		expect(costOf(solPaid())).toBe(5_000n);
	});

	it('includes the rent of an account that was opened in it', () => {
		expect(costOf(tokensPaid())).toBe(BigInt(RENT) + 5_000n);
	});

	it('is reduced by the rent of a closed account, and may be negative', () => {
		const closed = shown({
			keys: [PAYER, ACCOUNT],
			before: [5_000, RENT],
			after: [RENT, 0],
			more: { preTokenBalances: [row(1, '25')], postTokenBalances: [] },
		});
		expect(costOf(closed)).toBe(5_000n - BigInt(RENT));
	});

	it('counts an account once when it exists before and after', () => {
		expect(costOf(tokensPaid({}, { preTokenBalances: [row(1, '20')] }))).toBe(BigInt(RENT) + 5_000n);
	});
});
