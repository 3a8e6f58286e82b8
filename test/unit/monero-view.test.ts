/**
 * Monero's blocks as a stranger might fill them: transactions of version 1, written by hand, because no wallet makes such
 * ones. `nodes/monero-watch` compares what is found with what monero-wallet-rpc finds.
 */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { expect, it } from 'vitest';
import { spendKeyOf } from '../../src/chains/monero/address.ts';
import { parseBlock } from '../../src/chains/monero/block.ts';
import type { MoneroDaemon } from '../../src/chains/monero/daemon.ts';
import { finalAmount } from '../../src/chains/monero/final-amount.ts';
import { KeptOutputs } from '../../src/chains/monero/kept-outputs.ts';
import { hotAddress, keysOf, payInAddress, viewKey } from '../../src/chains/monero/keys.ts';
import { varint } from '../../src/chains/monero/reader.ts';
import { hashToScalar } from '../../src/chains/monero/scalar.ts';
import { moneroWatch } from '../../src/chains/monero/watch.ts';
import { keepingOf } from '../support/keeping.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';

const SEED = createHash('sha512').update('by hand').digest();
const OURS = payInAddress(SEED, 4);
const { BASE } = ed25519.Point;
const NOT_A_POINT = new Uint8Array(32).fill(0xff);

const keyExtra = (key: Uint8Array) => concatBytes(Uint8Array.of(1), key);
const point = (address: string) => ed25519.Point.fromHex(spendKeyOf(address));

/** The key of output 0 to our address by a transaction with the secret key `r`, and that transaction's `extra`. */
function paying(r: bigint): { readonly key: Uint8Array; readonly extra: Uint8Array } {
	const shared = point(OURS).multiply(keysOf(SEED).secretViewKey).multiply(r).clearCofactor();
	const scalar = hashToScalar(shared.toBytes(), varint(0));
	return { key: BASE.multiply(scalar).add(point(OURS)).toBytes(), extra: keyExtra(point(OURS).multiply(r).toBytes()) };
}

/** Version 1: one input, one output with an open amount. `coin` makes it another transaction. */
function transaction({ key, extra }: ReturnType<typeof paying>, amount: number, coin: number): string {
	const image = createHash('sha256').update(String(coin)).digest();
	const input = concatBytes(Uint8Array.of(1, 2, 0, 1, 0), image);
	const output = concatBytes(Uint8Array.of(1), varint(amount), Uint8Array.of(2), key);
	return hex.encode(concatBytes(Uint8Array.of(1, 0), input, output, varint(extra.length), extra, new Uint8Array(64)));
}

const idOf = (raw: string): string => hex.encode(keccak_256(hex.decode(raw)));

function block(version: number, previous: string, raws: readonly string[], height: number): string {
	const header = concatBytes(Uint8Array.of(version, 16, 0), hex.decode(previous), new Uint8Array(4));
	const coinbase = concatBytes(Uint8Array.of(2, 0, 1, 0xff), varint(height), Uint8Array.of(0, 0, 0));
	return hex.encode(concatBytes(header, coinbase, varint(raws.length), ...raws.map((raw) => hex.decode(idOf(raw)))));
}

/** A monerod with these blocks, by their transactions. */
function daemonOf(blocks: readonly (readonly string[])[], version = 16) {
	const blobs: string[] = [];
	for (const [height, raws] of blocks.entries()) {
		const before = blobs.at(-1);
		blobs.push(block(height === 0 ? 16 : version, before ? parseBlock(before).hash : '00'.repeat(32), raws, height));
	}
	const places = new Map(blocks.flatMap((raws, height) => raws.map((raw) => [idOf(raw), { raw, height }] as const)));
	const fetched: string[] = [];
	const daemon = {
		rpc: {
			call: async (_shape: unknown, _method: string, { height }: { height: number }) => ({ blob: blobs[height] }),
			async post(
				_shape: unknown,
				path: string,
				{ txs_hashes = [], prune }: { txs_hashes?: string[]; prune?: boolean },
			) {
				if (path !== 'get_transactions') return { status: 'OK', tx_hashes: [] };
				if (prune) fetched.push(...txs_hashes);
				const txs = txs_hashes.map((tx_hash) => ({
					tx_hash,
					in_pool: false,
					double_spend_seen: false,
					block_height: places.get(tx_hash)?.height,
					pruned_as_hex: '',
					prunable_hash: '00'.repeat(32),
					as_hex: prune ? '' : places.get(tx_hash)?.raw,
				}));
				return { status: 'OK', txs };
			},
		},
		best: async () => ({ blocks: blobs.length, hash: '' }),
		blocks: async () => blobs.length,
		requireAgreed: async () => undefined,
	} as unknown as MoneroDaemon;
	return { daemon, fetched };
}

function watchOf(daemon: MoneroDaemon, below = 5) {
	const keeping = keepingOf();
	const walletCoins = async () => ({ blocks: 0, coins: [], sent: [] });
	const watching = { ...keeping, addressesBelow: () => below, viewKey: async () => viewKey(SEED), walletCoins };
	return moneroWatch(daemon, watching, hotAddress(SEED));
}

const found = (kept: KeptOutputs) => kept.above(-1, []).map(({ txId, amount }) => [txId, amount]);

it('What a stranger writes into extra or for a key stops no block, and hides nothing beside it', async () => {
	const honest = paying(7n);
	const twoKeys = concatBytes(keyExtra(paying(8n).extra.subarray(1)), honest.extra);
	const raws = [
		transaction({ ...honest, extra: Uint8Array.of(0xaa, 0xff) }, 1, 1),
		transaction({ ...honest, extra: keyExtra(NOT_A_POINT) }, 2, 2),
		transaction({ key: NOT_A_POINT, extra: honest.extra }, 3, 3),
		transaction({ ...honest, extra: Uint8Array.of(4, 0xff, 0xff, 0x7f) }, 4, 4),
		transaction({ ...honest, extra: concatBytes(twoKeys, Uint8Array.of(2, 99)) }, 5, 5),
	];
	const watch = watchOf(daemonOf([[], raws]).daemon);
	expect((await watch.read('0')).progress).toEqual({ blocks: 2, best: 2 });
	expect(found(watch.kept())).toEqual([[idOf(raws.at(-1) ?? ''), 5n]]);
});

it('A block with more than one poll may look at is read over several, each transaction once, and counts when it is whole', async () => {
	const junk = { key: paying(3n).key, extra: new Uint8Array() };
	const flood = Array.from({ length: 3_999 }, (_, coin) => transaction(junk, 1, coin));
	const ours = transaction(paying(9n), 77, -1);
	const { daemon, fetched } = daemonOf([[], [...flood, ours], []]);
	const watch = watchOf(daemon);
	let polls = 0;
	for (let blocks = 0; blocks < 3; polls++) {
		({ blocks } = (await watch.read('0')).progress);
		expect(found(watch.kept())).toEqual(blocks < 2 ? [] : [[idOf(ours), 77n]]);
	}
	expect(polls).toBeGreaterThan(2);
	// Those of one call are fetched twice where the poll ended among them.
	expect(fetched.length).toBeLessThanOrEqual(4_000 + 100 * polls);
	expect(watch.kept().read()?.tip.height).toBe(2);
});

it('An output key that a second transaction has too can be spent once, and counts once: here, and for the signer', async () => {
	const [first, second] = [transaction(paying(5n), 10, 1), transaction(paying(5n), 1_000, 2)];
	const { daemon } = daemonOf([[], [first], [second], []]);
	const watch = watchOf(daemon);
	await watch.read('0');
	expect(found(watch.kept())).toEqual([[idOf(first), 10n]]);
	const ref = (raw: string, amount: bigint) => {
		return { txId: idOf(raw), position: '0/5', address: OURS, asset: 'XMR' as const, amount };
	};
	const total = (...refs: ReturnType<typeof ref>[]) =>
		finalAmount(daemon, keysOf(SEED), { asset: 'XMR', refs, isFinal: () => true });
	expect(await total(ref(first, 10n))).toBe(10n);
	expect(await total(ref(first, 10n), ref(second, 1_000n))).toBe(10n);
	expect(await total({ ...ref(first, 10n), position: '0/4' })).toBe(0n);
	expect(await total({ ...ref(first, 10n), address: payInAddress(SEED, 3) })).toBe(0n);
});

it('A block of a version that this release does not know stops the reading, and the error says so', async () => {
	await expect(watchOf(daemonOf([[], []], 17).daemon).read('0')).rejects.toThrow(
		'block 1: a block of version 17: this release reads up to 16',
	);
});

it('A table that lacks addresses derives them in parts before it reads on, and one that has them derives none', async () => {
	const ours = transaction(paying(6n), 8, 1);
	const watch = watchOf(daemonOf([[], [ours]]).daemon, 2_500);
	for (const part of [1_000, 2_000])
		await expect(watch.read('0')).rejects.toThrow(`its addresses are derived again: ${part} of 2501`);
	await watch.read('0');
	expect(found(watch.kept())).toEqual([[idOf(ours), 8n]]);
	const kept = new KeptOutputs(sqliteStorage());
	kept.addAddresses(
		new Map([[0, hotAddress(SEED)], ...Array.from({ length: 9 }, (_, i) => [i + 1, payInAddress(SEED, i)] as const)]),
	);
	expect([kept.derivedBelow(), kept.minorOf(spendKeyOf(OURS))]).toEqual([10, 5]);
});
