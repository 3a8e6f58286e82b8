/**
 * The least that an order may be worth at several base fees, on real EVM nodes (book: networks, "Minimums"): the book's
 * table, and what `price`, `create`, `limits` and the feed say.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allAssets, assetOf, nativeAsset } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import type { CostsOf } from '../../src/chains/port.ts';
import { decimal, divideUp, plain, roundUp } from '../../src/money/decimal.ts';
import { leastUsd } from '../../src/pricing/limits.ts';
import { usdValue } from '../../src/treasury/sweeps/rules.ts';
import { CUSTOMER, HOT, hexOf, startEthereum } from '../support/ethereum.ts';
import { feedItems } from '../support/feed.ts';
import { create, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually } from '../support/service.ts';
import { type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { call, callData, installTokens } from '../support/tokens.ts';

const GWEI = 10n ** 9n;
const BASE_FEES = [0.2, 1, 5, 20, 50] as const;
const NETWORKS = ['Ethereum', 'Arbitrum', 'Optimism', 'BSC', 'Avalanche', 'Polygon'] as const;
/** The sandbox's prices. */
const USD = { ETH: '3200', BNB: '900', POL: '0.25', AVAX: '20' } as const;
/** Basis points: the share of a minimum, the base fee, and the pair's own minimum in US dollars. */
const [SHARE, BASE_FEE, PAIR] = [200, 50, decimal('40')] as const;

const book = readFileSync(join(import.meta.dirname, '../../src/docs/book/networks.md'), 'utf8')
	.split('### Minimums')
	.slice(1)
	.flatMap((text) => text.split('\n').filter((line) => line.startsWith('| ')));
const larger = (one: typeof PAIR, other: typeof PAIR) => (one.gt(other) ? one : other);
const cents = (usd: typeof PAIR) => Number(plain(roundUp(usd, 2))).toFixed(2);

/** `anvil`'s head costs so much gas from now on. */
async function setBaseFee(anvil: SweptEthereum['anvil'], gwei: number): Promise<void> {
	await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf((GWEI * BigInt(gwei * 10)) / 10n));
	await anvil.mine(1);
}

/** As the book has it: the minimum before, the minimum now, and what the house loses on such an order. */
function cell(costUsd: typeof PAIR): string {
	const [before, now] = [BASE_FEE, SHARE].map((bps) => larger(PAIR, leastUsd(costUsd, bps)));
	if (!before || !now) throw new Error('no minimum');
	const loss = costUsd.minus(now.times(String(BASE_FEE)).times('0.0001'));
	const whole = (usd: typeof PAIR) => plain(roundUp(usd, 0));
	return `${whole(before)} → ${whole(now)}, ${cents(loss.gt('0') ? loss : decimal('0'))}`;
}

describe('the book’s table of minimums', () => {
	it.each(NETWORKS)('has the figures of %s', async (name) => {
		const { anvil, chain, stop } = await startEthereum(name);
		try {
			const native = assetOf(nativeAsset(name));
			const token = allAssets().find(({ network, coin }) => network === name && coin === 'USDC');
			const usd = decimal(USD[native.coin as keyof typeof USD]);
			await installTokens(anvil, name);
			await call(anvil, String(token?.contract), callData.mint(HOT, 10n));
			await anvil.mine(1);
			const rows = [native, token].flatMap((asset) => (asset ? [{ asset, cells: [] as string[] }] : []));
			for (const gwei of BASE_FEES) {
				await setBaseFee(anvil, gwei);
				const costs: CostsOf | null = await chain.costsNow().catch(() => null);
				for (const { asset, cells } of rows) {
					const cost = await costs?.(asset.code);
					cells.push(cost?.house ? cell(usdValue(cost.house.deposit, native.code, usd)) : '–');
				}
			}
			const lines = rows.map(({ asset, cells }) => {
				const named = asset === native ? `\`${native.code}\`` : `tokens of ${name}`;
				return `| ${named} | ${cells.join(' | ')} |`;
			});
			expect(book.filter((line) => lines.some((each) => each.startsWith(line.slice(0, line.indexOf('|', 2)))))).toEqual(
				lines,
			);
		} finally {
			await stop();
		}
	});
});

describe('the service', () => {
	let ethereum: SweptEthereum;
	let partner: Credentials;

	beforeAll(async () => {
		ethereum = await startSweptEthereum();
		partner = await createPartner(ethereum.service, { weightPerMinute: 1_000_000 });
	}, 120_000);

	afterAll(() => ethereum?.stop());

	const quoted = (amount: string) => ({ type: 'float', fromCcy: 'USDTERC20', toCcy: 'LTC', direction: 'from', amount });
	const priceMin = async () => {
		const { data } = await signed<{ from: { min: string } }>(ethereum.service, partner, '/api/v1/price', quoted('1'));
		return data?.from.min;
	};
	const created = (amount: string) =>
		create(ethereum.service, partner, { ...quoted(amount), toAddress: LTC_REFUND, refundAddress: CUSTOMER });
	const limitsMin = async () => {
		const { data } = await signed<{ from: string; to: string; fromMin: string }[]>(
			ethereum.service,
			partner,
			'/api/v1/limits',
			{},
		);
		return data?.find(({ from, to }) => from === 'USDTERC20' && to === 'LTC')?.fromMin;
	};
	const feedMin = async () => {
		const xml = await (await fetch(`${ethereum.service.url}/api/rates.xml`)).text();
		return feedItems(xml).find(({ from, to }) => from === 'USDTERC20' && to === 'LTC')?.frommin;
	};
	/** What moving a deposit costs is two percent of it, by this node. */
	async function leastNow(): Promise<string> {
		const { anvil, hot } = ethereum;
		const chain = evmChain(networkNamed('Ethereum'), { urls: [anvil.url], chain: 'regtest' }, hot);
		const { house } = await (await chain.costsNow())('USDTERC20');
		const usd = usdValue(house?.deposit ?? 0n, 'ETH', decimal(USD.ETH));
		return plain(divideUp(larger(PAIR, leastUsd(usd, SHARE)), decimal('1'), 6));
	}

	it.each(BASE_FEES)(
		'asks for the same in `price` and `create` at %d gwei, and takes an order of just that',
		async (gwei) => {
			await setBaseFee(ethereum.anvil, gwei);
			const least = await leastNow();
			await eventually('the price to follow', async () => (await priceMin()) === least, 60_000);
			expect((await created(least)).code).toBe(0);
			expect((await created(plain(decimal(least).minus('0.000001')))).code).toBe(7);
		},
	);

	it('says the same in `limits` and the feed, and follows the operator’s share', async () => {
		await setBaseFee(ethereum.anvil, 20);
		const least = await leastNow();
		await eventually('limits to follow', async () => (await limitsMin()) === least, 60_000);
		await eventually('the feed to follow', async () => (await feedMin()) === least, 60_000);
		await ethereum.service.operator('site/update', { sweepShareBps: 100 });
		const twice = plain(decimal(least).times('2'));
		await eventually('the price to follow', async () => Number(await priceMin()) >= Number(twice) - 0.000002, 30_000);
		expect((await created(least)).code).toBe(7);
	});
});
