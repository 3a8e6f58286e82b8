/** Files to keep, CSV or JSON: made while they are read, so that years of rows need no memory. */
import { utcDay } from '../platform/time.ts';
import type { Desk } from '../ports/desk.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;

export type FileFormat = keyof typeof TYPES;

export const FILE_FORMATS = Object.keys(TYPES) as readonly FileFormat[];

const CHUNK_LENGTH = 64 * 1024;

/** `name`: without day and ending. What `texts` throws breaks the file off, and the browser says so. */
export function fileOf(name: string, format: FileFormat, texts: AsyncGenerator<string>): Response {
	const day = utcDay(Date.now());
	return new Response(streamOf(texts), {
		headers: {
			'content-type': TYPES[format],
			'content-disposition': `attachment; filename="${name}-${day}.${format}"`,
			'cache-control': 'no-store',
			'x-content-type-options': 'nosniff',
		},
	});
}

/** The desk for a file, which is read on after its request was answered: a stub that is handed over ends before. */
export function keptDesk(desk: Desk): Desk {
	return 'dup' in desk && typeof desk.dup === 'function' ? desk.dup() : desk;
}

/** Reads on only as fast as the reader takes it. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			let chunk = '';
			for (let next = await texts.next(); ; next = await texts.next()) {
				if (!next.done) chunk += next.value;
				if (!next.done && chunk.length < CHUNK_LENGTH) continue;
				if (chunk !== '') controller.enqueue(encoder.encode(chunk));
				if (next.done) controller.close();
				return;
			}
		},
	});
}
