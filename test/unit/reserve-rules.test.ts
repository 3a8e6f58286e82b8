/** The arithmetic of the reserve: the balance of a hot wallet after our own transactions, and any surplus. */
import { describe, expect, it } from 'vitest';
import { steadySurplus, takenFrom, type WalletFlow, walletBooks } from '../../src/treasury/ledger/reserve-rules.ts';

describe('the books of a hot wallet', () => {
	const flow: WalletFlow = {
		reserves: [
			{ asset: 'ETH', amount: 1_000n },
			{ asset: 'USDTERC20', amount: 500n },
		],
		moved: [
			{ asset: 'ETH', kind: 'payout', amount: 100n },
			{ asset: 'ETH', kind: 'refund', amount: 20n },
			{ asset: 'ETH', kind: 'earnings', amount: 3n },
			{ asset: 'ETH', kind: 'gas', amount: 40n },
			{ asset: 'ETH', kind: 'sweep', amount: 600n },
			{ asset: 'USDTERC20', kind: 'sweep', amount: 70n },
			{ asset: 'USDTERC20', kind: 'payout', amount: 6n },
			{ asset: 'ETH', kind: 'consolidation', amount: 5_000n },
		],
		fees: [
			{ kind: 'payout', amount: 5n },
			{ kind: 'gas', amount: 7n },
			{ kind: 'sweep', amount: 11n },
			{ kind: 'consolidation', amount: 13n },
		],
	};

	it('are the reserve and what sweeps brought, less what was paid and what that cost, of a consolidation its fee alone', () => {
		const books = walletBooks(flow, 'ETH', 'address');
		expect(books.get('ETH')).toBe(1_000n - 100n - 20n - 3n - 40n + 600n - 5n - 7n - 13n);
		expect(books.get('USDTERC20')).toBe(500n + 70n - 6n);
	});

	it('include the fees of sweeps when the hot wallet pays them', () => {
		const difference =
			(walletBooks(flow, 'ETH', 'address').get('ETH') ?? 0n) - (walletBooks(flow, 'ETH', 'wallet').get('ETH') ?? 0n);
		expect(difference).toBe(11n);
	});

	it('leave out the fee of a token that its own address paid to send', () => {
		const sent: WalletFlow = { reserves: [], moved: [], fees: [{ kind: 'token', amount: 9n }] };
		expect(walletBooks(sent, 'ETH', 'address').get('ETH')).toBeUndefined();
		expect(walletBooks(sent, 'ETH', 'wallet').get('ETH')).toBe(-9n);
	});

	it('gain by a fee below zero: rent that came back', () => {
		const rent: WalletFlow = { reserves: [], moved: [], fees: [{ kind: 'sweep', amount: -2_034_280n }] };
		expect(walletBooks(rent, 'SOL', 'wallet').get('SOL')).toBe(2_034_280n);
	});
});

describe('what sweeps took from an address', () => {
	const moved = { txId: 'ours', settledTxId: null };
	const sweep = { ...moved, asset: 'ETH', amount: '100', fee: '7' } as const;
	it.each([
		['the fee too, when the address paid it in that coin', 'ETH', 'address', 107n],
		['not the fee that the hot wallet paid', 'ETH', 'wallet', 100n],
		['nothing of another asset', 'USDTERC20', 'address', 0n],
	] as const)('%s', (_, asset, feePayer, taken) => {
		expect(takenFrom([sweep], asset, feePayer)).toBe(taken);
	});
	it('of a token: not the fee, which was paid in the native coin', () => {
		expect(takenFrom([{ ...moved, asset: 'USDTERC20', amount: '50', fee: '7' }], 'USDTERC20', 'address')).toBe(50n);
	});
	it('of one that failed on chain: the fee alone', () => {
		expect(takenFrom([sweep, { ...sweep, settledTxId: sweep.txId }], 'ETH', 'address')).toBe(114n);
		expect(takenFrom([{ ...sweep, settledTxId: sweep.txId }], 'ETH', 'wallet')).toBe(0n);
	});
});

describe('a surplus', () => {
	const seen = { amount: 10n, since: 100 };
	it.each([
		['is recorded when it is first seen', undefined, 10n, 100, { kept: seen, booked: 0n }],
		['waits while a reorganisation may undo it', seen, 10n, 111, { kept: seen, booked: 0n }],
		['is booked once it has lasted for that many blocks', seen, 10n, 112, { kept: undefined, booked: 10n }],
		['counts only the part that lasted all that time', seen, 4n, 105, { kept: { amount: 4n, since: 100 }, booked: 0n }],
		['that grew: the new part waits by itself', seen, 15n, 112, { kept: { amount: 5n, since: 112 }, booked: 10n }],
		['that grew before the next block: the new part waits as well', seen, 15n, 100, { kept: seen, booked: 0n }],
		['that disappears is forgotten', seen, 0n, 105, { kept: undefined, booked: 0n }],
		['that became a deficit is none', seen, -3n, 112, { kept: undefined, booked: 0n }],
		['starts again after a reorganisation', seen, 10n, 99, { kept: { amount: 10n, since: 99 }, booked: 0n }],
	] as const)('%s', (_, before, amount, height, expected) => {
		expect(steadySurplus(before, amount, height, 12)).toEqual(expected);
	});
});
