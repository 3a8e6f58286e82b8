/**
 * Keys of the service on Tron, for the signer only: BIP44 with Tron's coin type. Deposits use account 0', the hot
 * wallet uses account 1'. In one shared account, the extended public key and the private key of a single child would
 * reveal all other keys (BIP32, "Security").
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { childKey } from '../bip32.ts';
import { oncePerSeed } from '../once-per-seed.ts';
import { tronAddress } from './address.ts';

const DEPOSIT_PATH = "m/44'/195'/0'/0";
const HOT_PATH = "m/44'/195'/1'/0";
const HOT_INDEX = 0;
const HASH_BYTES = 20;

export interface TronKey {
	readonly address: string;
	readonly privateKey: Uint8Array;
}

/** The hash is Ethereum's: keccak over the uncompressed point without its prefix. */
function keyAt(seed: Uint8Array, path: string, index: number): TronKey {
	const { publicKey, privateKey } = childKey(seed, path, index);
	const point = secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1);
	return { address: tronAddress(keccak_256(point).subarray(-HASH_BYTES)), privateKey };
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export const payInKey = (seed: Uint8Array, index: number): TronKey => keyAt(seed, DEPOSIT_PATH, index);

export const hotKey = oncePerSeed((seed) => keyAt(seed, HOT_PATH, HOT_INDEX));

export const payInAddress = (seed: Uint8Array, index: number): string => payInKey(seed, index).address;

export const hotAddress = (seed: Uint8Array): string => hotKey(seed).address;
