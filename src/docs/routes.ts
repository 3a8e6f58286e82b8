/**
 * `GET /openapi.json`, `GET /docs` and `GET /docs/book/<chapter>`. Each is made at the first request that an isolate gets
 * for it, and kept.
 */
import type { Hono, Env as HonoEnv } from 'hono';
import { isNotModified } from '../http/conditional.ts';
import { refusalResponse } from '../http/refusal.ts';
import { CHAPTERS } from './book/chapters.ts';
import { type OpenApiDocument, openApiDocument } from './document.ts';
import type { DocumentedEndpoint } from './endpoint-docs.ts';
import { chapterPage } from './page/book-page.ts';
import { chapterPath } from './page/layout.ts';
import { docsPage } from './page/page.ts';
import { STYLE } from './page/style.ts';

interface Published {
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
}

const METHODS = 'GET, HEAD, OPTIONS';

const SHARED_HEADERS = {
	'cache-control': 'public, max-age=300',
	'access-control-allow-origin': '*',
	'x-content-type-options': 'nosniff',
};

export function publishDocs<E extends HonoEnv>(app: Hono<E>, surface: readonly DocumentedEndpoint[]): void {
	let document: OpenApiDocument | null = null;
	const made = (): OpenApiDocument => {
		document ??= openApiDocument(surface);
		return document;
	};
	publish(app, '/openapi.json', () => json(made()));
	publish(app, '/docs', () => page(docsPage(made())));
	for (const chapter of CHAPTERS) publish(app, chapterPath(chapter), () => page(chapterPage(chapter)));
}

function publish<E extends HonoEnv>(app: Hono<E>, path: string, make: () => Promise<Published>): void {
	// The text is kept and not its promise: a promise belongs to the request that made it, and ends with that request.
	let published: Published | null = null;
	// Hono answers HEAD as GET without the body.
	app.get(path, async (c) => {
		published ??= await make();
		const { body, headers } = published;
		const etag = headers['etag'] ?? '';
		const notModified = isNotModified(c.req.raw.headers.get('if-none-match'), etag);
		return notModified ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
	});
	const preflight = { ...SHARED_HEADERS, 'access-control-allow-methods': METHODS };
	app.options(path, () => {
		const headers = { ...preflight, 'access-control-allow-headers': 'if-none-match' };
		return new Response(null, { status: 204, headers });
	});
	app.all(path, () => refusalResponse({ kind: 'wrong-method', allow: METHODS }));
}

async function json(document: OpenApiDocument): Promise<Published> {
	const body = JSON.stringify(document);
	const etag = `"${await sha256(body)}"`;
	return { body, headers: { ...SHARED_HEADERS, 'content-type': 'application/json', etag } };
}

/** Nothing but its own style, by hash: no script, no image, no frame, no outside host. */
async function page(body: string): Promise<Published> {
	const style = `style-src 'sha256-${await sha256(STYLE)}'`;
	const headers = {
		...SHARED_HEADERS,
		'content-type': 'text/html; charset=utf-8',
		'content-security-policy': `default-src 'none'; ${style}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
		'referrer-policy': 'no-referrer',
		etag: `"${await sha256(body)}"`,
	};
	return { body, headers };
}

/** Base64, as both a CSP source and an entity-tag take it. */
async function sha256(text: string): Promise<string> {
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
	return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
