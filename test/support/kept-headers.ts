/** The signer's table of proven headers, in memory. */
import type { HeaderStore } from '../../src/chains/utxo/headers.ts';

export function keptHeaders(): HeaderStore & { readonly kept: ReadonlyMap<number, Uint8Array> } {
	const kept = new Map<number, Uint8Array>();
	return {
		kept,
		lastHeight: () => (kept.size === 0 ? null : Math.max(...kept.keys())),
		at: (height) => kept.get(height) ?? null,
		put(from, headers, oldest) {
			for (const height of [...kept.keys()]) if (height >= from || height < oldest) kept.delete(height);
			for (const [more, header] of headers.entries()) if (from + more >= oldest) kept.set(from + more, header);
		},
	};
}
