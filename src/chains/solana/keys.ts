/**
 * Keys of the service on Solana, for the signer only. Deposits use SLIP-0010 on m/44'/501'/index'/0', the path of
 * Solana's wallets. The hot wallet is m/44'/501'/0'/1', where no deposit ever is; where two judges pay, each judge's key of it is
 * m/44'/501'/0'/2'. Every step is hardened, so no key reveals another.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { HARDENED_OFFSET, HDKey } from 'micro-key-producer/slip10.js';
import { oncePerSeed } from '../once-per-seed.ts';
import { solanaAddress } from './address.ts';

const PURPOSE = 44;
/** SLIP-0044. */
const COIN_TYPE = 501;
const DEPOSIT_CHANGE = 0;
const HOT_ACCOUNT = 0;
const HOT_CHANGE = 1;
const JUDGE_CHANGE = 2;

export interface SolanaKey {
	readonly address: string;
	/** 32 bytes, what RFC 8032 calls the private key. */
	readonly privateKey: Uint8Array;
}

const coinNode = oncePerSeed((seed) => [PURPOSE, COIN_TYPE].reduce(hardenedChild, HDKey.fromMasterSeed(seed)));

function hardenedChild(node: HDKey, index: number): HDKey {
	if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
		throw new RangeError(`no such index: ${index}`);
	return node.deriveChild(HARDENED_OFFSET + index);
}

function keyAt(seed: Uint8Array, account: number, change: number): SolanaKey {
	const { privateKey } = hardenedChild(hardenedChild(coinNode(seed), account), change);
	return { address: solanaAddress(ed25519.getPublicKey(privateKey)), privateKey };
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export const payInKey = (seed: Uint8Array, index: number): SolanaKey => keyAt(seed, index, DEPOSIT_CHANGE);

export const hotKey = oncePerSeed((seed) => keyAt(seed, HOT_ACCOUNT, HOT_CHANGE));

/** The judge's own, of the key that two judges have together (`shared-key.ts`). */
export const judgeKey = oncePerSeed((seed) => keyAt(seed, HOT_ACCOUNT, JUDGE_CHANGE));

export const payInAddress = (seed: Uint8Array, index: number): string => payInKey(seed, index).address;

export const hotAddress = (seed: Uint8Array): string => hotKey(seed).address;
