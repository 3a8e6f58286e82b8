/** Until when a network, or one asset of it, counts as scanned for deposits. */
import { expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { isWatched, NETWORK_SILENCE_SECONDS } from '../../src/pricing/market.ts';
import { summaryOf, unseenAfter } from '../../src/treasury/deposits/unseen.ts';
import { BARE_REPORT, marketOf, NOW } from '../support/rows.ts';

const SILENCE = NETWORK_SILENCE_SECONDS * 1000;

it('a network takes orders for three minutes after its last successful poll, and no longer', () => {
	const isTaken = (age: number) => isWatched(marketOf({ heardAt: NOW - age }), assetOf('ETH'), NOW);
	expect([isTaken(0), isTaken(SILENCE), isTaken(SILENCE + 1)]).toEqual([true, true, false]);
});

it('an asset that cannot be read takes no orders after three minutes, while the others of its network do', () => {
	const market = marketOf();
	const report = market.networks.Ethereum ?? BARE_REPORT;
	const since = (at: number) => ({
		...market,
		networks: { ...market.networks, Ethereum: { ...report, unseenSince: { USDTERC20: at } } },
	});
	expect(isWatched(since(NOW - SILENCE), assetOf('USDTERC20'), NOW)).toBe(true);
	expect(isWatched(since(NOW - SILENCE - 1), assetOf('USDTERC20'), NOW)).toBe(false);
	expect(isWatched(since(NOW - SILENCE - 1), assetOf('ETH'), NOW)).toBe(true);
});

it('an asset is unseen since the last poll that read it, and is seen again at once', () => {
	const first = unseenAfter(['DAIERC20'], { at: 1_000, unseenSince: {} }, 2_000);
	expect(first).toEqual({ DAIERC20: 1_000 });
	expect(unseenAfter(['DAIERC20', 'ETH'], { at: 2_000, unseenSince: first }, 3_000)).toEqual({
		DAIERC20: 1_000,
		ETH: 2_000,
	});
	expect(unseenAfter([], { at: 3_000, unseenSince: first }, 4_000)).toEqual({});
	expect(unseenAfter(['ETH'], null, 5_000)).toEqual({ ETH: 5_000 });
});

it('the operator reads the number of anomalies and the first one', () => {
	expect(summaryOf(['one'])).toBe('one');
	expect(summaryOf(['one', 'two', 'three'])).toBe('3 anomalies, the first: one');
	expect(summaryOf(['x'.repeat(500), 'y']).length).toBe(250);
});
