/** Chains of headers that are made here, with so little work that two tries find one. */
import { hex } from '@scure/base';
import type { Source } from '../../src/chains/utxo/source.ts';
import { headerHash } from '../../src/chains/utxo/split.ts';
import { hasWorked, timeOf } from '../../src/chains/utxo/work.ts';

export const EASY = 0x207fffff;
export const START = 1_700_000_000;

export interface Made {
	readonly bits?: number;
	readonly time?: number;
	readonly salt?: number;
	/** Leaves it without work. */
	readonly lazy?: true;
}

/** A header with work after another one; after none, the first. */
export function nextOf(before: Uint8Array | undefined, { bits = EASY, time, salt = 0, lazy }: Made = {}): Uint8Array {
	const header = new Uint8Array(80);
	const view = new DataView(header.buffer);
	if (before) header.set(hex.decode(headerHash(before)).toReversed(), 4);
	view.setUint32(36, salt, true);
	view.setUint32(68, time ?? (before ? timeOf(before) + 600 : START), true);
	view.setUint32(72, bits, true);
	for (let nonce = 0; hasWorked('sha256d', header) === (lazy ?? false); nonce++) view.setUint32(76, nonce, true);
	return header;
}

export function chainOf(length: number, below: readonly Uint8Array[] = [], salt = 0): Uint8Array[] {
	const headers = [...below];
	while (headers.length < length) headers.push(nextOf(headers.at(-1), { salt }));
	return headers;
}

/** A provider that shows these headers; its first one is at this height. */
export function showing(headers: readonly Uint8Array[], first: number, tip = first + headers.length - 1): Source {
	const at = (height: number) => (height > tip ? undefined : headers[height - first]);
	const source: Partial<Source> = {
		tip: async () => ({ height: tip, hash: headerHash(headers.at(-1) ?? new Uint8Array(80)) }),
		hashAt: async (height) => (at(height) ? headerHash(at(height) as Uint8Array) : null),
		headers: async (from, count) => headers.slice(from - first, Math.min(from - first + count, tip - first + 1)),
	};
	return source as Source;
}
