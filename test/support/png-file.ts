/** PNG files, also such as no program writes. */
import { crc32, deflateSync } from 'node:zlib';

export function chunk(name: string, content: Uint8Array): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(content.length);
	const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

interface Asked {
	readonly width: number;
	readonly height: number;
	/** Bits of each of the four channels. */
	readonly depth?: number;
	readonly interlace?: number;
	/** What stands in IDAT; black pixels where nothing is said. */
	readonly data?: Uint8Array;
	readonly between?: readonly Buffer[];
}

/** RGBA. */
export function pngOf({ width, height, depth = 8, interlace = 0, data, between = [] }: Asked): Buffer<ArrayBuffer> {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([depth, 6, 0, 0, interlace], 8);
	const pixels = data ?? deflateSync(Buffer.alloc(height * (1 + (width * depth * 4) / 8)));
	const signature = Buffer.from('89504e470d0a1a0a', 'hex');
	return Buffer.concat([
		...[signature, chunk('IHDR', header), ...between],
		...[chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
	]);
}
