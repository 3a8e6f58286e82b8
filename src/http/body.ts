/** The request's bytes: read once, signed as they are, parsed from what was signed (decisions.md "Envelope"). */
import { type Refusal, refuse } from './refusal.ts';

const MAX_BODY_BYTES = 16 * 1024;

/**
 * The body's bytes; a refusal when there are more than `MAX_BODY_BYTES`, of which no more than that are read, and when
 * the caller breaks off or garbles its chunks: that is the caller's mistake, so nobody's 99.
 */
export async function readBody(request: Request): Promise<Uint8Array | Refusal> {
	try {
		return (await bytesOf(request)) ?? refuse('INVALID_REQUEST', 'body too large', { status: 413 });
	} catch (error) {
		return refuse('INVALID_REQUEST', `body broken off: ${error}`);
	}
}

/** Null when there are too many. @throws when the connection does not bring them. */
async function bytesOf(request: Request): Promise<Uint8Array | null> {
	if (!request.body) return new Uint8Array();
	const length = request.headers.get('content-length');
	if (length !== null && Number(length) > MAX_BODY_BYTES) return null;
	// A declared length within the limit is enforced by the runtime, so the short way is safe.
	if (length !== null) return new Uint8Array(await request.arrayBuffer());
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of request.body) {
		size += part.byteLength;
		if (size > MAX_BODY_BYTES) return null;
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

/** The parsed JSON of valid UTF-8, numbers named `amount` as `NumberText`; undefined for anything else. */
export function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(decoder.decode(bytes), keepAmountText);
	} catch {
		return undefined;
	}
}

function keepAmountText(key: string, value: unknown, context?: { source?: string }): unknown {
	return key === 'amount' && typeof value === 'number' && context?.source !== undefined
		? new NumberText(context.source)
		: value;
}
