/** Reads the bytes of blocks and transactions in order. Pure. */
import { ChainUnavailable } from '../errors.ts';

export interface ByteReader {
	/** Where the next byte is. */
	readonly at: () => number;
	readonly rest: () => number;
	readonly byte: () => number;
	readonly u32: () => number;
	readonly u64: () => bigint;
	/** Bitcoin's compact size. */
	readonly count: () => number;
	/** A view, not a copy. */
	readonly take: (length: number) => Uint8Array;
	/** As many as a compact size in front of them says. */
	readonly counted: () => Uint8Array;
	/** The next byte, which stays the next. */
	readonly peek: () => number | undefined;
	/** The bytes from there on that have been read, or so many of them. */
	readonly since: (from: number, length?: number) => Uint8Array;
}

const TWO_BYTES = 0xfd;
const FOUR_BYTES = 0xfe;

/** Each method throws `ChainUnavailable` where the bytes end too early. */
export function byteReader(bytes: Uint8Array): ByteReader {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let next = 0;
	const pass = (length: number): number => {
		if (length > bytes.length - next) throw new ChainUnavailable('the bytes end too early');
		next += length;
		return next - length;
	};
	const u32 = (): number => view.getUint32(pass(4), true);
	const byte = (): number => view.getUint8(pass(1));
	const count = (): number => {
		const first = byte();
		if (first < TWO_BYTES) return first;
		if (first === TWO_BYTES) return view.getUint16(pass(2), true);
		if (first === FOUR_BYTES) return u32();
		throw new ChainUnavailable('a count in the bytes is too large');
	};
	const take = (length: number): Uint8Array => {
		const from = pass(length);
		return bytes.subarray(from, from + length);
	};
	return {
		at: () => next,
		rest: () => bytes.length - next,
		byte,
		u32,
		u64: () => view.getBigUint64(pass(8), true),
		count,
		take,
		counted: () => take(count()),
		peek: () => bytes[next],
		since: (from, length = next - from) => bytes.subarray(from, from + length),
	};
}
