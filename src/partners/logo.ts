/**
 * A partner's logo. What they send is never shown: its header is checked before a pixel is decoded, only the chunks that
 * draw are decoded, by a bounded inflater, and what is kept is a new image of at most 240 × 80 pixels and 256 colours. So a
 * bomb is refused, and what is hidden in a file stays behind. Pure.
 */
import { hex } from '@scure/base';
import { MAX_INFLATED_BYTES } from '../platform/pako.ts';

/** The largest file, its sides and its pixels. */
export const MAX_LOGO_BYTES = 262_144;
const MAX_SIDE = 2_048;
const MAX_PIXELS = 524_288;
/** The image that is kept. */
const WIDTH = 240;
const HEIGHT = 80;
const COLOURS = 256;

export interface Logo {
	/** As `LOGO_NAME` has it. */
	readonly name: string;
	readonly png: Uint8Array<ArrayBuffer>;
}

export const hashOf = async (png: Uint8Array<ArrayBuffer>): Promise<string> =>
	hex.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', png)));

/** Or why it is none, as the end of a sentence. The library is evaluated at the first image. */
export async function logoOf(file: Uint8Array): Promise<Logo | { readonly problem: string }> {
	const drawn = drawingOf(file);
	if ('problem' in drawn) return drawn;
	const { default: UPNG } = await import('upng-js');
	try {
		const image = UPNG.decode(drawn.bytes.buffer);
		const [pixels] = UPNG.toRGBA8(image);
		if (!pixels) return { problem: 'it has no image' };
		const { width, height, rgba } = fitted(new Uint8Array(pixels), drawn);
		const png = new Uint8Array(UPNG.encode([rgba.buffer], width, height, COLOURS));
		return { name: `${await hashOf(png)}-${width}x${height}`, png };
	} catch {
		return { problem: 'it is damaged' };
	}
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The chunks that draw, with the most bytes of each. Text, profiles and animations are left out. */
const DRAWS: Readonly<Record<string, number>> = { IHDR: 13, PLTE: 768, tRNS: 256, IDAT: MAX_LOGO_BYTES, IEND: 0 };
/** The bits of a channel, by the colour type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
	0: [1, 2, 4, 8, 16],
	2: [8, 16],
	3: [1, 2, 4, 8],
	4: [8, 16],
	6: [8, 16],
};
const PALETTE = 3;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Length, name and checksum of a chunk. */
const AROUND_CHUNK = 12;

interface Drawing {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly width: number;
	readonly height: number;
}

/** The file with the chunks that draw alone. */
function drawingOf(file: Uint8Array): Drawing | { readonly problem: string } {
	if (file.length > MAX_LOGO_BYTES) return { problem: `it has more than ${MAX_LOGO_BYTES / 1_024} KiB` };
	if (!SIGNATURE.every((byte, i) => file[i] === byte)) return { problem: 'it is no PNG file' };
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	const kept = [file.subarray(0, SIGNATURE.length)];
	const names: string[] = [];
	for (let at = SIGNATURE.length; at + AROUND_CHUNK <= file.length && names.at(-1) !== 'IEND'; ) {
		const end = at + AROUND_CHUNK + view.getUint32(at);
		const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
		const most = DRAWS[name];
		if (end > file.length || (most !== undefined && end - at - AROUND_CHUNK > most))
			return { problem: 'it is damaged' };
		if (most !== undefined) {
			kept.push(file.subarray(at, end));
			names.push(name);
		}
		at = end;
	}
	const once = (name: string) => names.filter((one) => one === name).length === 1;
	if (names[0] !== 'IHDR' || !once('IHDR') || !once('IEND') || !names.includes('IDAT'))
		return { problem: 'it is damaged' };
	return headed(kept, names.includes('PLTE'));
}

/** The header, at the place where the format has it. */
function headed(kept: readonly Uint8Array[], hasPalette: boolean): Drawing | { readonly problem: string } {
	const header = kept[1] ?? new Uint8Array(0);
	if (header.length !== AROUND_CHUNK + 13) return { problem: 'it is damaged' };
	const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
	const [width, height, depth, type] = [view.getUint32(8), view.getUint32(12), view.getUint8(16), view.getUint8(17)];
	if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
		return { problem: `it has more than ${MAX_PIXELS} pixels, or a side of more than ${MAX_SIDE}` };
	const isKnown = DEPTHS[type]?.includes(depth) && view.getUint8(18) === 0 && view.getUint8(19) === 0;
	if (width === 0 || height === 0 || !isKnown || (type === PALETTE && !hasPalette)) return { problem: 'it is damaged' };
	if (view.getUint8(20) !== 0) return { problem: 'it is interlaced; save it without' };
	const lineBytes = 1 + Math.ceil((width * depth * (CHANNELS[type] ?? 0)) / 8);
	if (lineBytes * height > MAX_INFLATED_BYTES) return { problem: 'it has too many colours for its size' };
	const bytes = new Uint8Array(kept.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of kept) {
		bytes.set(part, at);
		at += part.length;
	}
	return { bytes, width, height };
}

/** No larger than what is kept. */
function fitted(from: Uint8Array, { width: fromWidth, height: fromHeight }: Pick<Drawing, 'width' | 'height'>) {
	const scale = Math.min(1, WIDTH / fromWidth, HEIGHT / fromHeight);
	const width = Math.max(1, Math.round(fromWidth * scale));
	const height = Math.max(1, Math.round(fromHeight * scale));
	const rgba = new Uint8Array(width * height * 4);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const covered = { rows: span(y, height, fromHeight), columns: span(x, width, fromWidth), width: fromWidth };
			rgba.set(averageOf(from, covered), (y * width + x) * 4);
		}
	return { width, height, rgba };
}

interface Covered {
	readonly rows: readonly [start: number, end: number];
	readonly columns: readonly [start: number, end: number];
	/** The whole image's. */
	readonly width: number;
}

/** The average of pixels, weighed by how opaque they are. */
function averageOf(from: Uint8Array, { rows, columns, width }: Covered): readonly number[] {
	let [red, green, blue, alpha] = [0, 0, 0, 0];
	for (let row = rows[0]; row < rows[1]; row++)
		for (let at = (row * width + columns[0]) * 4; at < (row * width + columns[1]) * 4; at += 4) {
			const opaque = from[at + 3] ?? 0;
			red += (from[at] ?? 0) * opaque;
			green += (from[at + 1] ?? 0) * opaque;
			blue += (from[at + 2] ?? 0) * opaque;
			alpha += opaque;
		}
	const pixels = (rows[1] - rows[0]) * (columns[1] - columns[0]);
	const ofColours = alpha === 0 ? [0, 0, 0] : [red, green, blue].map((sum) => Math.round(sum / alpha));
	return [...ofColours, Math.round(alpha / pixels)];
}

/** The pixels of `from` that the one at `place` of `to` covers: at least one. */
function span(place: number, to: number, from: number): readonly [start: number, end: number] {
	const start = Math.floor((place * from) / to);
	return [start, Math.max(start + 1, Math.floor(((place + 1) * from) / to))];
}
