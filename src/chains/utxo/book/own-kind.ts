/** Which scripts and keys could be ours, by the network's own kind of address. Pure. */
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { scriptOf } from '../address.ts';
import { keyHashIn, witnessKeyHashIn } from '../output-script.ts';
import type { UtxoParams } from '../params.ts';
import type { OwnKind } from './coin-book.ts';

export const ownKind = (params: UtxoParams): OwnKind => {
	const hashIn = params.ownScript === 'p2pkh' ? keyHashIn : witnessKeyHashIn;
	return {
		keyHashOf(script) {
			const hash = hashIn(script);
			return hash && hex.encode(hash);
		},
		hashOfKey: (key) => hex.encode(ripemd160(sha256(key))),
	};
};

/** By address; addresses of another kind are absent. */
export function keyHashes(addresses: readonly string[], params: UtxoParams): Map<string, string> {
	const { keyHashOf } = ownKind(params);
	return new Map(
		addresses.flatMap((address) => {
			const script = scriptOf(address, params);
			const hash = script && keyHashOf(script);
			return hash ? [[address, hash] as const] : [];
		}),
	);
}
