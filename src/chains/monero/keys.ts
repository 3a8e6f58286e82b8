/**
 * Keys of the service on Monero, for the signer only. The secret spend key is the hash of the BIP32 key at
 * m/44'/128'/0'/0/0. The secret view key is the hash of the secret spend key. Both are reduced below the group's order.
 * A Ledger with the same mnemonic has the same keys, so Monero's own wallet can restore them. The hot wallet is the
 * primary address. Pay-in addresses are the subaddresses of account 0 from 1 on. One wallet watches and spends all of
 * them.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { childKey } from '../bip32.ts';
import { oncePerSeed } from '../once-per-seed.ts';
import { moneroAddress } from './address.ts';
import { hashToScalar, subaddressScalar } from './scalar.ts';
import { ACCOUNT, minorOf } from './subaddress-index.ts';

const PARENT_PATH = "m/44'/128'/0'/0";
const KEY_INDEX = 0;
const MAX_INDEX = 2 ** 31 - 1;

const { BASE, Fn } = ed25519.Point;

export interface MoneroKeys {
	readonly secretSpendKey: bigint;
	readonly secretViewKey: bigint;
}

/** `seed`: the 64 bytes of a BIP39 mnemonic. */
export function moneroKeys(seed: Uint8Array): MoneroKeys {
	const secretSpendKey = hashToScalar(childKey(seed, PARENT_PATH, KEY_INDEX).privateKey);
	return { secretSpendKey, secretViewKey: hashToScalar(Fn.toBytes(secretSpendKey)) };
}

/** The public spend key of a subaddress, hexadecimal. */
export const publicSpendKey = (keys: MoneroKeys, account: number, minor: number): string =>
	BASE.multiply(secretSpendKeyAt(keys, account, minor)).toHex();

const secretSpendKeyAt = ({ secretSpendKey, secretViewKey }: MoneroKeys, account: number, minor: number): bigint =>
	Fn.add(secretSpendKey, subaddressScalar(secretViewKey, account, minor));

export const primaryAddress = ({ secretSpendKey, secretViewKey }: MoneroKeys): string =>
	moneroAddress('standard', BASE.multiply(secretSpendKey).toBytes(), BASE.multiply(secretViewKey).toBytes());

/**
 * With m = H(view key, account, minor): spend key D = B + mG, view key C = aD. Both are computed as multiples of G,
 * because noble has a table for these.
 */
export function subaddress(keys: MoneroKeys, account: number, minor: number): string {
	const secret = secretSpendKeyAt(keys, account, minor);
	const viewKey = BASE.multiply(Fn.mul(keys.secretViewKey, secret));
	return moneroAddress('subaddress', BASE.multiply(secret).toBytes(), viewKey.toBytes());
}

export const keysOf = oncePerSeed(moneroKeys);

/** @throws RangeError on an index out of range. */
export function payInAddress(seed: Uint8Array, index: number): string {
	if (!Number.isInteger(index) || index < 0 || index > MAX_INDEX) throw new RangeError(`no such index: ${index}`);
	return subaddress(keysOf(seed), ACCOUNT, minorOf(index));
}

/** The secret spend key's bytes. */
export const secretBytes = ({ secretSpendKey }: MoneroKeys): Uint8Array => Fn.toBytes(secretSpendKey);

/** The secret view key, hexadecimal. Who has it sees every payment to us, and cannot spend any. */
export const viewKey = oncePerSeed((seed) => hex.encode(Fn.toBytes(keysOf(seed).secretViewKey)));

export const hotAddress = oncePerSeed((seed) => primaryAddress(keysOf(seed)));
