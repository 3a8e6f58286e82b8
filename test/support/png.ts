/**
 * A reader of our QR images' PNG format that compares everything: signature, chunk order, every checksum, every colour.
 */
import { crc32, inflateSync } from 'node:zlib';

export interface Bitmap {
	readonly width: number;
	readonly height: number;
	isDark(x: number, y: number): boolean;
	/** Four bytes a pixel, as scanners take them. */
	rgba(): Uint8ClampedArray;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const DATA_URL = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/;

/** @throws on anything but a `data:` URL of such an image, written as the standard demands. */
export function readPng(dataUrl: string): Bitmap {
	const png = Buffer.from(DATA_URL.exec(dataUrl)?.[1] ?? '', 'base64');
	if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
	const chunks = [...chunksOf(png.subarray(8))];
	const types = chunks.map(({ type }) => type).join();
	if (types !== 'IHDR,sRGB,PLTE,tRNS,IDAT,IEND') throw new Error(`chunks are ${types}`);
	const [header, , palette, alpha, data] = chunks.map(({ content }) => content) as [
		Buffer,
		Buffer,
		Buffer,
		Buffer,
		Buffer,
	];
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	if (header.subarray(8).toString('hex') !== '0203000000') throw new Error('not a palette of four colours');
	const rowBytes = 1 + Math.ceil(width / 4);
	const rows = inflateSync(data);
	if (rows.length !== rowBytes * height) throw new Error('rows are missing');
	const colours = Array.from(
		{ length: 4 },
		(_, i) => palette.toString('hex', 3 * i, 3 * i + 3) + alpha.toString('hex', i, i + 1),
	);
	const isDark = (x: number, y: number): boolean => {
		if (rows[y * rowBytes] !== 0) throw new Error('a row is filtered');
		const colour = colours[((rows[y * rowBytes + 1 + (x >> 2)] ?? 0) >> (6 - 2 * (x & 3))) & 3];
		if (colour !== '000000ff' && colour !== 'ffffffff') throw new Error(`a pixel is ${colour}`);
		return colour === '000000ff';
	};
	const rgba = () => {
		const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
		for (let at = 0; at < width * height; at++)
			if (isDark(at % width, Math.floor(at / width))) pixels.fill(0, 4 * at, 4 * at + 3);
		return pixels;
	};
	return { width, height, isDark, rgba };
}

function* chunksOf(bytes: Buffer): Generator<{ type: string; content: Buffer }> {
	for (let at = 0; at < bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const typeAndContent = bytes.subarray(at + 4, at + 8 + length);
		if (crc32(typeAndContent) !== bytes.readUInt32BE(at + 8 + length)) throw new Error('a checksum is wrong');
		yield { type: typeAndContent.toString('latin1', 0, 4), content: typeAndContent.subarray(4) };
		at += 12 + length;
	}
}
