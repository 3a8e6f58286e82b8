/**
 * `GET /openapi.json` and `GET /openapi-3.0.json`. `npm run sdk:generate` writes the document, a check compares it with the endpoints, and the Workers
 * carry its text alone. The pages under `/docs` are the pages Worker's, which has the same text.
 */
import type { Hono, Env as HonoEnv } from 'hono';
import { isNotModified } from '../http/conditional.ts';
import { refusalResponse } from '../http/refusal.ts';
import { olderDocument } from './older.ts';
import document from './openapi.json.txt';

interface Published {
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** The second is for generators that read OpenAPI 3.0 alone. */
const DOCUMENTS: Readonly<Record<string, () => string>> = {
	'/openapi.json': () => document,
	'/openapi-3.0.json': () => JSON.stringify(olderDocument(JSON.parse(document))),
};
const METHODS = 'GET, HEAD, OPTIONS';

const SHARED_HEADERS = {
	'cache-control': 'public, max-age=300',
	'access-control-allow-origin': '*',
	'x-content-type-options': 'nosniff',
};

export function publishDocument<E extends HonoEnv>(app: Hono<E>): void {
	for (const [path, text] of Object.entries(DOCUMENTS)) publish(app, path, text);
}

function publish<E extends HonoEnv>(app: Hono<E>, path: string, text: () => string): void {
	// The text is kept and not its promise: a promise belongs to the request that made it, and ends with that request.
	let published: Published | null = null;
	// Hono answers HEAD as GET without the body.
	app.get(path, async (c) => {
		published ??= await publishedAs(text());
		const { body, headers } = published;
		const notModified = isNotModified(c.req.raw.headers.get('if-none-match'), headers['etag'] ?? '');
		return notModified ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
	});
	const preflight = {
		...SHARED_HEADERS,
		'access-control-allow-methods': METHODS,
		'access-control-allow-headers': 'if-none-match',
	};
	app.options(path, () => new Response(null, { status: 204, headers: preflight }));
	app.all(path, () => refusalResponse({ kind: 'wrong-method', allow: METHODS }));
}

async function publishedAs(body: string): Promise<Published> {
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
	const etag = `"${btoa(String.fromCharCode(...new Uint8Array(digest)))}"`;
	return { body, headers: { ...SHARED_HEADERS, 'content-type': 'application/json', etag } };
}
