/** A feed as it is sent: made once for many answers, whole and unchanged. */
import { isNotModified } from '../http/conditional.ts';
import { FOR_BROWSERS } from '../http/for-browsers.ts';
import type { OpenCall, SentDocument } from '../ports/endpoint.ts';

export interface Prepared {
	readonly etag: string;
	readonly whole: SentDocument;
	readonly unchanged: SentDocument;
}

/** `etag`: strong and quoted. */
export function prepare(text: string, etag: string, contentType: string): Prepared {
	// Caches ask each time, which costs a 304: after maintenance began, no rate may be shown.
	const headers = { etag, 'cache-control': 'public, no-cache', ...FOR_BROWSERS };
	const body = new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
	return {
		etag,
		whole: { status: 200, headers: new Headers({ ...headers, 'content-type': contentType }), body },
		unchanged: { status: 304, headers: new Headers(headers), body: null },
	};
}

export const sentOf = ({ etag, whole, unchanged }: Prepared, { headers }: OpenCall): SentDocument =>
	isNotModified(headers.get('if-none-match'), etag) ? unchanged : whole;
