/**
 * Builds and signs our transactions. Each input spends one of our own kinds of output (`own-script.ts`; BIP143 where it is
 * segwit), and its signatures cover all inputs and outputs. Of a wallet of two keys each owner signs by itself, over the
 * same transaction, and the two halves are joined. Written out, because the library's `Transaction` also knows PSBT, Taproot and the scripts of others: 20 KiB of the
 * signer's bundle, gzipped. A test compares the bytes with the library's. Pure: RFC 6979 signatures need no randomness.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { sumOf } from '../../money/units.ts';
import { SigningBlocked } from '../errors.ts';
import type { UtxoKey } from './keys.ts';
import { reversedHex, sha256d } from './merkle.ts';
import { keyHashScript } from './output-script.ts';
import { isSegwit, kindOfScript, lockHash } from './own-script.ts';

/**
 * Sequence numbers. The first allows a later fee bump with the same inputs (BIP125). The second only keeps the lock
 * time effective.
 */
const REPLACEABLE = 0xfffffffd;
const NOT_REPLACEABLE = 0xfffffffe;

export interface SigningCoin {
	readonly txId: string;
	readonly vout: number;
	readonly amount: bigint;
	readonly key: UtxoKey;
}

export interface Output {
	readonly script: Uint8Array;
	readonly amount: bigint;
}

/** Both throw on a negative number, and on one that does not fit. */
const u32 = (value: number): Uint8Array => numberToBytesLE(BigInt(value), 4);
const u64 = (value: bigint): Uint8Array => numberToBytesLE(value, 8);

const VERSION = u32(2);
const LOCK_TIME = u32(0);
const SEGWIT = Uint8Array.of(0, 1);
export const SIGHASH_ALL = 1;
const NONE = new Uint8Array();
const ID_BYTES = 32;
/** From here on a count has more bytes than one. */
const TWO_BYTES = 0xfd;

/** Bitcoin's compact size, below 65 536. */
const count = (value: number): Uint8Array =>
	value < TWO_BYTES ? Uint8Array.of(value) : concatBytes(Uint8Array.of(TWO_BYTES), numberToBytesLE(BigInt(value), 2));
export const counted = (bytes: Uint8Array): Uint8Array => concatBytes(count(bytes.length), bytes);
export const listed = (parts: readonly Uint8Array[]): Uint8Array => concatBytes(count(parts.length), ...parts);

/** One that nobody has signed yet. Spends all of its coins. What the outputs do not take is the fee. */
export interface Unsigned {
	readonly coins: readonly SigningCoin[];
	readonly outpoints: readonly Uint8Array[];
	readonly sequence: Uint8Array;
	readonly outputs: readonly Uint8Array[];
}

/** @throws TypeError where the outputs take more than there is. */
export function unsignedTransaction(
	coins: readonly SigningCoin[],
	outputs: readonly Output[],
	replaceable: boolean,
): Unsigned {
	if (sumOf(outputs) > sumOf(coins)) throw new TypeError('the outputs take more than the coins have');
	return {
		coins,
		outpoints: coins.map(outpointOf),
		sequence: u32(replaceable ? REPLACEABLE : NOT_REPLACEABLE),
		outputs: outputs.map(({ script, amount }) => concatBytes(u64(amount), counted(script))),
	};
}

/** As `unsignedTransaction`, signed by our own keys alone. */
export function signedTransaction(
	coins: readonly SigningCoin[],
	outputs: readonly Output[],
	replaceable: boolean,
): Made {
	const unsigned = unsignedTransaction(coins, outputs, replaceable);
	const half = halfOf(unsigned);
	return made(
		unsigned,
		coins.map(({ key }, at) => [half[at] ?? NONE, key.publicKey]),
	);
}

/** As an input shows it. */
export const signatureOf = (digest: Uint8Array, { privateKey }: UtxoKey): Uint8Array =>
	Uint8Array.of(...secp256k1.sign(digest, privateKey, { prehash: false, format: 'der' }), SIGHASH_ALL);

/** Our signature of each input. */
export const halfOf = (unsigned: Unsigned): Uint8Array[] =>
	unsigned.coins.map(({ key }, at) => signatureOf(digestOf(unsigned, at), key));

/** The form in which both judges see it: each input with its lock, and no signature. With segwit its id is the final one. */
export const draftOf = (unsigned: Unsigned): Made =>
	made(
		unsigned,
		unsigned.coins.map(({ key }) => [NONE, NONE, NONE, key.shared?.script ?? NONE]),
	);

/** Signed by both keys. `others`: the co-signer's half. @throws SigningBlocked where that does not hold for each input */
export function joinedTransaction(unsigned: Unsigned, others: readonly Uint8Array[]): Made {
	const own = halfOf(unsigned);
	const shown = unsigned.coins.map(({ key }, at) =>
		shownByBoth(key, digestOf(unsigned, at), own[at] ?? NONE, others[at] ?? NONE),
	);
	return made(unsigned, shown);
}

/** The items that unlock an output of two keys. @throws SigningBlocked where the other's signature of the digest does not hold */
export function shownByBoth(
	{ publicKey, shared }: UtxoKey,
	digest: Uint8Array,
	mine: Uint8Array,
	theirs: Uint8Array,
): Uint8Array[] {
	if (!shared || !holds(theirs, digest, shared.othersKey))
		throw new SigningBlocked('the signature of the co-signer does not hold');
	// In the order of the keys, behind the item that the check takes beside them.
	const isFirst = hex.encode(publicKey) < hex.encode(shared.othersKey);
	return [NONE, ...(isFirst ? [mine, theirs] : [theirs, mine]), shared.script];
}

/** As nodes relay it: strict DER, a low s, and the whole transaction signed. */
export function holds(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
	if (signature.at(-1) !== SIGHASH_ALL) return false;
	try {
		return secp256k1.verify(signature.subarray(0, -1), digest, publicKey, { prehash: false, format: 'der' });
	} catch {
		return false;
	}
}

interface Made {
	readonly raw: string;
	readonly txId: string;
}

/** `shown`: what each input shows, its lock last. */
function made(unsigned: Unsigned, shown: readonly (readonly Uint8Array[])[]): Made {
	const isWitness = unsigned.coins.map(({ key }) => isSegwitKey(key));
	// So few bytes are pushed by their number.
	const scripts = shown.map((items, at) => (isWitness[at] ? NONE : concatBytes(...items.map(counted))));
	const [inputs, paid] = [inputsWith(unsigned, (at) => scripts[at] ?? NONE), listed(unsigned.outputs)];
	const stripped = concatBytes(VERSION, inputs, paid, LOCK_TIME);
	const witnesses = shown.map((items, at) => listed(isWitness[at] ? items.map(counted) : []));
	const raw = isWitness.includes(true) ? concatBytes(VERSION, SEGWIT, inputs, paid, ...witnesses, LOCK_TIME) : stripped;
	return { raw: hex.encode(raw), txId: reversedHex(sha256d(stripped)) };
}

function outpointOf({ txId, vout }: SigningCoin): Uint8Array {
	const id = hex.decode(txId);
	if (id.length !== ID_BYTES) throw new TypeError(`not the id of a transaction: ${txId}`);
	return concatBytes(id.reverse(), u32(vout));
}

const inputsWith = ({ outpoints, sequence }: Unsigned, scriptAt: (at: number) => Uint8Array): Uint8Array =>
	listed(outpoints.map((outpoint, at) => concatBytes(outpoint, counted(scriptAt(at)), sequence)));

function isSegwitKey({ script }: UtxoKey): boolean {
	const kind = kindOfScript(script);
	return kind !== null && isSegwit(kind);
}

/** The digest that a signature of this input signs. */
function digestOf(unsigned: Unsigned, at: number): Uint8Array {
	const { key } = unsigned.coins[at] as SigningCoin;
	const preimage = isSegwitKey(key) ? segwitPreimage(unsigned, at) : legacyPreimage(unsigned, at);
	return sha256d(concatBytes(preimage, LOCK_TIME, u32(SIGHASH_ALL)));
}

/** The script that the signatures of this input answer to: of both keys, or to our key's hash. */
export const scriptCode = ({ shared, publicKey }: UtxoKey): Uint8Array =>
	shared?.script ?? keyHashScript(lockHash(publicKey, 'p2pkh'));

/** All inputs without scripts, but for this one. */
const legacyPreimage = (unsigned: Unsigned, at: number): Uint8Array =>
	concatBytes(
		VERSION,
		inputsWith(unsigned, (each) => (each === at ? scriptCode((unsigned.coins[at] as SigningCoin).key) : NONE)),
		listed(unsigned.outputs),
	);

/** BIP143. */
function segwitPreimage({ coins, outpoints, sequence, outputs }: Unsigned, at: number): Uint8Array {
	const { key, amount } = coins[at] as SigningCoin;
	return concatBytes(
		VERSION,
		sha256d(concatBytes(...outpoints)),
		sha256d(concatBytes(...coins.map(() => sequence))),
		outpoints[at] as Uint8Array,
		counted(scriptCode(key)),
		u64(amount),
		sequence,
		sha256d(concatBytes(...outputs)),
	);
}
