/**
 * A PNG of black and white: one bit a pixel, compressed by the platform. The format (RFC 2083) is a few chunks around
 * that; a library would bring a compressor of its own.
 */

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
/** The reversed polynomial of CRC-32. */
const POLYNOMIAL = 0xedb88320;
/** One bit a pixel, greyscale, and the only compression, filter and interlace that there are or that we use. */
const FORMAT = [1, 0, 0, 0, 0] as const;

/** `side`: pixels of the square's side, a multiple of eight. */
export async function squarePng(side: number, isDark: (row: number, column: number) => boolean): Promise<Uint8Array> {
	const rowBytes = 1 + side / BITS;
	const rows = new Uint8Array(rowBytes * side);
	for (let row = 0; row < side; row++) {
		// The first byte of a row names its filter: none. A bit that is set is white.
		for (let column = 0; column < side; column++) {
			if (isDark(row, column)) continue;
			const at = row * rowBytes + 1 + Math.floor(column / BITS);
			rows[at] = (rows[at] ?? 0) | (0x80 >> (column % BITS));
		}
	}
	const header = Uint8Array.of(...bigEndian(side), ...bigEndian(side), ...FORMAT);
	const parts = [
		...[SIGNATURE, chunk('IHDR', header), chunk('IDAT', await compressed(rows))],
		chunk('IEND', new Uint8Array()),
	];
	return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** In zlib's format, which is the PNG's. */
async function compressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function chunk(type: string, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	const typed = Uint8Array.of(...new TextEncoder().encode(type), ...content);
	return Uint8Array.of(...bigEndian(content.length), ...typed, ...bigEndian(crc32(typed)));
}

const bigEndian = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);

function crc32(bytes: Uint8Array): number {
	let sum = 0xffffffff;
	for (const byte of bytes) {
		sum ^= byte;
		for (let bit = 0; bit < BITS; bit++) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
	}
	return ~sum >>> 0;
}
