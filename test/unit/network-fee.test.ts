/** The network fee of a payout, counted in the coin that is paid out. */
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { feeInAsset } from '../../src/pricing/network-fee.ts';
import { MAX_PRICE_AGE_SECONDS } from '../../src/pricing/prices.ts';
import { termsOf } from '../../src/pricing/quote.ts';
import { BARE_REPORT, marketOf, NOW } from '../support/rows.ts';

const market = marketOf({ usd: { ETH: '3200', USDT: '0.999', DAI: '1', BNB: '900', USDC: '3' } });

describe('a network fee', () => {
	it.each([
		// 0.00013 ETH are 0.416 USD.
		['ETH', 130_000_000_000_000n, 'DAIERC20', 416_000_000_000_000_000n],
		['ETH', 130_000_000_000_000n, 'USDTERC20', 416_417n],
		['BNB', 10_000_000_000_000n, 'USDTBEP20', 9_009_009_009_009_010n],
		['ETH', 1n, 'USDCERC20', 1n],
		['ETH', 0n, 'USDCERC20', 0n],
	] as const)('in %s of %s base units is, in %s, %s, rounded up', (paidIn, amount, asset, shown) => {
		expect(feeInAsset({ asset: paidIn, amount }, asset, market, NOW)).toBe(shown);
	});

	it('in the coin itself needs no price', () => {
		expect(feeInAsset({ asset: 'ETH', amount: 7n }, 'ETH', null, NOW)).toBe(7n);
	});

	it('is unknown while one of the two prices is too old or missing', () => {
		const late = NOW + MAX_PRICE_AGE_SECONDS * 1000 + 1;
		expect(feeInAsset({ asset: 'ETH', amount: 7n }, 'USDTERC20', market, late)).toBeNull();
		expect(feeInAsset({ asset: 'ETH', amount: 7n }, 'USDTERC20', null, NOW)).toBeNull();
		for (const coin of ['ETH', 'USDT']) {
			const { [coin]: _unpriced, ...prices } = market.prices;
			expect(feeInAsset({ asset: 'ETH', amount: 7n }, 'USDTERC20', { ...market, prices }, NOW)).toBeNull();
		}
	});

	it('that is unknown leaves the asset without a quote, never without a fee', () => {
		const fees = { baseFeeBps: 50, afftaxBps: 0 };
		const [from, to] = [assetOf('LTC'), assetOf('USDTERC20')];
		expect(termsOf(market, { from, to }, fees, NOW)).not.toBeNull();
		const networks = { ...market.networks, Ethereum: { ...BARE_REPORT, fees: { ETH: '1' } } };
		expect(termsOf({ ...market, networks }, { from, to }, fees, NOW)).toBeNull();
	});
});
