/**
 * The conversion of earnings to the payout asset, and the webhook about it (book: contract, "Partner earnings").
 */
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { convertEarnings, type Earned, sumsByAsset } from '../../src/treasury/earnings/conversion.ts';
import { paidOutEvent } from '../../src/webhooks/events/partner-paid-out.ts';
import { marketOf, NOW } from '../support/rows.ts';

const MARKET = marketOf({ usd: { LTC: '95', ETH: '3200', USDC: '0.9998' } });
const converted = (earned: readonly Earned[], to: 'LTC' | 'ETH' | 'USDCSOL') =>
	convertEarnings(earned, assetOf(to), MARKET.prices, NOW);

describe('conversion at the live rate', () => {
	it.each<[string, readonly Earned[], 'LTC' | 'ETH' | 'USDCSOL', bigint, number]>([
		['the payout asset itself is kept to the last unit', [{ asset: 'LTC', amount: 1n }], 'LTC', 1n, 0],
		['0.1 ETH is 3.36842105… LTC, rounded down', [{ asset: 'ETH', amount: 10n ** 17n }], 'LTC', 336842105n, 32_000],
		[
			'others are added up before they are rounded',
			[
				{ asset: 'ETH', amount: 10n ** 10n },
				{ asset: 'ETHARB', amount: 2n * 10n ** 10n },
				{ asset: 'LTC', amount: 100_000_000n },
			],
			'LTC',
			100_000_101n,
			9500,
		],
		['a stablecoin is not pinned to 1', [{ asset: 'LTC', amount: 10n ** 8n }], 'USDCSOL', 95_019_003n, 9500],
		['dust converts to zero', [{ asset: 'ETH', amount: 1n }], 'LTC', 0n, 0],
		['zero converts to zero', [], 'ETH', 0n, 0],
	])('%s', (_, earned, to, amount, usdCents) => {
		expect(converted(earned, to)).toEqual({ amount, usdCents });
	});

	it('says which price is too old to use', () => {
		const { prices: old } = marketOf({ pricedAt: NOW - 181_000 });
		expect(convertEarnings([{ asset: 'ETH', amount: 1n }], assetOf('LTC'), old, NOW)).toEqual({ unpriced: 'LTC' });
		const { LTC } = MARKET.prices;
		const onlyLtc = LTC ? { LTC } : {};
		expect(convertEarnings([{ asset: 'ETH', amount: 1n }], assetOf('LTC'), onlyLtc, NOW)).toEqual({ unpriced: 'ETH' });
	});

	it('adds up per asset', () => {
		const earned = [1n, 2n, 4n].map((amount, i) => ({ asset: i === 1 ? ('ETH' as const) : ('LTC' as const), amount }));
		expect(sumsByAsset(earned)).toEqual([
			{ asset: 'LTC', amount: 5n },
			{ asset: 'ETH', amount: 2n },
		]);
	});
});

describe('partner.paid_out', () => {
	it('has the fields that the book lists, and is about no order', () => {
		const data = {
			payoutId: 'payout',
			asset: 'LTC',
			network: 'Litecoin',
			amount: '1.5',
			usd: '142.50',
			address: 'an address',
			txId: 'a transaction',
			orderCount: 3,
		};
		const { body, ...row } = paidOutEvent({ id: 'event', partnerId: 'partner', ...data, now: NOW });
		expect(row).toEqual({
			id: 'event',
			partnerId: 'partner',
			type: 'partner.paid_out',
			state: 'due',
			nextAttemptAt: NOW,
			createdAt: NOW,
		});
		const createdAt = new Date(NOW).toISOString();
		expect(body).toBe(JSON.stringify({ id: 'event', type: 'partner.paid_out', createdAt, apiVersion: 'v1', data }));
	});
});
