/** The chain as the signer believes it: blocks older than the kept headers, and Dash's by what two providers say. */
import { beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { KEPT_HEADERS } from '../../src/chains/utxo/headers.ts';
import type { ProvenChain } from '../../src/chains/utxo/proven-chain.ts';
import { provenChain } from '../../src/chains/utxo/proving.ts';
import type { Source, Sources } from '../../src/chains/utxo/source.ts';
import { headerHash } from '../../src/chains/utxo/split.ts';
import { keptHeaders } from '../support/kept-headers.ts';
import { chainOf, showing } from '../support/made-headers.ts';

const from = (...sources: readonly Source[]): Sources => ({
	use: async (task) => task(sources[0] as Source),
	each: sources.map((source) => async (task) => task(source)),
});

describe('a block older than the kept headers', () => {
	const all = chainOf(KEPT_HEADERS + 1_000);
	const store = keptHeaders();
	const top = all.length - 1;
	let shown = showing(all, 0);
	const chain = provenChain(
		NETWORKS.Bitcoin,
		'regtest',
		from({ ...shown, headers: (...asked) => shown.headers(...asked) }),
		store,
	);
	const reading = async () => {
		for (;;) {
			const height = await chain.tip().catch(() => null);
			if (height !== null) return height;
		}
	};

	beforeAll(async () => {
		expect(await reading()).toBe(top);
		expect(store.at(900)).toBeNull();
	});

	test('is proven by the headers that lead from it to them', async () => {
		expect(await chain.hashAt(500)).toBe(headerHash(all[500] as Uint8Array));
		await expect(chain.hashAt(top + 1)).rejects.toThrow(`no header at height ${top + 1} is proven`);
	});

	test('is not believed where they lead elsewhere, or stop', async () => {
		shown = showing([...all.slice(0, 600), ...chainOf(700, all.slice(0, 600), 3).slice(600), ...all.slice(700)], 0);
		await expect(chain.hashAt(500)).rejects.toThrow('do not lead to the proven ones');
		shown = showing(all, 0, 800);
		await expect(chain.hashAt(500)).rejects.toThrow('do not lead to the proven ones');
	});
});

describe('a ChainLock', () => {
	const headers = chainOf(10);
	const saying = (isLocked: boolean): Source => ({ ...showing(headers, 0), isLocked: async () => isLocked });
	const down: Source = {
		...saying(true),
		hashAt: async () => {
			throw new ChainUnavailable('down');
		},
	};
	const dash = (...sources: readonly Source[]): ProvenChain =>
		provenChain(NETWORKS.Dash, 'main', from(...sources), keptHeaders());

	test('counts where two providers say so, and not where one does', async () => {
		expect(await dash(saying(true), saying(true)).isLocked(5)).toBe(true);
		expect(await dash(saying(true), saying(false)).isLocked(5)).toBe(false);
		expect(await dash(saying(true)).isLocked(5)).toBe(false);
		await expect(dash(saying(true), down).isLocked(5)).rejects.toThrow('too few nodes answer');
		expect(await dash(saying(true), down, saying(true)).isLocked(5)).toBe(true);
	});

	test('says nothing of a block about which they disagree', async () => {
		const other: Source = { ...showing(chainOf(10, headers.slice(0, 4), 7), 0), isLocked: async () => true };
		await expect(dash(saying(true), other).isLocked(5)).rejects.toThrow('the nodes disagree at height 5');
		expect(await dash(saying(true), other).isLocked(3)).toBe(true);
	});
});
