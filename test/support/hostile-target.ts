/** One operation of the OpenAPI document as a target: a correct body, and the answers that it may give. */
import * as z from 'zod';
import type { OpenApiDocument } from '../../src/docs/document.ts';
import { type JsonSchema, resolved } from '../../src/docs/json-schemas.ts';
import type { Operation } from '../../src/docs/operation.ts';
import type { PlainAnswer } from './hostile-calls.ts';
import { misfits, type NamedOperation, operationsOf } from './openapi.ts';

export interface Target {
	/** `POST /api/v1/price`. */
	readonly name: string;
	readonly method: string;
	readonly path: string;
	readonly operation: Operation;
	readonly document: OpenApiDocument;
	/** The document's example with an order and codes that exist: it would be accepted. Null where no body is sent. */
	readonly base: Readonly<Record<string, unknown>> | null;
	readonly fields: readonly string[];
	/** What a field takes: `string`, `boolean`, … */
	readonly kindOf: (field: string) => string;
	readonly fits: (value: unknown) => boolean;
}

/** Fields that replace those of the example, by path. */
type Live = (name: string) => Readonly<Record<string, unknown>>;

export const targetsOf = (document: OpenApiDocument, live: Live): Target[] =>
	operationsOf(document)
		.filter(({ name }) => name.includes('/api/v1/'))
		.map((named) => targetOf(document, named, live(named.name)));

function targetOf(document: OpenApiDocument, { name, operation }: NamedOperation, live: ReturnType<Live>): Target {
	const [method = '', path = ''] = name.split(' ');
	const media = operation.requestBody?.content['application/json'];
	const example = media ? Object.entries(media.example as Record<string, unknown>) : null;
	const { schemas } = document.components;
	const body = media && resolved(schemas, media.schema);
	const text = JSON.stringify({ ...body, $defs: schemas });
	const parser = z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
	return {
		name,
		method,
		path,
		operation,
		document,
		base: example && Object.fromEntries(example.map(([field, value]) => [field, live[field] ?? value])),
		fields: Object.keys(body?.properties ?? { x: {} }),
		kindOf: (field) => String((body?.properties?.[field] as JsonSchema | undefined)?.type ?? 'any'),
		fits: (value) => parser.safeParse(value).success,
	};
}

export const rightBody = ({ base }: Target): Uint8Array => Buffer.from(base ? JSON.stringify(base) : '');

/**
 * One of `shares` for each field of each operation, in turn, so that the operations together use each share with each kind
 * of field. A kind that fewer fields have than there are shares is not shared out: null.
 */
export function turnsOf(targets: readonly Target[], shares: number): (target: Target, field: string) => number | null {
	const all = targets.flatMap((target) =>
		target.fields.map((field) => ({ target, field, kind: target.kindOf(field) })),
	);
	const turns = new Map<string, number | null>();
	for (const [, fields] of Map.groupBy(all, ({ kind }) => kind))
		for (const [i, { target, field }] of fields.entries())
			turns.set(`${target.name} ${field}`, fields.length < shares ? null : i % shares);
	return (target, field) => turns.get(`${target.name} ${field}`) ?? null;
}

/**
 * Operations that change nothing. Only these may be called with a correct body. `webhooks/test` is one for a partner without
 * a webhook URL.
 */
const READS = [
	'assets',
	'currencies',
	'pairs',
	'price',
	'order',
	'qr',
	'orders',
	'earnings',
	'limits',
	'validate-address',
	'webhooks/test',
	'webhooks/deliveries',
].map((name) => `POST /api/v1/${name}`);

export const isRead = ({ name }: Target): boolean => READS.includes(name) || name.startsWith('GET ');

/** Fields that name something that exists: any other text in them names nothing, so the call cannot be accepted. */
const NAMING = ['fromCcy', 'toCcy', 'fromNetwork', 'toNetwork', 'toAddress', 'refundAddress', 'id', 'token'];

/** Could a call with this body be accepted and change something? Then it is not hostile. */
export function mayChange(target: Target, bytes: Uint8Array): boolean {
	// No body at all is an empty one where none is needed.
	const given = bytes.length === 0 && target.operation.requestBody?.required === false ? Buffer.from('{}') : bytes;
	const value = isRead(target) ? undefined : (parsed(given) as Record<string, unknown> | undefined);
	if (value === undefined || !target.fits(value)) return false;
	const naming = target.name === 'POST /api/v1/codes' ? NAMING : [...NAMING, 'code'];
	// Null means absent.
	if (naming.some((field) => (value[field] ?? target.base?.[field]) !== target.base?.[field])) return false;
	const amount = Number(value['amount'] ?? 1);
	return amount > 0.1 && amount < 1000;
}

function parsed(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch {
		return undefined;
	}
}

export const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INVALID = '{"code":1,"msg":"INVALID_REQUEST"}';

/** What is wrong with the answer according to the document; null for a correct one. */
export function faultIn(target: Target, { status, requestId, text }: PlainAnswer): string | null {
	if (!REQUEST_ID.test(requestId ?? '')) return 'no X-Request-Id';
	if (status === 500 || text.includes('"code":99')) return 'code 99';
	// The size is checked before anything else, also where no body is expected.
	if (status === 413 && text === INVALID) return null;
	const media = target.operation.responses[status]?.content?.['application/json'];
	if (!media) return 'a status that is not documented';
	if (status === 200) {
		if (!text.startsWith('{"code":0,"msg":"","data":')) return 'no envelope';
		return misfits(target.document, media.schema, JSON.parse(text)).join('; ') || null;
	}
	const refusals = Object.values(media.examples ?? {}).map(({ value }) => JSON.stringify(value));
	return refusals.includes(text) ? null : 'a refusal that is not documented';
}
