/**
 * Messages of a UTXO network. Where there is segwit: BIP-322, "simple", which is the witness of a transaction that spends
 * another one that has no coin. That one could only be a coinbase, and its script begins with the height 0 (BIP34), so no
 * block can have it. On Dash, which has no segwit: what Dash Core's `verifymessage` knows. Read as a transaction, the bytes that
 * are hashed have a hundred inputs and end too early. It knows no address of two keys: there it is BIP-322 too, "full", which is
 * the spending transaction itself. Pure.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base64, hex } from '@scure/base';
import type { Judges } from '../judge-keys.ts';
import type { ReserveText } from '../reserve-text.ts';
import type { UtxoKey } from './keys.ts';
import { sha256d } from './merkle.ts';
import { hashInOwn } from './own-script.ts';
import { counted, listed, SIGHASH_ALL, scriptCode, shownByBoth, signatureOf } from './transaction.ts';

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

const outpointOf = (script: Uint8Array, text: string): Uint8Array =>
	concatBytes(sha256d(spentBytes(script, text)), ZERO);

/** The transaction that spends it. `unlocking`: its input's script. */
export const spendingBytes = (script: Uint8Array, text: string, unlocking: Uint8Array): Uint8Array =>
	concatBytes(ZERO, ONE, outpointOf(script, text), counted(unlocking), ZERO, ONE, NOTHING_PAID, ZERO);

/** The digest that each key signs, by BIP-322. `code`: as `scriptCode` has it. */
export function spendingDigest(script: Uint8Array, code: Uint8Array, text: string): Uint8Array {
	const preimage = isLegacy(script) ? spendingBytes(script, text, code) : segwitPreimage(script, code, text);
	return sha256d(concatBytes(preimage, Uint8Array.of(SIGHASH_ALL, 0, 0, 0)));
}

const isLegacy = (script: Uint8Array): boolean => script[0] !== 0;

/** BIP143. */
function segwitPreimage(script: Uint8Array, code: Uint8Array, text: string): Uint8Array {
	const outpoint = outpointOf(script, text);
	return concatBytes(
		ZERO,
		sha256d(outpoint),
		sha256d(ZERO),
		outpoint,
		counted(code),
		AMOUNT,
		ZERO,
		sha256d(NOTHING_PAID),
		ZERO,
	);
}

export const dashBytes = (text: string): Uint8Array =>
	concatBytes(counted(bytesOf('DarkCoin Signed Message:\n')), counted(bytesOf(text)));

/** In base64, as all formats ask. */
export function signMessage(key: UtxoKey, text: ReserveText): string {
	const { script, publicKey, privateKey } = key;
	if (hashInOwn(script, 'p2wpkh') === null) {
		const digest = sha256d(dashBytes(text));
		const signed = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
		const [recovery = 0, ...rs] = signed;
		return base64.encode(Uint8Array.of(COMPRESSED_BASE + recovery, ...rs));
	}
	return base64.encode(listed([ownSignature(key, text), publicKey].map(counted)));
}

/** As `ChainSigner.signReserve`, of an address of two keys. `half`: hexadecimal. */
export function signByBoth(key: UtxoKey, role: Judges['role'], text: ReserveText, half?: string): string | null {
	const own = ownSignature(key, text);
	if (role === 'cosigner') return hex.encode(own);
	if (half === undefined) return null;
	const { script } = key;
	const items = shownByBoth(key, digestFor(key, text), own, hex.decode(half)).map(counted);
	return base64.encode(isLegacy(script) ? spendingBytes(script, text, concatBytes(...items)) : listed(items));
}

const digestFor = (key: UtxoKey, text: string): Uint8Array => spendingDigest(key.script, scriptCode(key), text);

const ownSignature = (key: UtxoKey, text: string): Uint8Array => signatureOf(digestFor(key, text), key);
