/**
 * Messages of a UTXO network. Where there is segwit: BIP-322, "simple", which is the witness of a transaction that spends
 * another one that has no coin. That one could only be a coinbase, and its script begins with the height 0 (BIP34), so no
 * block can have it. On Dash, which has no segwit: what Dash Core's `verifymessage` knows. Read as a transaction, the bytes that
 * are hashed have a hundred inputs and end too early. Pure.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import type { ReserveText } from '../reserve-text.ts';
import type { UtxoKey } from './keys.ts';
import { sha256d } from './merkle.ts';
import { keyHashScript } from './output-script.ts';
import { hashInOwn } from './own-script.ts';
import { counted } from './transaction.ts';

export const SIGHASH_ALL = 1;
/** The recovery byte of a compressed key is counted from here. */
export const COMPRESSED_BASE = 31;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const zeros = (length: number): Uint8Array => new Uint8Array(length);

/** The same for the locks, versions, sequences and amounts of both: they are 0. */
const ZERO = zeros(4);
const AMOUNT = zeros(8);
const ONE = Uint8Array.of(1);
/** An output of nothing that nobody can spend (OP_RETURN). */
const NOTHING_PAID = concatBytes(AMOUNT, counted(Uint8Array.of(0x6a)));

/** The transaction that would be spent. */
export function spentBytes(script: Uint8Array, text: string): Uint8Array {
	const tag = sha256(bytesOf('BIP0322-signed-message'));
	const said = counted(concatBytes(Uint8Array.of(0), counted(sha256(concatBytes(tag, tag, bytesOf(text))))));
	const noCoin = concatBytes(zeros(32), zeros(4).fill(0xff));
	return concatBytes(ZERO, ONE, noCoin, said, ZERO, ONE, AMOUNT, counted(script), ZERO);
}

/** `script`: p2wpkh. */
export function segwitDigest(script: Uint8Array, text: string): Uint8Array {
	const outpoint = concatBytes(sha256d(spentBytes(script, text)), ZERO);
	// BIP143.
	const preimage = concatBytes(
		ZERO,
		sha256d(outpoint),
		sha256d(ZERO),
		outpoint,
		counted(keyHashScript(hashInOwn(script, 'p2wpkh') as Uint8Array)),
		AMOUNT,
		ZERO,
		sha256d(NOTHING_PAID),
		ZERO,
		Uint8Array.of(SIGHASH_ALL, 0, 0, 0),
	);
	return sha256d(preimage);
}

export const dashBytes = (text: string): Uint8Array =>
	concatBytes(counted(bytesOf('DarkCoin Signed Message:\n')), counted(bytesOf(text)));

/** In base64, as both formats ask. */
export function signMessage({ script, publicKey, privateKey }: UtxoKey, text: ReserveText): string {
	const prehash = { prehash: false } as const;
	if (hashInOwn(script, 'p2wpkh') === null) {
		const digest = sha256d(dashBytes(text));
		const [recovery = 0, ...rs] = secp256k1.sign(digest, privateKey, { ...prehash, format: 'recovered' });
		return base64.encode(Uint8Array.of(COMPRESSED_BASE + recovery, ...rs));
	}
	const der = secp256k1.sign(segwitDigest(script, text), privateKey, { ...prehash, format: 'der' });
	const signature = Uint8Array.of(...der, SIGHASH_ALL);
	return base64.encode(concatBytes(Uint8Array.of(2), counted(signature), counted(publicKey)));
}
