/** BIP32 for the families whose keys are on secp256k1. For the signer only. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import type { JudgeKeys } from './judge-keys.ts';
import { oncePerSeed } from './once-per-seed.ts';
import type { OwnAddresses } from './signing-port.ts';

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

/** With it the public keys of all children are derived, and no private one: BIP32's text of the node at `path`. */
export const extendedPublicKey = (seed: Uint8Array, path: string): string => parentNode(seed, path).publicExtendedKey;

/** Compressed. `extended`: as `extendedPublicKey` made it. @throws Error on any other text; RangeError as `childKey` */
export function publicChild(extended: string, index: number): Uint8Array {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	const { publicKey } = HDKey.fromExtendedKey(extended).deriveChild(index);
	if (!publicKey) throw new TypeError('a node has a public key');
	return publicKey;
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
	const pathOf = (account: number): string => `m/44'/${coinType}'/${account}'/0`;
	const addressFor = (publicKey: Uint8Array): string => {
		const point = secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1);
		return addressOf(keccak_256(point).subarray(-HASH_BYTES));
	};
	/** `seed`: the 64 bytes of a BIP39 mnemonic. */
	function keyAt(seed: Uint8Array, account: number, index: number): HashedKey {
		const { publicKey, privateKey } = childKey(seed, pathOf(account), index);
		return { address: addressFor(publicKey), privateKey };
	}
	const payInKey = (seed: Uint8Array, index: number): HashedKey => keyAt(seed, 0, index);
	const hotKey = oncePerSeed((seed) => keyAt(seed, 1, 0));
	const payInAddress = (seed: Uint8Array, index: number): string => payInKey(seed, index).address;
	const hotAddress = (seed: Uint8Array): string => hotKey(seed).address;
	return {
		payInKey,
		hotKey,
		payInAddress,
		hotAddress,
		ownAddresses: (seed: Uint8Array): OwnAddresses => ({
			payInAddress: (index) => payInAddress(seed, index),
			hotAddress: () => hotAddress(seed),
		}),
		/** The other judge's addresses, by its public keys. */
		addressesOf: ({ payIn, hot }: JudgeKeys): OwnAddresses => ({
			payInAddress: (index) => addressFor(publicChild(payIn, index)),
			hotAddress: () => addressFor(publicChild(hot, 0)),
		}),
		judgeKeys: (seed: Uint8Array): JudgeKeys => ({
			payIn: extendedPublicKey(seed, pathOf(0)),
			hot: extendedPublicKey(seed, pathOf(1)),
		}),
	};
}
