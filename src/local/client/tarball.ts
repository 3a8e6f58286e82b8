/** A `.tgz` of files: the same bytes for the same files, on every machine, so that its hash says what is in it. */
import { gzipSync } from 'node:zlib';

const BLOCK = 512;
/** As npm dates them: there are readers that take no file from before 1980. */
const MODIFIED = Date.UTC(1985, 9, 26, 8, 15) / 1_000;
/** The byte of gzip's header that names the system, and its value for an unknown one. */
const SYSTEM = { at: 9, unknown: 255 };

/** By their paths within the archive, of at most 100 letters. */
export function tarball(files: ReadonlyMap<string, string | Uint8Array>): Uint8Array {
	const entries = [...files]
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([path, content]) => entry(path, Buffer.from(content)));
	const zipped = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 });
	zipped[SYSTEM.at] = SYSTEM.unknown;
	return zipped;
}

function entry(path: string, content: Buffer): Buffer {
	const header = Buffer.alloc(BLOCK);
	const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
	header.write(path, 0);
	header.write(octal(0o644, 7), 100);
	header.write(octal(0, 7), 108);
	header.write(octal(0, 7), 116);
	header.write(octal(content.length, 11), 124);
	header.write(octal(MODIFIED, 11), 136);
	header.write(' '.repeat(8), 148);
	header.write('0', 156);
	header.write('ustar\0', 257);
	header.write('00', 263);
	header.write(`${octal(sumOf(header), 6)} `, 148);
	return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}

function sumOf(bytes: Uint8Array): number {
	let sum = 0;
	for (const byte of bytes) sum += byte;
	return sum;
}
