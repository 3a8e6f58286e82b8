/** The maximum worth of an order (`pricing/bounds.ts`): never above the signer's daily cap. */
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { plain } from '../../src/money/decimal.ts';
import { settle } from '../../src/orders/settlement.ts';
import { maxUsdOf } from '../../src/pricing/bounds.ts';
import { termsOf } from '../../src/pricing/quote.ts';
import { marketOf, NOW, orderRow } from '../support/rows.ts';

const [LTC, ETH] = [assetOf('LTC'), assetOf('ETH')];

describe('the most that an order may be worth', () => {
	it.each([
		['the pair’s bound, where the signer has not said its cap', null, '50000'],
		['the pair’s bound, where the signer may sign far more', 1_000_000, '50000'],
		['4 % below the signer’s cap, where that is less', 300, '288'],
		['nothing, where the signer signs nothing', 0, '0'],
	])('is %s', (_, payoutCapUsd, most) => {
		expect(plain(maxUsdOf(marketOf({ payoutCapUsd }), LTC, ETH))).toBe(most);
	});

	it('is the maximum in quotes', () => {
		const max = (payoutCapUsd: number) =>
			termsOf(marketOf({ payoutCapUsd }), { from: LTC, to: ETH }, { baseFeeBps: 50, afftaxBps: 0 }, NOW)?.shown.from
				.max;
		expect([max(300), max(1_000_000)]).toEqual(['2.88', '500']);
	});

	it('is within the signer’s cap when it is paid in, also after a price rise of 2 %', () => {
		const order = orderRow({ fromAmount: '2.88' });
		const bought = (usd: string) =>
			settle(order, 288_000_000n, marketOf({ payoutCapUsd: 300, usd: { LTC: usd } }), NOW)?.beyondSigner;
		expect([bought('100'), bought('102'), bought('103')]).toEqual([false, false, true]);
	});
});
