/** BIP32 for the families whose keys are on secp256k1. For the signer only. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
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

const HASH_BYTES = 20;

/** A key whose address is made of its public key's hash. */
export interface HashedKey {
	readonly address: string;
	readonly privateKey: Uint8Array;
}

/**
 * BIP44 for accounts as Ethereum has them. `addressOf`: of the last 20 bytes of the hash of the uncompressed point without
 * its prefix (Yellow Paper, appendix F). Pay-in addresses are account 0', the hot wallet is account 1'. With a single
 * account, its extended public key and one child's private key would reveal all the others (BIP32, "Security").
 */
export function hashedKeys(coinType: number, addressOf: (hash: Uint8Array) => string) {
	function keyAt(seed: Uint8Array, account: number, index: number): HashedKey {
		const { publicKey, privateKey } = childKey(seed, `m/44'/${coinType}'/${account}'/0`, index);
		const point = secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1);
		return { address: addressOf(keccak_256(point).subarray(-HASH_BYTES)), privateKey };
	}
	return {
		/** `seed`: the 64 bytes of a BIP39 mnemonic. */
		payInKey: (seed: Uint8Array, index: number): HashedKey => keyAt(seed, 0, index),
		hotKey: oncePerSeed((seed) => keyAt(seed, 1, 0)),
	};
}
