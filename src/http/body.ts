/** The request's bytes: read once, and parsed from exactly the bytes that were signed. */
import type { Refusal } from './refusals.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** This much of a body that is too large is read, where a signature is to be checked over it. */
const MAX_SIGNED_BYTES = 256 * 1024;

/**
 * The bytes, and what is wrong with them as a body; only an admitted caller is told. A body that is too large may have
 * been read whole. `bytes` is null where it was not: then no signature over them can be checked.
 */
export type Body =
	| { readonly bytes: Uint8Array; readonly refusal: null }
	| { readonly bytes: Uint8Array | null; readonly refusal: Refusal };

/**
 * The body, and a refusal when it has more than `MAX_BODY_BYTES`, or when the caller aborts or sends a malformed chunk:
 * a client error (code 1), not 99. `isSigned`: a body that is too large is read up to `MAX_SIGNED_BYTES`, because a valid
 * signature over it tells the partner from a stranger who only knows the public apiKey.
 */
export async function readBody(request: Request, isSigned = false): Promise<Body> {
	try {
		const bytes = await bytesOf(request, isSigned ? MAX_SIGNED_BYTES : MAX_BODY_BYTES);
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return { bytes, refusal: { kind: 'body-too-large' } };
		return { bytes, refusal: null };
	} catch (error) {
		return { bytes: null, refusal: { kind: 'body-broken-off', error: String(error) } };
	}
}

/** Null when there are more than `most`, of which no more are read. @throws when the connection does not bring them. */
async function bytesOf(request: Request, most: number): Promise<Uint8Array | null> {
	const length = request.headers.get('content-length');
	if (length !== null && Number(length) > most) return null;
	// A declared length within the limit is enforced by the runtime, so the short way is safe. It makes no stream of the
	// body, as `request.body` does.
	if (length !== null) return new Uint8Array(await request.arrayBuffer());
	if (!request.body) return new Uint8Array();
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of request.body) {
		size += part.byteLength;
		if (size > most) return null;
		parts.push(part);
	}
	return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON number, kept as the text that the caller wrote: money is never read through a float. */
export class NumberText {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

/** JSON without a match has no number named `amount`: a name may be written with escapes, which need a backslash. */
const MAYBE_AMOUNT = /"amount"\s*:\s*[-\d]|\\/;

/**
 * The parsed JSON of valid UTF-8, numbers named `amount` as `NumberText`; undefined for anything else. Most bodies have none,
 * and to look at each value costs more than the parsing.
 */
export function parseJson(bytes: Uint8Array): unknown {
	try {
		const text = decoder.decode(bytes);
		return MAYBE_AMOUNT.test(text) ? JSON.parse(text, keepAmountText) : JSON.parse(text);
	} catch {
		return undefined;
	}
}

function keepAmountText(key: string, value: unknown, context?: { source?: string }): unknown {
	return key === 'amount' && typeof value === 'number' && context?.source !== undefined
		? new NumberText(context.source)
		: value;
}
