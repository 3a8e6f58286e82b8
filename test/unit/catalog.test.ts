/**
 * The catalog's rows, the names of assets, and what is offered on which networks (book: contract, "Assets"; book:
 * networks, "Networks and assets").
 */
import { describe, expect, it } from 'vitest';
import { ASSET_IDS, allAssets, assetOf, isNative, nativeAsset } from '../../src/catalog/assets.ts';
import { NETWORK_NAMES, NETWORKS, networkNamed } from '../../src/catalog/networks.ts';
import { activePairs, resolveAsset } from '../../src/catalog/settings.ts';
import {
	type ChainConfiguration,
	hasSandbox,
	networkMode,
	offeredAssets,
	usesSandboxPrices,
	worldConflicts,
} from '../../src/chains/configuration.ts';
import { isEvmAddress } from '../../src/chains/evm/address.ts';
import { evmParams } from '../../src/chains/evm/params.ts';
import { isSolanaAddress } from '../../src/chains/solana/address.ts';
import { isTronAddress } from '../../src/chains/tron/address.ts';
import { settingsOf } from '../support/rows.ts';

const SUFFIXES = {
	ERC20: 'Ethereum',
	BEP20: 'BSC',
	SOL: 'Solana',
	TRC20: 'Tron',
	ARB: 'Arbitrum',
	POL: 'Polygon',
	AVAX: 'Avalanche',
	OP: 'Optimism',
} as const;

const tokens = allAssets().filter((asset) => !isNative(asset));

describe('assets', () => {
	it('are 12 native coins, one for each network, then 8 USDT, 7 USDC and 6 DAI', () => {
		expect(ASSET_IDS).toHaveLength(33);
		expect(allAssets().slice(0, 12).every(isNative)).toBe(true);
		expect(NETWORK_NAMES.map(nativeAsset).toSorted()).toEqual(ASSET_IDS.slice(0, 12).toSorted());
		const ofCoin = (coin: string) => tokens.filter((asset) => asset.coin === coin).length;
		expect([ofCoin('USDT'), ofCoin('USDC'), ofCoin('DAI'), tokens.length]).toEqual([8, 7, 6, 21]);
	});

	it.each(tokens)("$code is a coin and its network's suffix", ({ code, coin, network }) => {
		const suffix = Object.entries(SUFFIXES).find(([, name]) => name === network)?.[0];
		expect(code).toBe(`${coin}${suffix}`);
	});

	it.each(tokens)("$code has a contract that its network's own rule accepts", ({ network, contract = '' }) => {
		const { family } = networkNamed(network);
		if (family === 'evm') expect(isEvmAddress(contract) && /[a-f]/.test(contract) && /[A-F]/.test(contract)).toBe(true);
		else expect(family === 'tron' ? isTronAddress(contract) : isSolanaAddress(contract)).toBe(true);
	});

	it('no two tokens of one network share a contract', () => {
		const places = tokens.map(({ network, contract }) => `${network} ${contract}`);
		expect(new Set(places).size).toBe(places.length);
	});

	it('count in the decimals of their contracts, 18 for those of BSC; precision is at most 8', () => {
		const decimalsOf = (coin: string) =>
			Object.fromEntries(
				tokens.filter((asset) => asset.coin === coin).map(({ network, decimals }) => [network, decimals]),
			);
		const six = { Ethereum: 6, BSC: 18, Arbitrum: 6, Polygon: 6, Avalanche: 6, Optimism: 6, Solana: 6 };
		expect(decimalsOf('USDC')).toEqual(six);
		expect(decimalsOf('USDT')).toEqual({ ...six, Tron: 6 });
		expect(Object.values(decimalsOf('DAI'))).toEqual([18, 18, 18, 18, 18, 18]);
		for (const { decimals, precision } of allAssets()) expect(precision).toBe(Math.min(decimals, 8));
	});

	it('the coin that pays for gas is the native one', () => {
		for (const network of Object.values(NETWORKS).filter((each) => each.family === 'evm'))
			expect(evmParams(network, 'main').native).toBe(nativeAsset(network.name));
	});
});

describe('naming an asset', () => {
	it.each([
		['USDT', undefined, null],
		['USDT', 'Tron', 'USDTTRC20'],
		['USDT', 'tRoN', 'USDTTRC20'],
		['USDC', 'ARBITRUM', 'USDCARB'],
		['USDC', 'Tron', null],
		['DAI', 'Litecoin', null],
		['DAI', 'nowhere', null],
		['SOL', undefined, 'SOL'],
		['SOL', 'Solana', 'SOL'],
		['ETH', undefined, 'ETH'],
		['ETH', 'Ethereum', 'ETH'],
		['ETH', 'Arbitrum', null],
		['ETHARB', 'arbitrum', 'ETHARB'],
		['USDTTRC20', undefined, 'USDTTRC20'],
		['USDTTRC20', 'tron', 'USDTTRC20'],
		['USDTTRC20', 'Ethereum', null],
		['usdttrc20', undefined, null],
		['', undefined, null],
	])('%s with the hint %s is %s', (text, hint, code) => {
		expect(resolveAsset(text, hint)?.code ?? null).toBe(code);
	});
});

describe('what is offered', () => {
	it('on the sandbox: every asset and every pair', () => {
		const offered = offeredAssets({ SANDBOX: 'on' });
		expect(offered).toEqual(ASSET_IDS);
		expect(activePairs(settingsOf({ offered }))).toHaveLength(33 * 32);
	});

	it('without sandbox and nodes: nothing', () => {
		expect(offeredAssets({})).toEqual([]);
	});

	it('on nodes of a test chain: all assets of the network; the other networks stay on the sandbox', () => {
		const mixed: ChainConfiguration = {
			SANDBOX: 'on',
			NODE_URL_ETHEREUM: 'https://node.test',
			NODE_CHAIN_ETHEREUM: 'regtest',
		};
		const onEthereum = offeredAssets(mixed).filter((code) => assetOf(code).network === 'Ethereum');
		expect(onEthereum).toEqual(['ETH', 'USDTERC20', 'USDCERC20', 'DAIERC20']);
		expect(offeredAssets(mixed)).toHaveLength(33);
	});

	it('on nodes of a main chain: only networks on main chains', () => {
		expect(offeredAssets({ NODE_URL_BITCOIN: 'https://node.test', NODE_URL_BSC: 'https://node.test' })).toEqual([
			'BTC',
			'BNB',
			'USDTBEP20',
			'USDCBEP20',
			'DAIBEP20',
		]);
		expect(offeredAssets({ NODE_URL_TRON: 'https://node.test' })).toEqual(['TRX', 'USDTTRC20']);
	});

	const NODE = 'https://node.test';
	const worlds: [string, ChainConfiguration, boolean, boolean, string[]][] = [
		['the sandbox alone', { SANDBOX: 'on' }, true, true, []],
		['the sandbox at public prices', { SANDBOX: 'on', PRICES: 'public' }, true, false, []],
		[
			'a test chain and the sandbox',
			{ SANDBOX: 'on', NODE_URL_DASH: NODE, NODE_CHAIN_DASH: 'regtest' },
			true,
			true,
			[],
		],
		['a main chain alone', { NODE_URL_DASH: NODE }, false, false, []],
		[
			'a main chain and the sandbox, whatever PRICES says',
			{ SANDBOX: 'on', PRICES: 'sandbox', NODE_URL_DASH: NODE },
			...([false, false] as const),
			['there is no sandbox while Dash is on nodes of a main chain: unset SANDBOX'],
		],
		[
			'a main chain and a test chain',
			{ NODE_URL_DASH: NODE, NODE_URL_TRON: NODE, NODE_CHAIN_TRON: 'regtest' },
			...([false, false] as const),
			['Tron is on a test chain while Dash is on nodes of a main chain: unset NODE_URL_TRON'],
		],
	];
	it.each(worlds)(
		'%s: sandbox, its prices, and which settings contradict each other',
		(_, configuration, sandbox, table, why) => {
			expect([hasSandbox(configuration), usesSandboxPrices(configuration)]).toEqual([sandbox, table]);
			expect(worldConflicts(configuration)).toEqual(why);
			const dash = configuration.NODE_URL_DASH && !configuration.NODE_CHAIN_DASH;
			expect(networkMode(configuration, 'Tron')).toEqual(
				dash ? null : { on: 'sandbox', pollSeconds: 2, idleSeconds: 60 },
			);
		},
	);

	it('an invalid poll time or an unknown chain is an error that names the variable', () => {
		const pace: ChainConfiguration = { NODE_URL_MONERO: 'https://node.test', NODE_POLL_SECONDS_MONERO: '0.5' };
		expect(() => networkMode(pace, 'Monero')).toThrow('NODE_POLL_SECONDS_MONERO');
		const sandbox: ChainConfiguration = { SANDBOX: 'on', NODE_POLL_SECONDS_DASH: '5', NODE_POLL_SECONDS_TRON: 'often' };
		expect(networkMode(sandbox, 'Dash')).toEqual({ on: 'sandbox', pollSeconds: 5, idleSeconds: 60 });
		expect(() => networkMode(sandbox, 'Tron')).toThrow('NODE_POLL_SECONDS_TRON');
		const chain: ChainConfiguration = { NODE_URL_MONERO: 'https://node.test', NODE_CHAIN_MONERO: 'testnet' };
		expect(() => networkMode(chain, 'Monero')).toThrow('NODE_CHAIN_MONERO');
		// It stops that network alone.
		expect(offeredAssets({ ...chain, NODE_URL_DASH: 'https://node.test' })).toEqual(['DASH']);
	});
});
