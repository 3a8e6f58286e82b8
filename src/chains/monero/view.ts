/**
 * Finds in a transaction what it pays us, with the secret view key: the view tag first, then the owner among our addresses,
 * then the amount, which must open its commitment (Monero's crypto.cpp, device_default.cpp and rctOps.cpp). Nothing here
 * is done in constant time: nobody measures it. Pure.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { type CurvePoint, ed25519Points } from '../ed25519-points.ts';
import { Reader, varint } from './reader.ts';
import { hashToScalar, littleEndian } from './scalar.ts';
import type { ParsedTransaction, TransactionOutput } from './transaction.ts';

const text = (value: string) => new TextEncoder().encode(value);
const [VIEW_TAG, AMOUNT, MASK] = ['view_tag', 'amount', 'commitment_mask'].map(text) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
];
/** Monero's second generator, of amounts (rctTypes.h). */
const H = hex.decode('8b655970153799af2aeadc9ff1add0ea6c7251d54154cfa92c173a0dd39c1f94');
const AMOUNT_BYTES = 8;

export interface Received {
	/** Hexadecimal. It can be spent once, however many outputs have it. */
	readonly key: string;
	readonly minor: number;
	/** Public, hexadecimal. */
	readonly spendKey: string;
	readonly amount: bigint;
}

/** The minor index of our address with this spend key, hexadecimal; null for a stranger's. */
export type MinorOf = (spendKey: string) => number | null;

/** Multiplications that looking at it costs at most: one for each key, and for each output whose view tag fits. */
export function costOf({ extra, outputs }: ParsedTransaction): number {
	const { keys, more } = transactionKeys(extra, outputs.length);
	return keys.length + more.length + outputs.length;
}

/** An output with a key, or an amount, that is none is nobody's. */
export function received(
	{ extra, outputs }: ParsedTransaction,
	secretViewKey: bigint,
	minorOf: MinorOf,
): readonly Received[] {
	const { keys, more } = transactionKeys(extra, outputs.length);
	const shared = keys.flatMap((key) => derivation(key, secretViewKey));
	return outputs.flatMap((output, i) => {
		const own = more[i];
		for (const secret of [...shared, ...(own ? derivation(own, secretViewKey) : [])]) {
			const found = receivedBy(output, concatBytes(secret, varint(i)), minorOf);
			if (found) return [found];
		}
		return [];
	});
}

/** The secret that payer and recipient share; nothing where the key is no point. */
function derivation(key: Uint8Array, secretViewKey: bigint): Uint8Array[] {
	const point = pointOf(key);
	return point ? [point.multiplyUnsafe(secretViewKey).clearCofactor().toBytes()] : [];
}

function receivedBy(
	{ key, viewTag, amount, hidden }: TransactionOutput,
	secretAt: Uint8Array,
	minorOf: MinorOf,
): Received | null {
	if (viewTag !== null && keccak_256(concatBytes(VIEW_TAG, secretAt))[0] !== viewTag) return null;
	const point = pointOf(key);
	if (!point) return null;
	const { BASE, Fn } = ed25519Points();
	const scalar = hashToScalar(secretAt);
	const spendKey = point.subtract(BASE.multiplyUnsafe(scalar)).toHex();
	const minor = minorOf(spendKey);
	if (minor === null) return null;
	const found = { key: hex.encode(key), minor, spendKey };
	if (!hidden) return { ...found, amount };
	const opened = openedAmount(hidden, Fn.toBytes(scalar));
	return opened === null ? null : { ...found, amount: opened };
}

/** Null where the commitment is to another amount: then the output cannot be spent. */
function openedAmount(
	{ amount: masked, commitment }: NonNullable<TransactionOutput['hidden']>,
	scalar: Uint8Array,
): bigint | null {
	const pad = keccak_256(concatBytes(AMOUNT, scalar)).subarray(0, AMOUNT_BYTES);
	const amount = littleEndian(masked.map((byte, i) => byte ^ (pad[i] ?? 0)));
	const { BASE } = ed25519Points();
	const mask = BASE.multiplyUnsafe(hashToScalar(MASK, scalar));
	const wanted = pointOf(H)?.multiplyUnsafe(amount).add(mask);
	return wanted && wanted.toHex() === hex.encode(commitment) ? amount : null;
}

function pointOf(bytes: Uint8Array): CurvePoint | null {
	try {
		return ed25519Points().fromBytes(bytes);
	} catch {
		return null;
	}
}

/** Tags of Monero's tx_extra.h. */
const [PADDING, KEY, NONCE, MERGE_MINING, MORE_KEYS, MINERGATE] = [0, 1, 2, 3, 4, 0xde];
const KEY_BYTES = 32;
/** Each costs a multiplication. What monerod relays has room for this many. */
const MAX_KEYS = 32;

interface TransactionKeys {
	/** Each may be the one of any output. */
	readonly keys: readonly Uint8Array[];
	/** One for each output, in order; empty where no recipient is a subaddress beside others. */
	readonly more: readonly Uint8Array[];
}

/**
 * The keys that its payer put into `extra`. Anybody may write anything there: what can be read counts, up to where it
 * cannot, as Monero's own wallet does it. `outputs`: how many the transaction has.
 */
function transactionKeys(extra: Uint8Array, outputs: number): TransactionKeys {
	const reader = new Reader(extra);
	const keys: Uint8Array[] = [];
	let more: Uint8Array[] = [];
	try {
		while (!reader.isAtEnd) {
			const tag = reader.byte();
			if (tag === KEY) keys.push(reader.take(KEY_BYTES));
			else if (tag === NONCE || tag === MERGE_MINING || tag === MINERGATE) reader.take(reader.count());
			else if (tag === MORE_KEYS) more = Array.from({ length: reader.count() }, () => reader.take(KEY_BYTES));
			else if (tag !== PADDING) break;
		}
	} catch {
		// The rest cannot be read.
	}
	return { keys: keys.slice(0, MAX_KEYS), more: more.slice(0, outputs) };
}
