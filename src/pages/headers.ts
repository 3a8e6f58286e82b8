/**
 * The headers of every page. No page may load from another host, run a script that is not ours, or be framed, unless a
 * partner opted in for their orders.
 */
import type { Context } from 'hono';

interface Exceptions {
	/** Origins that may frame the page. */
	readonly frameAncestors?: readonly string[];
	/** `cache-control`; a page of somebody's is never kept. */
	readonly cache?: string;
}

export function pageHeaders({ frameAncestors = [], cache = 'no-store' }: Exceptions = {}): Record<string, string> {
	const ancestors = frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'";
	const policy = [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		"connect-src 'self'",
		"font-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		`frame-ancestors ${ancestors}`,
	].join('; ');
	return {
		'content-type': 'text/html; charset=utf-8',
		'cache-control': cache,
		'content-security-policy': policy,
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
		'cross-origin-opener-policy': 'same-origin',
		'permissions-policy': 'camera=(), geolocation=(), microphone=()',
	};
}

/** A browser says what a page is loaded for. One that does not shows head and foot in the frame as well. */
export const isFramed = (c: Context): boolean => c.req.header('sec-fetch-dest') === 'iframe';
