/** Reads the bytes of blocks and transactions in order. Pure. */
import { ChainUnavailable } from '../errors.ts';

export type ByteReader = ReturnType<typeof byteReader>;

const TWO_BYTES = 0xfd;
const FOUR_BYTES = 0xfe;

/** Each method throws `ChainUnavailable` where the bytes end too early. */
export function byteReader(bytes: Uint8Array) {
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
		/** Where the next byte is. */
		at: () => next,
		rest: () => bytes.length - next,
		byte,
		u32,
		u64: () => view.getBigUint64(pass(8), true),
		/** Bitcoin's compact size. */
		count,
		/** A view, not a copy. */
		take,
		/** As many as a compact size in front of them says. */
		counted: () => take(count()),
		/** The next byte, which stays the next. */
		peek: () => bytes[next],
		/** The bytes from there on that have been read, or so many of them. */
		since: (from: number, length = next - from): Uint8Array => bytes.subarray(from, from + length),
	};
}
