/** The confirmations until a deposit is final: the book's table, row by row (book: networks, "Confirmations"). */
import { describe, expect, it } from 'vitest';
import { NETWORK_NAMES, type NetworkName } from '../../src/catalog/networks.ts';
import { deepestConfirmations, isFinal } from '../../src/chains/finality.ts';

const USD = 100;
const depth = (confirmations: number, irreversible: boolean) => ({
	confirmations,
	irreversible,
	height: confirmations === 0 ? null : 1_000_000,
});

interface Row {
	readonly usdCents: number | null;
	readonly irreversible: boolean;
	/** The fewest confirmations that are enough; null: never enough. */
	readonly needed: number | null;
}

const TABLE: Readonly<Record<NetworkName, readonly Row[]>> = {
	Bitcoin: [
		{ usdCents: 4_999_99, irreversible: false, needed: 2 },
		{ usdCents: 5_000 * USD, irreversible: false, needed: 2 },
		{ usdCents: 5_000_01, irreversible: false, needed: 3 },
		{ usdCents: null, irreversible: false, needed: 3 },
	],
	Litecoin: [
		{ usdCents: 1, irreversible: false, needed: 6 },
		{ usdCents: null, irreversible: false, needed: 6 },
	],
	Dash: [
		{ usdCents: 1, irreversible: true, needed: 2 },
		{ usdCents: 1, irreversible: false, needed: 6 },
		{ usdCents: null, irreversible: true, needed: 2 },
	],
	Ethereum: [
		{ usdCents: 24_999_99, irreversible: false, needed: 12 },
		{ usdCents: 25_000 * USD, irreversible: false, needed: 12 },
		{ usdCents: 25_000_01, irreversible: false, needed: null },
		{ usdCents: 25_000_01, irreversible: true, needed: 12 },
		{ usdCents: null, irreversible: false, needed: null },
	],
	BSC: [
		{ usdCents: 1, irreversible: true, needed: 15 },
		{ usdCents: 1, irreversible: false, needed: null },
	],
	Polygon: [
		{ usdCents: 1, irreversible: true, needed: 30 },
		{ usdCents: 1, irreversible: false, needed: null },
	],
	Arbitrum: [
		{ usdCents: 25_000 * USD, irreversible: false, needed: 240 },
		{ usdCents: 25_000_01, irreversible: false, needed: null },
		{ usdCents: 25_000_01, irreversible: true, needed: 240 },
	],
	Optimism: [
		{ usdCents: 25_000 * USD, irreversible: false, needed: 30 },
		{ usdCents: 25_000_01, irreversible: false, needed: null },
		{ usdCents: 25_000_01, irreversible: true, needed: 30 },
	],
	Avalanche: [
		{ usdCents: 1, irreversible: false, needed: 12 },
		{ usdCents: null, irreversible: false, needed: 12 },
	],
	Solana: [
		{ usdCents: 1, irreversible: true, needed: 1 },
		{ usdCents: 1, irreversible: false, needed: null },
		{ usdCents: null, irreversible: true, needed: 1 },
	],
	Tron: [
		{ usdCents: 1, irreversible: true, needed: 19 },
		{ usdCents: 1, irreversible: false, needed: null },
		{ usdCents: null, irreversible: true, needed: 19 },
	],
	Monero: [
		{ usdCents: 1, irreversible: false, needed: 10 },
		{ usdCents: null, irreversible: false, needed: 10 },
	],
};

const ROWS = NETWORK_NAMES.flatMap((network) => TABLE[network].map((row) => ({ network, ...row })));

describe('confirmations needed', () => {
	it.each(ROWS)('$network, worth $usdCents cents, irreversible $irreversible: $needed', (row) => {
		const { network, usdCents, irreversible, needed } = row;
		const isFinalAt = (confirmations: number) => isFinal(network, depth(confirmations, irreversible), usdCents);
		if (needed === null) {
			expect(isFinalAt(1_000_000)).toBe(false);
			return;
		}
		expect(isFinalAt(needed)).toBe(true);
		expect(isFinalAt(needed + 1)).toBe(true);
		expect(isFinalAt(needed - 1)).toBe(false);
	});

	it.each([
		[{ confirmations: 20, aboveUsd: null, confirmationsAbove: null }, 1, 20],
		[{ confirmations: 3, aboveUsd: null, confirmationsAbove: null }, 1, 10],
		[{ confirmations: null, aboveUsd: 100, confirmationsAbove: 30 }, 100_00, 10],
		[{ confirmations: null, aboveUsd: 100, confirmationsAbove: 30 }, 100_01, 30],
		[{ confirmations: 20, aboveUsd: 100, confirmationsAbove: 15 }, 100_01, 20],
		[{ confirmations: 12, aboveUsd: 100, confirmationsAbove: 30 }, null, 30],
	])('Monero, raised by %j, worth %s cents: %i', (raised, usdCents, needed) => {
		expect(isFinal('Monero', depth(needed, false), usdCents, raised)).toBe(true);
		expect(isFinal('Monero', depth(needed - 1, false), usdCents, raised)).toBe(false);
	});

	it.each(NETWORK_NAMES)('%s: nothing in the mempool is final', (network) => {
		expect(isFinal(network, depth(0, true), 1)).toBe(false);
	});

	it.each(NETWORK_NAMES)(
		'%s: the most confirmations in the table are final for every value, with the node’s finality',
		(network) => {
			for (const usdCents of [0, 1, 5_000_01, 1e9, null]) {
				expect(isFinal(network, depth(deepestConfirmations(network), true), usdCents)).toBe(true);
			}
		},
	);
});
