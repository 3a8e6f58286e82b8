/** BIP32 for the families whose keys are on secp256k1. For the signer only. */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';

export interface ChildKey {
	/** Compressed. */
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

/** Hardened steps are slow; they are taken once per seed and path. */
const parents = new WeakMap<Uint8Array, Map<string, HDKey>>();

function parentNode(seed: Uint8Array, path: string): HDKey {
	const known = parents.get(seed) ?? new Map<string, HDKey>();
	parents.set(seed, known);
	const node = known.get(path) ?? HDKey.fromMasterSeed(seed).derive(path);
	known.set(path, node);
	return node;
}

/** The key at `path`/`index`, not hardened. `seed`: 64 bytes of BIP39. @throws RangeError on an index that is none. */
export function childKey(seed: Uint8Array, path: string, index: number): ChildKey {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	const { publicKey, privateKey } = parentNode(seed, path).deriveChild(index);
	if (!publicKey || !privateKey) throw new TypeError('a node derived from a seed has both keys');
	return { publicKey, privateKey };
}
