/**
 * What the signer decides about earnings: how much an order's payout earns its partner, and whether a payout of earnings
 * is owed, and to this address. Each refusal is one forgery.
 */
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { decimal } from '../../src/money/decimal.ts';
import { sealEarned, sealPayoutAddress } from '../../src/orders/seal.ts';
import type { EarningsClaim } from '../../src/signer/earnings/claim.ts';
import {
	earnedWith,
	isEarnedSealed,
	ordersRefusal,
	recipientRefusal,
	valued,
} from '../../src/signer/earnings/judge.ts';
import type { EarnedByOrder } from '../../src/signer/journal/earnings.ts';
import { type Claim, isAboveValue } from '../../src/signer/payouts/judge.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';
import { marketOf, NOW, orderRow } from '../support/rows.ts';

const KEYS = keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY');
const DAY = 24 * 3_600_000;
const PARTNER = 'a partner';

describe('an order’s payout earns its partner', () => {
	const order = orderRow({ partnerId: PARTNER, fromAsset: 'LTC', toAsset: 'ETH', baseFeeBps: 50, afftaxBps: 100 });
	/** 2 LTC at 100 USD buy 0.1 ETH at 2 000 USD; 1 % of that is 0.001 ETH. */
	const SHARE = 10n ** 15n;
	const claimOf = (booked: bigint, amount: bigint, kind = 'payout') =>
		({
			payout: { kind, amount: amount.toString() },
			order,
			deposits: [],
			afftaxEntry: (-booked).toString(),
		}) as unknown as Claim;
	const usd = { fromUsd: decimal('100'), toUsd: decimal('2000') };
	const earned = (
		booked: bigint,
		{ toleranceBps = 0, kind = 'payout', received = 200_000_000n, amount = 1n, feeUsd = '0', isSealed = false } = {},
	) =>
		earnedWith(claimOf(booked, amount, kind), { ...usd, received, feeUsd: decimal(feeUsd), toleranceBps, isSealed })
			?.amount ?? null;

	it('what the books say', () => {
		const proven = { ...usd, received: 200_000_000n, feeUsd: decimal('0'), toleranceBps: 0, isSealed: false };
		const amount = SHARE - 1n;
		expect(earnedWith(claimOf(amount, 1n), proven)).toEqual({
			orderId: order.id,
			partnerId: PARTNER,
			asset: 'ETH',
			amount,
		});
	});

	it.each<[string, bigint, Parameters<typeof earned>[1], bigint | null]>([
		['at most the sealed share', SHARE + 1n, {}, SHARE],
		['at most the sealed share and the tolerance', 2n * SHARE, { toleranceBps: 300 }, (SHARE * 103n) / 100n],
		['at most twice the share where the payout’s rounding is all', SHARE, { received: 1n }, 10_000_000n],
		['a single unit', 1n, {}, 1n],
		['nothing where the books say nothing', 0n, {}, null],
		['nothing where the books would take something back', -1n, {}, null],
		['nothing with a refund', SHARE, { kind: 'refund' }, null],
		['what the books say, where it is sealed', 2n * SHARE, { isSealed: true }, 2n * SHARE],
		['at most twice the share, sealed or not', 2n * SHARE + 1n, { isSealed: true }, 2n * SHARE],
		['at most that and the tolerance', 3n * SHARE, { isSealed: true, toleranceBps: 200 }, (SHARE * 204n) / 100n],
		['nothing with a sealed refund', SHARE, { isSealed: true, kind: 'refund' }, null],
	])('%s', (_, booked, more, amount) => {
		expect(earned(booked, more)).toBe(amount);
	});

	describe('at a rate 3 % above the signer’s, with a network fee of 3 %', () => {
		/** 0.103 ETH at the books' rate, less 1.5 % of margins and 0.003 ETH: 6 USD. */
		const paid = { toleranceBps: 200, amount: 98_455_000n * 10n ** 9n, feeUsd: '6' };
		const BOOKED = (SHARE * 103n) / 100n;

		it('the booked share, which the payout of earnings may then pay', () => {
			expect(
				isAboveValue(claimOf(BOOKED, paid.amount), 200_000_000n, { fromUsd: usd.fromUsd, toUsd: usd.toUsd }, 200),
			).toBe(false);
			expect(earned(BOOKED, paid)).toBe(BOOKED);
			const payout = { asset: 'ETH', amount: BOOKED.toString() };
			const { prices } = marketOf({ usd: { ETH: '2000', LTC: '100' } });
			const claim = { payout } as unknown as EarningsClaim;
			expect(
				valued(claim, [earnedBy('a', { amount: earned(BOOKED, paid) ?? 0n })], prices, { toleranceBps: 200, now: NOW }),
			).toEqual({ usdCents: 206 });
		});

		it.each<[string, Parameters<typeof earned>[1], bigint]>([
			// (0.098455 + twice 0.003 + 2 units of the precision) of 98.5 %, and 1 % of that.
			['and the share of one network fee more, whatever the books say', {}, 1_060_457_055_837_563n],
			['the tolerance where the fee is small', { feeUsd: '0' }, (SHARE * 102n) / 100n],
			['twice that where the fee is all', { feeUsd: '1000' }, (SHARE * 204n) / 100n],
		])('%s', (_, more, most) => {
			expect(earned(5n * SHARE, { ...paid, ...more })).toBe(most);
		});
	});
});

describe('the seal of what is earned', () => {
	const terms = { payoutId: 'a payout', orderId: 'an order', afftax: 5n, plannedAt: NOW };
	const sealed = async (more: { payout?: object; order?: object; afftaxEntry?: string }) => {
		const payout = { id: 'a payout', plannedAt: NOW, earnedSeal: await sealEarned(KEYS, terms), ...more.payout };
		const claim = { payout, order: { id: 'an order', ...more.order }, afftaxEntry: more.afftaxEntry ?? '-5' };
		return isEarnedSealed(claim as unknown as Claim, KEYS);
	};

	it('holds for the entry that it was made with', async () => {
		expect(await sealed({})).toBe(true);
	});

	it.each([
		['another entry', { afftaxEntry: '-6' }],
		['another payout', { payout: { id: 'another' } }],
		['another order', { order: { id: 'another' } }],
		['a payment of an earlier journal, which has none', { payout: { earnedSeal: null } }],
	])('does not hold for %s', async (_, forged) => {
		expect(await sealed(forged)).toBe(false);
	});
});

describe('the address', () => {
	const CHANGED_AT = NOW - DAY;
	const terms = { partnerId: PARTNER, asset: 'ETH', address: '0xpartner', changedAt: CHANGED_AT };
	const payout = { asset: 'ETH', network: 'Ethereum', toAddress: '0xpartner' };

	interface Forged {
		readonly payout?: object;
		readonly paidTo?: object;
		/** Unix milliseconds. */
		readonly now?: number;
	}

	async function refusalOf({ payout: row, paidTo, now = NOW }: Forged): Promise<string | null> {
		const claim = {
			payout: { ...payout, ...row },
			paidTo: {
				partnerId: PARTNER,
				payoutAsset: 'ETH',
				payoutAddress: '0xpartner',
				payoutAddressChangedAt: CHANGED_AT,
				payoutSeal: await sealPayoutAddress(KEYS, terms),
				...paidTo,
			},
			orderIds: [],
		};
		return (await recipientRefusal(claim as unknown as EarningsClaim, KEYS, now))?.kind ?? null;
	}

	it('that the partner set a day ago is paid', async () => {
		expect(await refusalOf({})).toBeNull();
	});

	it('that was set less than a day ago waits', async () => {
		expect(await refusalOf({ now: NOW - 1 })).toBe('payout-address-too-new');
	});

	it.each<[string, Forged, string]>([
		['without an asset', { paidTo: { payoutAsset: null } }, 'payout-address-not-sealed'],
		['that is none', { paidTo: { payoutAddress: null } }, 'payout-address-not-sealed'],
		['without the time of its change', { paidTo: { payoutAddressChangedAt: null } }, 'payout-address-not-sealed'],
		['without a seal', { paidTo: { payoutSeal: null } }, 'payout-address-not-sealed'],
		['that was changed in D1', { paidTo: { payoutAddress: '0xthief' } }, 'payout-address-not-sealed'],
		['that is made to look older', { paidTo: { payoutAddressChangedAt: 0 } }, 'payout-address-not-sealed'],
		['of another partner', { paidTo: { partnerId: 'a thief' } }, 'payout-address-not-sealed'],
		['for another asset', { payout: { asset: 'USDCERC20' } }, 'other-asset-than-partner'],
		['on another network', { payout: { network: 'BSC' } }, 'other-asset-than-partner'],
		['that is not the partner’s', { payout: { toAddress: '0xthief' } }, 'other-recipient-than-partner'],
	])('%s is refused', async (_, forged, kind) => {
		expect(await refusalOf(forged)).toBe(kind);
	});
});

const earnedBy = (orderId: string, more: Partial<EarnedByOrder> = {}): EarnedByOrder => ({
	orderId,
	partnerId: PARTNER,
	asset: 'ETH',
	amount: 10n ** 15n,
	...more,
});

describe('the orders', () => {
	const refusalOf = (orderIds: readonly string[], earned: readonly EarnedByOrder[]) =>
		ordersRefusal({ paidTo: { partnerId: PARTNER }, orderIds } as unknown as EarningsClaim, earned)?.kind ?? null;
	const many = (count: number) => Array.from({ length: count }, (_, i) => `order ${i}`);

	it.each<[string, readonly string[], readonly EarnedByOrder[], string | null]>([
		['that all earned this partner something are paid', ['a', 'b'], [earnedBy('a'), earnedBy('b')], null],
		['that are as many as one payout may have are paid', many(10_000), many(10_000).map((id) => earnedBy(id)), null],
		['that are more are refused', many(10_001), many(10_001).map((id) => earnedBy(id)), 'no-orders'],
		['that are none are refused', [], [], 'no-orders'],
		['of which one was never paid out are refused', ['a', 'b'], [earnedBy('a')], 'order-without-earnings'],
		[
			'of which one is another partner’s are refused',
			['a', 'b'],
			[earnedBy('a'), earnedBy('b', { partnerId: 'another' })],
			'earnings-of-other-partner',
		],
	])('%s', (_, orderIds, earned, kind) => {
		expect(refusalOf(orderIds, earned)).toBe(kind);
	});
});

describe('the amount', () => {
	const { prices } = marketOf({ usd: { ETH: '2000', LTC: '100' } });
	const value = (amount: bigint, earned: readonly EarnedByOrder[], toleranceBps = 0, at = NOW) =>
		valued({ payout: { asset: 'ETH', amount: amount.toString() } as TransactionRow } as EarningsClaim, earned, prices, {
			toleranceBps,
			now: at,
		});
	/** 0.001 ETH, and 0.02 LTC, which are worth as much. */
	const MILLI = 10n ** 15n;
	const inEth = earnedBy('a');
	const inLtc = earnedBy('b', { asset: 'LTC', amount: 2_000_000n });

	it('is worth what was earned, at the signer’s own prices', () => {
		expect(value(2n * MILLI, [inEth, inLtc])).toEqual({ usdCents: 400 });
	});

	it.each<[string, bigint, readonly EarnedByOrder[], number, boolean]>([
		['what was earned in the asset itself is paid to the last unit', MILLI, [inEth], 300, true],
		['no tolerance applies to it', MILLI + 1n, [inEth], 300, false],
		['what was converted may have been worth a little more', (MILLI * 103n) / 100n, [inLtc], 300, true],
		['but not more than the tolerance', (MILLI * 103n) / 100n + 1n, [inLtc], 300, false],
		['only the converted part has a tolerance', MILLI + (MILLI * 103n) / 100n, [inEth, inLtc], 300, true],
		['of both together too', MILLI + (MILLI * 103n) / 100n + 1n, [inEth, inLtc], 300, false],
	])('%s', (_, amount, earned, toleranceBps, isPaid) => {
		const worth = value(amount, earned, toleranceBps);
		expect('usdCents' in worth || worth.kind).toBe(isPaid || 'above-earnings');
	});

	it.each<[string, bigint, readonly EarnedByOrder[], boolean]>([
		['one unit less than was earned in the asset itself is refused', MILLI - 1n, [inEth], false],
		['what was converted may have been worth a little less', (MILLI * 97n) / 100n, [inLtc], true],
		['but not less than the tolerance', (MILLI * 97n) / 100n - 1n, [inLtc], false],
		['both together, less the tolerance of the converted part, are paid', (MILLI * 197n) / 100n, [inEth, inLtc], true],
		['both together, less one unit more, are refused', (MILLI * 197n) / 100n - 1n, [inEth, inLtc], false],
	])('%s', (_, amount, earned, isPaid) => {
		const worth = value(amount, earned, 300);
		expect('usdCents' in worth || worth.kind).toBe(isPaid || 'below-earnings');
	});

	it('of earnings without a fresh price waits', () => {
		expect(value(MILLI, [inLtc], 0, NOW + 3_600_000)).toEqual({ kind: 'no-fresh-price' });
	});
});
