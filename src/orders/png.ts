/** Two-colour PNG images (W3C PNG, third edition): greyscale of one bit a pixel, one IDAT chunk. Pure. */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bit depth 1, greyscale, and the only compression, filter method and interlacing that matter here: 0. */
const FORMAT = [1, 0, 0, 0, 0];

/** A square of `size` pixels, a multiple of 8, each black where `isDark` and white elsewhere. */
export async function squarePng(size: number, isDark: (x: number, y: number) => boolean): Promise<Uint8Array> {
	const rowBytes = 1 + size / 8;
	// A row begins with its filter type, 0: none. A bit that is set is white.
	const rows = new Uint8Array(rowBytes * size);
	for (let y = 0; y < size; y++) {
		for (let x = 0; x < size; x++) {
			if (!isDark(x, y)) setBit(rows, y * rowBytes + 1, x);
		}
	}
	const header = Uint8Array.of(...bigEndian(size), ...bigEndian(size), ...FORMAT);
	const chunks = [chunk('IHDR', header), chunk('IDAT', await zlib(rows)), chunk('IEND', new Uint8Array())];
	return Uint8Array.from([...SIGNATURE, ...chunks.flat()]);
}

/** Bit `x` of the row whose pixels begin at `start`, the leftmost pixel in the highest bit. */
function setBit(rows: Uint8Array, start: number, x: number): void {
	const at = start + (x >> 3);
	rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7));
}

/** The runtime's `deflate` is RFC 1950, which is what an IDAT holds. */
async function zlib(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
	return new Uint8Array(await new Response(compressed).arrayBuffer());
}

function chunk(type: string, data: Uint8Array): number[] {
	const typeAndData = [...new TextEncoder().encode(type), ...data];
	return [...bigEndian(data.length), ...typeAndData, ...bigEndian(crc32(typeAndData))];
}

/** CRC-32 of ISO 3309, reflected, as PNG's annex D defines it; an image of ours is too small to want a table. */
function crc32(bytes: readonly number[]): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/** 32 bits, the highest byte first. */
const bigEndian = (number: number): number[] => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
