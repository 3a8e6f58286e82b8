/** The signer's rules for transactions between our own wallets, one forgery each. */
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/money/decimal.ts';
import {
	costsTooMuch,
	GAS_PAYMENTS_PER_DAY,
	gasRefusal,
	isMovementRow,
	leavesTooMuch,
	type MovementRow,
	movementRefusal,
	sweepRefusal,
} from '../../src/signer/sweeps/judge.ts';
import { refusalPasses, type SignerRefusal } from '../../src/treasury/signer-refusal.ts';

const [OURS, HOT, STRANGER] = ['0xours', '0xhot', '0xstranger'];

const sweep = {
	kind: 'sweep',
	network: 'Ethereum',
	asset: 'USDTERC20',
	sweepAsset: 'USDTERC20',
	payInAddress: OURS,
	payInIndex: 7,
	toAddress: HOT,
} as MovementRow;
const gas = { ...sweep, kind: 'gas', asset: 'ETH', toAddress: OURS } as MovementRow;

describe('a row', () => {
	it('is accepted when it agrees with the signer’s own keys', () => {
		expect(movementRefusal(sweep, 'Ethereum', OURS, HOT)).toBeNull();
		expect(movementRefusal(gas, 'Ethereum', OURS, HOT)).toBeNull();
	});

	it.each<[string, MovementRow, string]>([
		['a sweep to a stranger', { ...sweep, toAddress: STRANGER }, 'other-recipient'],
		['a sweep of another asset than it says', { ...sweep, asset: 'ETH' }, 'other-asset'],
		['a sweep of an address that is not at the index', { ...sweep, payInAddress: STRANGER }, 'pay-in-address-not-ours'],
		['a sweep on another network', { ...sweep, network: 'BSC' }, 'other-network'],
		[
			'a sweep of an asset of another network',
			{ ...sweep, sweepAsset: 'USDTBEP20', asset: 'USDTBEP20' },
			'other-network',
		],
		['gas to a stranger', { ...gas, toAddress: STRANGER }, 'other-recipient'],
		['gas to the hot wallet', { ...gas, toAddress: HOT }, 'other-recipient'],
		['gas in a token', { ...gas, asset: 'USDTERC20' }, 'other-asset'],
	])('refuses %s', (_, row, kind) => {
		const refusal = movementRefusal(row, 'Ethereum', OURS, HOT);
		expect(refusal).toEqual({ kind });
		expect(refusal && refusalPasses(refusal)).toBe('never');
	});

	it.each([
		['no address', { payInAddress: null }],
		['no index', { payInIndex: null }],
		['an index below zero', { payInIndex: -1 }],
		['an index that is no whole number', { payInIndex: 0.5 }],
		['an unknown asset', { sweepAsset: 'GOLD' }],
	])('with %s is not considered', (_, change) => {
		expect(isMovementRow({ ...sweep, ...change } as never)).toBe(false);
		expect(isMovementRow(sweep)).toBe(true);
	});

	it('is considered when it is gas or a sweep, also of the first address, and no other kind is', () => {
		const kinds = ['payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation'] as const;
		expect(kinds.filter((kind) => isMovementRow({ ...sweep, kind } as never))).toEqual(['gas', 'sweep']);
		expect(isMovementRow({ ...sweep, payInIndex: 0 })).toBe(true);
	});
});

describe('a sweep', () => {
	const claim = { txId: 'a', position: '0', address: OURS, asset: 'USDTERC20', amount: 100_000_000n } as const;
	/** 100 USDT, and 0.01 ETH at 2 000 USD. */
	const facts = {
		asset: 'USDTERC20',
		quote: { amount: 100_000_000n, fee: 10n ** 16n, gas: 0n },
		claims: [claim],
		isFree: false,
		usd: decimal('1'),
		nativeUsd: decimal('2000'),
	} as const;

	it('of a deposit that was paid out is signed when it is worth its cost', () => {
		expect(sweepRefusal(facts)).toBeNull();
	});
	it('of a deposit that was not paid out is refused: it would remove the proof', () => {
		expect(sweepRefusal({ ...facts, claims: [] })).toEqual({ kind: 'deposit-not-paid-yet' });
		const other = { ...claim, asset: 'DAIERC20' } as const;
		expect(sweepRefusal({ ...facts, claims: [other] })).toSatisfy(
			(refusal: SignerRefusal) => refusalPasses(refusal) === 'by-itself',
		);
	});
	it('of dust is refused: it would cost more than it brings', () => {
		const quote = { ...facts.quote, amount: 59_999_999n };
		expect(sweepRefusal({ ...facts, quote })).toEqual({ kind: 'sweep-not-worth-it' });
	});
	it.each([
		[3n, false],
		[1n, false],
		[0n, true],
	])('of three units that takes %d leaves too much: %s', (amount, isTooMuch) => {
		expect(leavesTooMuch(amount, { ...facts.quote, amount: 3n })).toBe(isTooMuch);
	});
	it('never costs more than it brings, whatever was quoted', () => {
		expect(costsTooMuch(20_000_000n, 10n ** 16n, facts)).toBe(false);
		expect(costsTooMuch(19_999_999n, 10n ** 16n, facts)).toBe(true);
	});
});

describe('gas', () => {
	const quote = { amount: 1n, fee: 1n, gas: 1_000n };
	it.each([
		['what is missing', 1_000n, quote, 0, null],
		['a quarter more', 1_250n, quote, 0, null],
		['more than a quarter above the need', 1_251n, quote, 0, 'gas-too-much'],
		['when none is missing', 1n, { ...quote, gas: 0n }, 0, 'gas-not-needed'],
		['one time more than a day allows', 1n, quote, GAS_PAYMENTS_PER_DAY, 'gas-too-often'],
	])('%s', (_, amount, asked, paidToday, kind) => {
		expect(gasRefusal(amount, asked, paidToday)?.kind ?? null).toBe(kind);
	});
});
