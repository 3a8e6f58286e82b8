/**
 * The service's keys, for the signer only: BIP44 with Ethereum's coin type for all EVM networks. An index has the same
 * address on each of them, and they share one counter of indexes. So an address belongs to one order only, and a
 * deposit on the wrong network can still be matched to its order. Pay-in addresses are account 0', the hot wallet is
 * account 1'. With a single account, its extended public key and one child's private key would reveal all the others
 * (BIP32, "Security").
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { childKey } from '../bip32.ts';
import { oncePerSeed } from '../once-per-seed.ts';
import { checksumAddress } from './address.ts';

const DEPOSIT_PATH = "m/44'/60'/0'/0";
const HOT_PATH = "m/44'/60'/1'/0";
const HOT_INDEX = 0;
const ADDRESS_BYTES = 20;

export interface EvmKey {
	readonly address: string;
	readonly privateKey: Uint8Array;
}

function keyAt(seed: Uint8Array, path: string, index: number): EvmKey {
	const { publicKey, privateKey } = childKey(seed, path, index);
	return { address: addressOfKey(publicKey), privateKey };
}

/** The last 20 bytes of the hash of the uncompressed point without its prefix (Yellow Paper, appendix F). */
function addressOfKey(publicKey: Uint8Array): string {
	const point = secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1);
	return checksumAddress(keccak_256(point).subarray(-ADDRESS_BYTES));
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export const payInKey = (seed: Uint8Array, index: number): EvmKey => keyAt(seed, DEPOSIT_PATH, index);

export const hotKey = oncePerSeed((seed) => keyAt(seed, HOT_PATH, HOT_INDEX));

export const payInAddress = (seed: Uint8Array, index: number): string => payInKey(seed, index).address;

export const hotAddress = (seed: Uint8Array): string => hotKey(seed).address;
