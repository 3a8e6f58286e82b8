/**
 * An endpoint, as far as the reference reads it. Schemas are the ones that requests are parsed with and that tests compare
 * the answers with.
 */
import type { z } from 'zod/mini';
import type { ErrorCode, RefusalMessage } from '../http/refusals.ts';
import type { KeyKind } from '../partners/partner.ts';

/** The groups of the reference, in its order. */
export const TAGS = {
	Quotes: 'What can be swapped, and for how much. Unsigned calls are welcome.',
	Orders: 'Create an order, follow it, decide where it asks for a decision.',
	'Reference codes': 'Codes under one apiKey, each with its own afftax.',
	Earnings: 'What your margin has earned.',
	Keys: 'Rotate your own secrets; make and revoke scoped keys.',
	Events: 'What the service posts to your endpoint.',
	Feeds: 'Public rate feeds for monitors.',
	Sandbox: 'On a public sandbox: keys of your own, and deposits by call.',
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;

/** The parts of an endpoint that a call needs. */
export interface DeclaredEndpoint {
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	/** `required`: signed calls only. `optional`: anonymous ones as well. `none`: credentials do not count. */
	readonly auth: 'required' | 'optional' | 'none';
	/** Weight units that an admitted call spends. */
	readonly weight: number;
	/** Unique, camelCase: `operationId`, and the anchor of the page. */
	readonly id: string;
	/** Null where no body is sent. */
	readonly request: RequestBody | null;
	readonly takesIdempotencyKey?: boolean;
	/** The kinds of scoped keys that may call it, beside the first key; absent where no key counts. */
	readonly admits?: readonly KeyKind[];
	/** The contract does not have it: a signed call is in timestamp mode (book: contract, "Beyond the contract"). */
	readonly isAddition?: true;
}

export interface RequestBody {
	readonly schema: z.ZodMiniType;
	/** The body may be `{}` or zero bytes, and nothing else but the fields that the schema names. */
	readonly isEmpty?: true;
	/** The fields stand in the address, and no body is sent. */
	readonly inQuery?: true;
}

/** A function, which only what makes the document calls: so no Worker's bundle has the texts and the schemas of answers. */
export type EndpointDocs = () => Documentation;

export interface Documentation {
	readonly tag: Tag;
	readonly summary: string;
	/** Lines of Markdown. */
	readonly description: readonly string[];
	/** A body; absent where none is sent. */
	readonly example?: unknown;
	/** The query of a document: each name with its rule. */
	readonly query?: Readonly<Record<string, string>>;
	readonly response: EnvelopeDocs | DocumentDocs;
	/** Those of the contract; the document adds those that every endpoint of its kind has. */
	readonly errors: readonly ErrorCode[];
	/** Texts of code 1 that are not its constant. */
	readonly messages?: readonly RefusalMessage[];
}

export type DocumentedEndpoint = DeclaredEndpoint & Documentation;

/** `{ code: 0, msg: '', data }`. */
export interface EnvelopeDocs {
	readonly data: z.ZodMiniType;
	readonly description: string;
	readonly example: unknown;
}

/** A whole document with an ETag, for GET and HEAD: what a feed answers. */
export interface DocumentDocs {
	readonly contentType: string;
	readonly description: string;
	readonly example: string;
}
