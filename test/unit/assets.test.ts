/**
 * Assets, and the names that a caller may use for them (book: contract, "Assets"; book: networks, "Networks and
 * assets").
 */
import { describe, expect, it } from 'vitest';
import { ASSET_IDS, type AssetId, allAssets, assetOf } from '../../src/catalog/assets.ts';
import { chainNameOf } from '../../src/catalog/chain-names.ts';
import { NOT_RAISED } from '../../src/catalog/confirmations.ts';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { activePairs, isPairActive, receivedAssets, resolveAsset } from '../../src/catalog/settings.ts';
import { settingsOf } from '../support/rows.ts';

/** Asset id, coin, network, decimals: the native coins (book: networks, "Networks and assets"). */
const NATIVES = [
	['BTC', 'BTC', 'Bitcoin', 8],
	['ETH', 'ETH', 'Ethereum', 18],
	['BNB', 'BNB', 'BSC', 18],
	['LTC', 'LTC', 'Litecoin', 8],
	['ETHARB', 'ETH', 'Arbitrum', 18],
	['POL', 'POL', 'Polygon', 18],
	['AVAX', 'AVAX', 'Avalanche', 18],
	['DASH', 'DASH', 'Dash', 8],
	['ETHOP', 'ETH', 'Optimism', 18],
] as const;

describe('the catalog', () => {
	it.each(NATIVES)('%s is %s on %s with %i decimals', (code, coin, network, decimals) => {
		expect(assetOf(code)).toMatchObject({ code, coin, network, decimals });
	});

	it('precision is the asset’s decimals, at most 8', () => {
		for (const { precision, decimals } of allAssets()) expect(precision).toBe(Math.min(decimals, 8));
	});

	it('every asset is on a known network, and every network has an asset', () => {
		expect([...new Set(allAssets().map(({ network }) => network))].sort()).toEqual([...NETWORK_NAMES].sort());
	});

	it('an asset has one CAIP-19 name, by which it is found; those of EVM chains in either case', () => {
		const names = allAssets().map(chainNameOf);
		expect(new Set(names).size).toBe(names.length);
		const form = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;
		for (const asset of allAssets()) {
			const name = chainNameOf(asset);
			expect(name).toMatch(form);
			expect(resolveAsset(name, undefined)).toBe(asset);
			const isEvm = name.startsWith('eip155:');
			const changed = isEvm ? name.toLowerCase() : name.replace(/[a-z0-9]$/i, (last) => (last === '1' ? '2' : '1'));
			expect(resolveAsset(changed, undefined)?.code).toBe(isEvm ? asset.code : undefined);
		}
	});

	it.each<[code: AssetId, name: string]>([
		['BTC', 'bip122:000000000019d6689c085ae165831e93/slip44:0'],
		['ETH', 'eip155:1/slip44:60'],
		['BNB', 'eip155:56/slip44:714'],
		['AVAX', 'eip155:43114/slip44:9005'],
		['SOL', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501'],
		['USDCSOL', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
		['USDTTRC20', 'tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
		['XMR', 'monero:418015bb9ae982a1975da7d79277c270/slip44:128'],
	])('%s is %s', (code, name) => {
		expect(chainNameOf(assetOf(code))).toBe(name);
	});

	it('an asset id stands for one asset', () => {
		expect(new Set(ASSET_IDS).size).toBe(ASSET_IDS.length);
	});
});

describe('fromCcy and toCcy', () => {
	it.each([
		['an exact id', 'LTC', undefined, 'LTC'],
		['an exact id with a suffix', 'ETHARB', undefined, 'ETHARB'],
		['an id that is also a coin of several networks is the id', 'ETH', undefined, 'ETH'],
		['an exact id and its own network', 'ETHARB', 'Arbitrum', 'ETHARB'],
		['hints are matched without regard to case', 'ETHARB', 'aRBITRUM', 'ETHARB'],
		['hints are matched without regard to case', 'ETH', 'ETHEREUM', 'ETH'],
	])('%s: %s on %s is %s', (_, text, hint, code) => {
		expect(resolveAsset(text, hint)?.code).toBe(code);
	});

	it.each([
		['unknown', 'DOGE', undefined],
		['empty', '', undefined],
		['another case', 'ltc', undefined],
		['with blanks', ' LTC', undefined],
		['a network is no asset', 'Litecoin', undefined],
		['a hint that contradicts an exact id', 'LTC', 'Bitcoin'],
		['a hint that contradicts an exact id, though the coin is there as well', 'ETH', 'Arbitrum'],
		['an unknown network', 'LTC', 'Mars'],
		['an empty hint', 'LTC', ''],
		['a name that every object has', 'constructor', undefined],
		['a name that every object has', '__proto__', undefined],
		['a network name that every object has', 'LTC', 'toString'],
	])('%s: %s on %s is no asset', (_, text, hint) => {
		expect(resolveAsset(text, hint)).toBeNull();
	});
});

describe('which pairs are offered', () => {
	const active = (from: AssetId, to: AssetId, more = {}): boolean =>
		isPairActive(settingsOf(more), assetOf(from), assetOf(to));

	it('by default every asset for every other, and never for itself', () => {
		const pairs = activePairs(settingsOf()).map(([from, to]) => `${from.code}>${to.code}`);
		expect(new Set(pairs).size).toBe(ASSET_IDS.length * (ASSET_IDS.length - 1));
		for (const code of ASSET_IDS) expect(pairs).not.toContain(`${code}>${code}`);
	});

	it.each([
		['deactivated source asset', { inactiveAssets: ['LTC'] }, false, false],
		['deactivated destination asset', { inactiveAssets: ['ETH'] }, false, false],
		[
			'deposits of the source network stopped',
			{ networks: { Litecoin: { send: true, receive: false, ...NOT_RAISED } } },
			false,
			true,
		],
		[
			'payouts of the source network stopped',
			{ networks: { Litecoin: { send: false, receive: true, ...NOT_RAISED } } },
			true,
			false,
		],
		[
			'deposits of the destination network stopped',
			{ networks: { Ethereum: { send: true, receive: false, ...NOT_RAISED } } },
			true,
			false,
		],
		[
			'payouts of the destination network stopped',
			{ networks: { Ethereum: { send: false, receive: true, ...NOT_RAISED } } },
			false,
			true,
		],
		['this pair stopped', { pairs: { 'LTC>ETH': { active: false, minUsd: 40, maxUsd: 50 } } }, false, true],
		['a network that this deployment does not run', { offered: ['Litecoin', 'Bitcoin'] }, false, false],
		['another asset deactivated', { inactiveAssets: ['BTC'] }, true, true],
	])('%s: LTC to ETH %s, back %s', (_, more, there, back) => {
		expect(active('LTC', 'ETH', more)).toBe(there);
		expect(active('ETH', 'LTC', more)).toBe(back);
	});

	it('pairs whose from-asset or to-asset is deactivated are left out of the list', () => {
		const pairs = activePairs(settingsOf({ inactiveAssets: ['LTC'] }));
		expect(pairs.flat().some(({ code }) => code === 'LTC')).toBe(false);
		expect(pairs).toHaveLength((ASSET_IDS.length - 1) * (ASSET_IDS.length - 2));
	});

	it('the list of assets holds what is accepted as deposit', () => {
		const settings = settingsOf({
			inactiveAssets: ['LTC'],
			networks: { Dash: { send: true, receive: false, ...NOT_RAISED } },
		});
		expect(receivedAssets(settings).map(({ code }) => code)).toEqual(
			ASSET_IDS.filter((code) => code !== 'LTC' && code !== 'DASH'),
		);
	});
});
