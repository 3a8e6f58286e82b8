/**
 * Proves the chain by the work of its headers, with the signer's own provider and its kept headers; Dash's, whose hashes
 * nothing here can compute, by what several providers agree on.
 */
import { ChainUnavailable } from '../errors.ts';
import { agreedChain } from './agreed-chain.ts';
import { CHECKPOINTS } from './checkpoints.ts';
import { firstHeight, type HeaderRules, type HeaderStore, KEPT_HEADERS, readOn } from './headers.ts';
import { reversedHex } from './merkle.ts';
import type { Prove } from './proven-chain.ts';
import type { Source } from './source.ts';
import { headerHash } from './split.ts';

/** Headers below the kept ones that one call reads to prove an old block. */
const MOST_OLDER = 20_000;

export const provenChain: Prove = ({ params }, chain, sources, store) => {
	if (params.work === 'x11') return agreedChain(sources);
	const work = params.work;
	const rules: HeaderRules =
		chain === 'main' ? { work, checkpoint: CHECKPOINTS[work] } : { work: null, checkpoint: null };
	const hashAt = async (height: number) => {
		const kept = store.at(height);
		return kept ? headerHash(kept) : await sources.use((source) => olderHash(source, rules, store, height));
	};
	return {
		tip: () => sources.use((source) => readOn(source, rules, store)),
		hashAt,
		async block(height) {
			const hash = await hashAt(height);
			const block = await sources.use((source) => source.block(hash));
			if (block.height !== null && block.height !== height)
				throw new ChainUnavailable(`block ${hash} says that it is at ${block.height}, not at ${height}`);
			return block;
		},
		isLocked: async () => false,
	};
};

/** The hash of a block below the kept headers, to which those after it lead. */
async function olderHash(source: Source, rules: HeaderRules, store: HeaderStore, height: number): Promise<string> {
	const last = store.lastHeight() ?? -1;
	let oldest = Math.max(firstHeight(rules), last - KEPT_HEADERS + 1);
	while (oldest <= last && !store.at(oldest)) oldest += 1;
	const end = store.at(oldest);
	if (!end || height >= oldest || oldest - height > MOST_OLDER)
		throw new ChainUnavailable(`no header at height ${height} is proven`);
	const headers = [...(await source.headers(height, oldest - height)), end];
	const isLinked = headers.every(
		(header, at) => at === 0 || reversedHex(header.subarray(4, 36)) === headerHash(headers[at - 1] ?? header),
	);
	if (!isLinked || headers.length !== oldest - height + 1)
		throw new ChainUnavailable(`the headers from height ${height} on do not lead to the proven ones`);
	return headerHash(headers[0] ?? end);
}
