/**
 * A page that is the same for everybody: kept by the isolate, with an ETag, for five minutes. Other methods are refused
 * as the API refuses them.
 */
import type { Context, Hono } from 'hono';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { isNotModified } from '../../http/conditional.ts';
import { refusalResponse } from '../../http/refusal.ts';
import type { PageEnv } from '../env.ts';
import { pageHeaders } from '../headers.ts';

const METHODS = 'GET, HEAD, OPTIONS';
const KEPT_SECONDS = 300;
const SHARED_HEADERS = { 'access-control-allow-origin': '*' };
const PREFLIGHT = {
	...SHARED_HEADERS,
	'access-control-allow-methods': METHODS,
	'access-control-allow-headers': 'if-none-match',
};

interface Kept {
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Unix milliseconds. */
	readonly at: number;
}

type Make = (c: Context<PageEnv>) => JSX.Element | Promise<JSX.Element>;

export function publish(app: Hono<PageEnv>, path: string, make: Make): void {
	publishText(app, path, 'text/html; charset=utf-8', async (c) => `<!doctype html>${await make(c)}`);
}

export function publishText(
	app: Hono<PageEnv>,
	path: string,
	type: string,
	make: (c: Context<PageEnv>) => string | Promise<string>,
): void {
	// The text is kept and not its promise: a promise belongs to the request that made it, and ends with that request.
	let kept: Kept | null = null;
	// Hono answers HEAD as GET without the body.
	app.get(path, async (c) => {
		if (kept === null || Date.now() - kept.at >= KEPT_SECONDS * 1000) kept = await keptAs(await make(c), type);
		const { body, headers } = kept;
		const notModified = isNotModified(c.req.raw.headers.get('if-none-match'), headers['etag'] ?? '');
		return notModified ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
	});
	app.options(path, () => new Response(null, { status: 204, headers: PREFLIGHT }));
	app.all(path, () => refusalResponse({ kind: 'wrong-method', allow: METHODS }));
}

async function keptAs(body: string, type: string): Promise<Kept> {
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
	const etag = `"${btoa(String.fromCharCode(...new Uint8Array(digest)))}"`;
	const shared = { ...pageHeaders({ cache: `public, max-age=${KEPT_SECONDS}` }), ...SHARED_HEADERS };
	return { body, headers: { ...shared, 'content-type': type, etag }, at: Date.now() };
}
