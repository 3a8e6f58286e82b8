/**
 * Dash's chain, by agreement: no library here computes X11, so neither the work of a header nor even its hash can be
 * checked. Two providers must say the same where two are named, and only two make a ChainLock.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { ChainUnavailable } from '../errors.ts';
import type { ProvenChain } from './proven-chain.ts';
import type { Source, Sources } from './source.ts';

const ENOUGH = 2;

export function agreedChain(sources: Sources): ProvenChain {
	/** The answers of those that answer. @throws ChainUnavailable where those are fewer than two, and two are named */
	async function askAll<T>(task: (source: Source) => Promise<T>): Promise<readonly [T, ...T[]]> {
		const all = await Promise.allSettled(sources.each.map((ask) => ask(task)));
		const [first, ...others] = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
		if (first === undefined || others.length + 1 < Math.min(ENOUGH, sources.each.length)) {
			const failed = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
			throw new ChainUnavailable(`too few nodes answer: ${failed.join('; ')}`);
		}
		return [first, ...others];
	}

	async function hashAt(height: number): Promise<string> {
		const [hash, ...others] = await askAll((source) => source.hashAt(height));
		if (hash === null) throw new ChainUnavailable(`the node has no block at height ${height}`);
		if (others.some((other) => other !== hash)) throw new ChainUnavailable(`the nodes disagree at height ${height}`);
		return hash;
	}

	return {
		tip: async () => Math.min(...(await askAll(async (source) => (await source.tip()).height))),
		hashAt,
		async block(height) {
			const hash = await hashAt(height);
			const [said, ...others] = await askAll(
				async (source) => (await source.headers(height, 1))[0] ?? new Uint8Array(),
			);
			const block = await sources.use((source) => source.block(hash));
			if (![said, ...others].every((header) => equalBytes(header, block.header)) || block.height !== height)
				throw new ChainUnavailable(`the nodes disagree about block ${hash}`);
			return block;
		},
		async isLocked(height) {
			const hash = await hashAt(height);
			const locked = await askAll((source) => source.isLocked(hash));
			return locked.length >= ENOUGH && locked.every(Boolean);
		},
	};
}
