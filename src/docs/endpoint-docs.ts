/**
 * What the reference says of one endpoint, beside what the surface's table says of it already. The row does not compile
 * without it. Schemas are the ones that the handler parses with and that tests hold the responses against.
 */
import type { z } from 'zod';
import type { ErrorCode, RefusalMessage } from '../http/refusals.ts';

/** The groups of the reference, in its order. */
export const TAGS = {
	Quotes: 'What can be swapped, and for how much. Unsigned calls are welcome.',
	Orders: 'Create an order, follow it, decide where it asks for a decision.',
	'Reference codes': 'Codes under one apiKey, each with its own afftax.',
	Keys: 'Rotate your own secrets.',
	Feeds: 'Public rate feeds for monitors.',
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;

export interface EndpointDocs {
	/** Unique, camelCase: `operationId`, and the anchor of the page. */
	readonly id: string;
	readonly tag: Tag;
	readonly summary: string;
	/** Lines of Markdown. */
	readonly description: readonly string[];
	/** Null where no body is sent. */
	readonly request: RequestDocs | null;
	readonly response: EnvelopeDocs | DocumentDocs;
	/** As the specification lists them; those that every endpoint of its kind has are added by the document. */
	readonly errors: readonly ErrorCode[];
	/** Texts of code 1 that are not its constant. */
	readonly messages?: readonly RefusalMessage[];
	readonly takesIdempotencyKey?: boolean;
}

interface RequestDocs {
	readonly schema: z.ZodType;
	readonly example: unknown;
	/** Zero bytes are as good. */
	readonly optional?: boolean;
}

/** `{ code: 0, msg: '', data }`. */
interface EnvelopeDocs {
	readonly data: z.ZodType;
	readonly description: string;
	readonly example: unknown;
}

/** A whole document with an ETag, for GET and HEAD: what a feed answers. */
export interface DocumentDocs {
	readonly contentType: string;
	readonly description: string;
	readonly example: string;
}

/** A row of the surface, as far as the reference reads it. */
export interface DocumentedEndpoint {
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	readonly auth: 'required' | 'optional' | 'none';
	readonly weight: number;
	readonly docs: EndpointDocs;
}
