/**
 * Hostile visits of the pages: without a session, with wrong cookies, forms, queries and paths. Nobody sees a 500, and
 * the answer is a page, a redirect, a file or a refusal.
 */
import fc from 'fast-check';
import { addressIn } from '../cast/networks.ts';
import { VALUES } from '../support/hostile.ts';
import type { PlainAnswer } from '../support/hostile-calls.ts';
import type { HostileCase } from '../support/hostile-cases.ts';
import { BENT_PATHS, WRONG_METHODS } from '../support/hostile-requests.ts';

/** `order`: one that exists, whose page would open. */
export const pagePaths = (order: string): string[] => [
	'/',
	'/status',
	'/status.json',
	'/favicon.ico',
	'/robots.txt',
	'/llms.txt',
	'/.well-known/security.txt',
	'/assets/style.css',
	'/docs',
	'/docs/search',
	'/docs/system',
	'/docs/book/contract',
	'/docs/signature',
	'/docs/promise',
	`/o/${order}`,
	'/o/x',
	`/o/${order}/state`,
	'/o/x/state',
	`/o/${order}/x`,
	...['', '/limits', '/confirm/options', '/sign-in', '/sign-out', '/orders', '/earnings', '/codes', '/webhooks'].map(
		(path) => `/cabinet${path}`,
	),
	...['/access', '/credentials', `/orders/${order}`, '/orders.csv', '/earnings.csv'].map((path) => `/cabinet${path}`),
	...['', '/sign-in', '/sign-out', '/networks', '/networks/Litecoin', '/prices', '/orders', `/orders/${order}`].map(
		(path) => `/operator${path}`,
	),
	...['/transactions', '/partners', '/settings', '/settings/pairs', '/ledger', '/reports', '/audit', '/command'].map(
		(path) => `/operator${path}`,
	),
	...['/command/order/show', '/command/site/update', '/command/x'].map((path) => `/operator${path}`),
];

const FORM = 'application/x-www-form-urlencoded';
const FORM_TYPES = [
	FORM,
	'multipart/form-data; boundary=x',
	'multipart/form-data',
	'application/json',
	'text/plain',
	'',
];
const FIELDS = ['token', 'action', 'id', 'q', 'code', 'session', 'form', 'page', 'after', 'since', 'lang', '__proto__'];
const COOKIES = ['session', '__Host-session', 'cabinet', 'operator', '__Host-cabinet', '__Host-operator'];

/** Ends where the URL, the method or the header could not be sent at all. */
const sendable = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 6000);
const printable = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 6000);

interface Visit {
	readonly what: string;
	readonly method?: string;
	readonly path: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
}

let visits = 0;

function visit({ what, method = 'GET', path, headers = {}, body = '' }: Visit, origin: string): HostileCase {
	const network = Math.floor(visits++ / 20);
	const own = { 'cf-connecting-ip': addressIn(network), origin, 'sec-fetch-site': 'same-origin' };
	const bytes = Buffer.from(body as string);
	const call = {
		name: `${method} ${path}, ${what}`.slice(0, 400),
		method,
		path,
		headers: { ...own, ...headers },
		bytes,
	};
	return { call, faultOf: faultOfPage };
}

function faultOfPage({ status, text }: PlainAnswer): string | null {
	if (status >= 500 || text.includes('"code":99')) return 'the page failed';
	if (/\bat \S+ \(|TypeError|SQLITE_/.test(text) && !text.startsWith('<!DOCTYPE')) return 'it tells how it failed';
	return null;
}

/** Each wrong value in a query, a form and a cookie of each page; each wrong method; each bent path. */
export function pageCases(path: string, origin: string): HostileCase[] {
	const fields = (i: number) => FIELDS[i % FIELDS.length] ?? 'x';
	const all: Visit[] = [
		...VALUES.map((value, i) => ({ what: 'query', path: `${path}?${fields(i)}=${sendable(value)}` })),
		...VALUES.map((value, i) => ({
			what: `form ${value}`,
			method: 'POST',
			path,
			headers: { 'content-type': FORM_TYPES[i % FORM_TYPES.length] ?? FORM },
			body: `${fields(i)}=${sendable(value)}`,
		})),
		...VALUES.map((value, i) => ({
			what: `cookie ${value}`,
			path,
			headers: {
				cookie: printable(`${COOKIES[i % COOKIES.length]}=${value}`),
				authorization: printable(`Bearer ${value}`),
			},
		})),
		...WRONG_METHODS.map((method) => ({ what: 'method', method, path })),
		...BENT_PATHS.map((bend) => ({ what: 'elsewhere', path: bend(path) })),
	];
	return all.map((each) => visit(each, origin));
}

/** Random forms, bytes and queries. */
export function drawnPageCases(path: string, origin: string, numRuns: number, seed: number): HostileCase[] {
	const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom(...VALUES));
	const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), text), text), { minLength: 1, maxLength: 6 });
	const encoded = pairs.map((each) => each.map(([name, value]) => `${sendable(name)}=${sendable(value)}`).join('&'));
	const query = encoded.map((body): Visit => ({ what: 'drawn query', path: `${path}?${body.slice(0, 8000)}` }));
	const form = fc.tuple(fc.oneof(encoded, fc.uint8Array({ maxLength: 300 })), fc.constantFrom(...FORM_TYPES));
	const posted = form.map(
		([body, type]): Visit => ({ what: 'drawn form', method: 'POST', path, body, headers: { 'content-type': type } }),
	);
	const drawn = fc.sample(fc.oneof(query, posted), { seed, numRuns });
	return drawn.map((each) => visit(each, origin));
}
