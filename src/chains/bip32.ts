/** BIP32 for the families whose keys are on secp256k1. For the signer only. */
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { oncePerSeed } from './once-per-seed.ts';

export interface ChildKey {
	/** Compressed. */
	readonly publicKey: Uint8Array;
	readonly privateKey: Uint8Array;
}

/** Hardened derivation is slow, so it runs once per seed and path. */
const parents = oncePerSeed(() => new Map<string, HDKey>());

function parentNode(seed: Uint8Array, path: string): HDKey {
	const known = parents(seed);
	const node = known.get(path) ?? HDKey.fromMasterSeed(seed).derive(path);
	known.set(path, node);
	return node;
}

/**
 * The key at `path`/`index`; the last step is not hardened. `seed`: the 64 bytes of a BIP39 mnemonic. @throws
 * RangeError on an invalid index
 */
export function childKey(seed: Uint8Array, path: string, index: number): ChildKey {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	const { publicKey, privateKey } = parentNode(seed, path).deriveChild(index);
	if (!publicKey || !privateKey) throw new TypeError('a node derived from a seed has both keys');
	return { publicKey, privateKey };
}
