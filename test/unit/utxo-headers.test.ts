/** The chain of headers that the signer proves: published figures of Bitcoin's and Litecoin's own tests, and false chains. */
import { hex } from '@scure/base';
import { beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { CHECKPOINTS } from '../../src/chains/utxo/checkpoints.ts';
import { type HeaderRules, KEPT_HEADERS, readOn } from '../../src/chains/utxo/headers.ts';
import type { Source } from '../../src/chains/utxo/source.ts';
import { headerHash } from '../../src/chains/utxo/split.ts';
import { bitsFor, hasWorked, nextBits, targetOf, workOf } from '../../src/chains/utxo/work.ts';
import { keptHeaders } from '../support/kept-headers.ts';
import { chainOf, EASY, nextOf, START, showing } from '../support/made-headers.ts';

/** Version, previous block, merkle root, time, bits, nonce: as the chains' own sources state them. */
const GENESIS = {
	Bitcoin:
		'0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
	Litecoin:
		'010000000000000000000000000000000000000000000000000000000000000000000000d9ced4ed1130f7b7faad9be25323ffafa33232a17c3edf6cfd97bee6bafbdd97b9aa8e4ef0ff0f1ecd513f7c',
} as const;

describe('work', () => {
	test.each([
		['Bitcoin', 'sha256d'],
		['Litecoin', 'scrypt'],
	] as const)('was done for the first header of %s, and not for another nonce', (name, work) => {
		const header = hex.decode(GENESIS[name]);
		expect(headerHash(header)).toBe(NETWORKS[name].params.genesis);
		expect(hasWorked(work, header)).toBe(true);
		header[79] = (header[79] ?? 0) ^ 1;
		expect(hasWorked(work, header)).toBe(false);
	});

	// `pow_tests.cpp` of Bitcoin Core and of Litecoin Core: time of the period's first header, of its last, bits, next bits.
	test.each([
		['sha256d', 1_261_130_161, 1_262_152_739, 0x1d00ffff, 0x1d00d86a],
		['sha256d', 1_231_006_505, 1_233_061_996, 0x1d00ffff, 0x1d00ffff],
		['sha256d', 1_279_008_237, 1_279_297_671, 0x1c05a3f4, 0x1c0168fd],
		['sha256d', 1_263_163_443, 1_269_211_443, 0x1c387f6f, 0x1d00e1fd],
		['scrypt', 1_358_118_740, 1_358_378_777, 0x1c0ac141, 0x1c093f8d],
		['scrypt', 1_317_972_665, 1_318_480_354, 0x1e0ffff0, 0x1e0fffff],
		['scrypt', 1_401_682_934, 1_401_757_934, 0x1b075cf1, 0x1b01d73c],
		['scrypt', 1_463_690_315, 1_464_900_315, 0x1b015318, 0x1b054c60],
	] as const)('of the next period follows from the last: %s from %i to %i', (work, first, last, bits, next) => {
		expect(nextBits(work, bits, last - first)).toBe(next);
	});

	test('is counted as Core counts it, and the short form of a target is read as it is written', () => {
		// `nMinimumChainWork` of a chain of its first block alone.
		expect(workOf(0x1d00ffff)).toBe(0x100010001n);
		for (const bits of [0x1d00ffff, 0x1b0404cb, 0x1e0ffff0, 0x207fffff, 0x03123456, 0x02008000, 0x01120000])
			expect(bitsFor(targetOf(bits))).toBe(bits);
	});
});

describe('the chain of headers', () => {
	const FIRST = 2_016 * 10;
	const honest = chainOf(400);
	const rules: HeaderRules = {
		work: 'sha256d',
		checkpoint: { height: FIRST + 20, hash: headerHash(honest[20] as Uint8Array) },
	};
	let store: ReturnType<typeof keptHeaders>;
	const read = (headers: readonly Uint8Array[], tip?: number) => readOn(showing(headers, FIRST, tip), rules, store);
	const tipHash = () => headerHash(store.at(store.lastHeight() ?? -1) as Uint8Array);
	beforeEach(() => {
		store = keptHeaders();
	});

	test('grows with the provider, and each header is read once', async () => {
		expect(await read(honest, FIRST + 300)).toBe(FIRST + 300);
		const source = showing(honest, FIRST);
		const asked: number[] = [];
		const counted: Source = {
			...source,
			async headers(from, count) {
				asked.push(from);
				return await source.headers(from, count);
			},
		};
		expect(await readOn(counted, rules, store)).toBe(FIRST + 399);
		expect(asked).toEqual([FIRST + 301]);
	});

	test('goes on from call to call while there is more to read than one call may, and says how far it is', async () => {
		const links: HeaderRules = { work: null, checkpoint: null };
		const long = chainOf(20_500);
		const reading = () => readOn(showing(long, 0), links, store);
		await expect(reading()).rejects.toThrow("proven to height 9999, and the node's tip is at 20499");
		await expect(reading()).rejects.toThrow('proven to height 19999');
		expect(await reading()).toBe(20_499);
		// No more is kept than the next ones need.
		expect(store.kept.size).toBe(KEPT_HEADERS);
	});

	test('begins only with the checkpoint, and forgets all that leads past it', async () => {
		const other = chainOf(30, honest.slice(0, 15), 9);
		await expect(read(other)).rejects.toThrow('is not the checkpoint');
		expect(store.kept.size).toBe(0);
		await expect(read(honest.slice(0, 10))).rejects.toThrow(`proven to height ${FIRST + 9}`);
		expect(await read(honest)).toBe(FIRST + 399);
	});

	test.each([
		['without work', nextOf(honest[99], { lazy: true }), 'has no work'],
		['with easier bits', nextOf(honest[99], { bits: 0x2100ffff }), 'has other bits'],
		['older than the median of those before it', nextOf(honest[99], { time: START + 94 * 600 }), 'is older than'],
		['from the future', nextOf(honest[99], { time: Math.floor(Date.now() / 1_000) + 9_000 }), 'is from the future'],
		['that follows another one', nextOf(honest[98]), 'does not follow'],
		['of fewer bytes', nextOf(honest[99]).subarray(1), 'is no header'],
	])('takes no header %s', async (_, header, why) => {
		await read(honest, FIRST + 99);
		const before = tipHash();
		await expect(read([...honest.slice(0, 100), header])).rejects.toThrow(why);
		expect(tipHash()).toBe(before);
	});

	test('takes the bits of a new period only as the last one gives them', async () => {
		const period = chainOf(2_016);
		const at: HeaderRules = {
			...rules,
			checkpoint: { height: FIRST + 2_000, hash: headerHash(period[2_000] as Uint8Array) },
		};
		expect(await readOn(showing(period, FIRST), at, store)).toBe(FIRST + 2_015);
		await expect(readOn(showing([...period, nextOf(period.at(-1))], FIRST), at, store)).rejects.toThrow(
			'has other bits',
		);
		const due = nextBits('sha256d', EASY, 2_015 * 600);
		expect(due).toBe(0x1d00ffff);
		// Nobody here can do that work, so the next refusal is the one for work.
		const lazy = nextOf(period.at(-1), { bits: due, lazy: true });
		await expect(readOn(showing([...period, lazy], FIRST), at, store)).rejects.toThrow('has no work');
	});

	test('follows a branch with more work, and never one with less or as much', async () => {
		const other = chainOf(300, honest.slice(0, 290), 1);
		expect(await read(honest, FIRST + 299)).toBe(FIRST + 299);
		const kept = tipHash();
		for (const branch of [other, other.slice(0, 295)]) {
			expect(await read(branch)).toBe(FIRST + 299);
			expect(tipHash()).toBe(kept);
		}
		const longer = chainOf(301, other, 1);
		expect(await read(longer)).toBe(FIRST + 300);
		expect(tipHash()).toBe(headerHash(longer[300] as Uint8Array));
	});

	test('stays where it is while the provider is behind or goes back in time', async () => {
		await read(honest);
		expect(await read(honest, FIRST + 380)).toBe(FIRST + 399);
		expect(await read(honest, FIRST + 100)).toBe(FIRST + 399);
		expect(tipHash()).toBe(headerHash(honest[399] as Uint8Array));
	});

	test('is never left for another chain', async () => {
		await read(honest);
		const other = chainOf(2_000, honest.slice(0, 40), 5);
		await expect(read(other)).rejects.toThrow('shows another chain');
	});

	test('of the main chains begins with what Core takes for granted', () => {
		expect(CHECKPOINTS.sha256d.height).toBeGreaterThan(900_000);
		expect(CHECKPOINTS.scrypt.hash).toMatch(/^[0-9a-f]{64}$/);
	});
});
