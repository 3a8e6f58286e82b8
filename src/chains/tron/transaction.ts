/**
 * Tron transactions as bytes: protobuf of `Transaction.raw` (java-tron's Tron.proto), for the two kinds that this
 * service makes. Pure, and without any key.
 *
 * A transaction has no nonce. It names a reference block (TAPOS) and an expiry after which no block takes it. Its id is
 * the hash of all its fields. Two equal payments need two ids, or the chain would take the second for the first. So the
 * payment's id shifts both times. That is free, whereas a note in the data would cost 1 TRX.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { addressBytes, hashOf } from './address.ts';
import type { Header } from './shapes.ts';

/**
 * From the chain's time to the expiry. The network allows 24 hours; one hour is kept for nodes that are behind. The
 * rest is used in full, so that a payout that could not be sent for most of a day is still valid. Once expired, it can
 * never be sent, and is signed again (`dead.ts`).
 */
const LIFE_MILLISECONDS = 23 * HOUR_MILLISECONDS;
/** How far the payment's id shifts each of the two times: 43 bits together. */
const SPREAD_MILLISECONDS = HOUR_MILLISECONDS;
const SIGNATURE_BYTES = 65;
/** The permission that both judges sign under (`permissions.ts`): the first that an account may add. */
export const JUDGES_PERMISSION = 2;
/** Bytes that the network counts for the result, beside the transaction's own. */
const RESULT_BYTES = 64;
const TRANSFER_SELECTOR = 'a9059cbb';
const WORD_DIGITS = 64;
const TRANSFER_CALL = new RegExp(`^${TRANSFER_SELECTOR}0{24}([0-9a-f]{40})([0-9a-f]{64})$`);

export interface Transfer {
	readonly from: string;
	readonly to: string;
	readonly amount: bigint;
}

export interface TokenTransfer extends Transfer {
	readonly contract: string;
	/** The most sun that its energy may cost. */
	readonly feeLimit: bigint;
}

/** The reference block and the times of a transaction. */
export interface Frame {
	readonly block: Pick<Header, 'height' | 'id'>;
	/** Unix milliseconds. */
	readonly expiration: number;
	readonly timestamp: number;
	/** Whose signatures it needs: 0, which is left out, where the account's own key signs alone. */
	readonly permission?: number;
}

/**
 * `solid`: a solidified block, which is valid on every branch. `now`: the time of the chain's head, Unix milliseconds.
 * `id`: of the payment.
 */
export function frameOn(solid: Header, now: number, id: string): Frame {
	const digest = new DataView(sha256(new TextEncoder().encode(id)).buffer);
	return {
		block: solid,
		expiration: now + LIFE_MILLISECONDS - (digest.getUint32(0) % SPREAD_MILLISECONDS),
		timestamp: now - (digest.getUint32(4) % SPREAD_MILLISECONDS),
	};
}

export function rawTransfer({ from, to, amount }: Transfer, frame: Frame): Uint8Array {
	const body = [bytes(1, addressBytes(from)), bytes(2, addressBytes(to)), number(3, amount)];
	return rawOf({ type: 1, name: 'TransferContract', body: concatBytes(...body) }, frame, 0n);
}

export function rawTokenTransfer(transfer: TokenTransfer, frame: Frame): Uint8Array {
	const data = hex.decode(transferData(transfer));
	const body = [bytes(1, addressBytes(transfer.from)), bytes(2, addressBytes(transfer.contract)), bytes(4, data)];
	return rawOf({ type: 31, name: 'TriggerSmartContract', body: concatBytes(...body) }, frame, transfer.feeLimit);
}

/** A call of `transfer(address,uint256)`, hex. */
export const transferData = (transfer: Pick<Transfer, 'to' | 'amount'>): string =>
	TRANSFER_SELECTOR + transferParameter(transfer);

/** Its arguments, ABI-encoded, hex. */
export const transferParameter = ({ to, amount }: Pick<Transfer, 'to' | 'amount'>): string =>
	hashOf(to).padStart(WORD_DIGITS, '0') + amount.toString(16).padStart(WORD_DIGITS, '0');

/** The amount and the recipient's hash of a token contract's call, hex; null where it is another call. */
export function transferredBy(data: string): { readonly hash: string; readonly amount: bigint } | null {
	const [, hash, amount] = TRANSFER_CALL.exec(data) ?? [];
	return hash === undefined ? null : { hash, amount: BigInt(`0x${amount}`) };
}

export const transactionId = (raw: Uint8Array): string => hex.encode(sha256(raw));

/** The body of `/wallet/broadcasthex`. `signatures`: r, s and the recovery byte of each. */
export const signedTransaction = (raw: Uint8Array, ...signatures: readonly Uint8Array[]): string =>
	hex.encode(concatBytes(bytes(1, raw), ...signatures.map((signature) => bytes(2, signature))));

/** Bytes of the transaction with one signature that the network charges for. */
export const bandwidthOf = (raw: Uint8Array): number =>
	concatBytes(bytes(1, raw), bytes(2, new Uint8Array(SIGNATURE_BYTES))).length + RESULT_BYTES;

/** Id of what `signedTransaction` made; null for any other text. */
export function idOfSigned(text: string): string | null {
	try {
		const all = hex.decode(text);
		const { value: length, next } = readVarint(all, 1);
		const raw = all.subarray(next, next + length);
		return all[0] === tag(1, LENGTH_DELIMITED) && length > 0 && raw.length === length ? transactionId(raw) : null;
	} catch {
		return null;
	}
}

/** Its raw bytes, and its signatures; null for text that `signedTransaction` has not made. */
export function partsOfSigned(text: string): { readonly raw: Uint8Array; readonly signatures: Uint8Array[] } | null {
	if (idOfSigned(text) === null) return null;
	const all = hex.decode(text);
	const { value: length, next } = readVarint(all, 1);
	const signatures: Uint8Array[] = [];
	for (let at = next + length; at < all.length; at += 2 + SIGNATURE_BYTES)
		signatures.push(all.subarray(at + 2, at + 2 + SIGNATURE_BYTES));
	const raw = all.subarray(next, next + length);
	return signedTransaction(raw, ...signatures) === text ? { raw, signatures } : null;
}

/**
 * Reads what its maker chose freely: the frame, and the fee limit. From other bytes it may read anything, so the caller makes the
 * transaction again from it and compares. Null where it cannot be read.
 */
export function chosenIn(text: string): { readonly frame: Frame; readonly feeLimit: bigint } | null {
	const [reference, parts] = [referenceOf(text), partsOfSigned(text)];
	if (!reference || !parts) return null;
	const { raw } = parts;
	const varintAt = (at: number) => readVarint(raw, at);
	try {
		const expiration = varintAt(4 + REFERENCE_BYTES.low + REFERENCE_BYTES.hash + 1);
		const contract = varintAt(expiration.next + 1);
		const timestamp = varintAt(contract.next + contract.value + 1);
		// A tag of two bytes, or nothing.
		const limit = timestamp.next < raw.length ? varintAt(timestamp.next + 2).value : 0;
		const block = { height: reference.low, id: `${'0'.repeat(16)}${reference.hash}${'0'.repeat(32)}` };
		const frame = { block, expiration: expiration.value, timestamp: timestamp.value };
		return { frame, feeLimit: BigInt(limit) };
	} catch {
		return null;
	}
}

const REFERENCE_BYTES = { low: 2, hash: 8 } as const;

/** Last two bytes of the height, and part of the id, of the block on which it was signed; null for any other text. */
export function referenceOf(text: string): { readonly low: number; readonly hash: string } | null {
	if (idOfSigned(text) === null) return null;
	const all = hex.decode(text);
	// As `rawOf` writes it: both fields come first, each with a tag and its length.
	const at = readVarint(all, 1).next;
	const low = all.subarray(at + 2, at + 2 + REFERENCE_BYTES.low);
	const hash = all.subarray(at + 4 + REFERENCE_BYTES.low, at + 4 + REFERENCE_BYTES.low + REFERENCE_BYTES.hash);
	return { low: Number.parseInt(hex.encode(low), 16), hash: hex.encode(hash) };
}

export function rawOf(
	{ type, name, body }: { readonly type: number; readonly name: string; readonly body: Uint8Array },
	frame: Frame,
	feeLimit: bigint,
): Uint8Array {
	const any = [bytes(1, new TextEncoder().encode(`type.googleapis.com/protocol.${name}`)), bytes(2, body)];
	const contract = [number(1, BigInt(type)), bytes(2, concatBytes(...any)), number(5, BigInt(frame.permission ?? 0))];
	const { height, id } = frame.block;
	return concatBytes(
		bytes(1, Uint8Array.of((height >> 8) & 0xff, height & 0xff)),
		bytes(4, hex.decode(id.slice(16, 32))),
		number(8, BigInt(frame.expiration)),
		bytes(11, concatBytes(...contract)),
		number(14, BigInt(frame.timestamp)),
		number(18, feeLimit),
	);
}

/** Protobuf's wire types. */
const VARINT = 0;
const LENGTH_DELIMITED = 2;

const tag = (field: number, wireType: number): number => (field << 3) | wireType;

export const bytes = (field: number, value: Uint8Array): Uint8Array =>
	concatBytes(varint(BigInt(tag(field, LENGTH_DELIMITED))), varint(BigInt(value.length)), value);

/** A zero is left out. */
export const number = (field: number, value: bigint): Uint8Array =>
	value === 0n ? new Uint8Array() : concatBytes(varint(BigInt(tag(field, VARINT))), varint(value));

function varint(value: bigint): Uint8Array {
	const groups: number[] = [];
	for (let rest = value; rest > 0n || groups.length === 0; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
	const last = groups.length - 1;
	return Uint8Array.from(groups, (group, at) => (at === last ? group & 0x7f : group));
}

/** Reads a length or a time, which has at most seven groups. @throws RangeError */
function readVarint(from: Uint8Array, start: number): { readonly value: number; readonly next: number } {
	let value = 0;
	for (let at = start; at < start + 7; at += 1) {
		const group = from[at] ?? 0;
		value += (group & 0x7f) * 2 ** (7 * (at - start));
		if (group < 0x80) return { value, next: at + 1 };
	}
	throw new RangeError('no number');
}
