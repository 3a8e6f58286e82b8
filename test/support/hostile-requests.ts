/** Wrong methods, paths and connections. What the HTTP server refuses by itself, before the Worker, is not here. */

export const WRONG_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'MKCOL', 'LOCK', 'PURGE'];

const ENDINGS = [
	'/',
	'//',
	'%00',
	'%2e',
	'%20',
	'.json',
	';a=1',
	'%3f',
	'%23',
	'%zz',
	'%c0%af',
	'%ff',
	'/..',
	'/%2e%2e/x',
	'/*',
	'/%5c',
	'::$DATA',
	'/__proto__',
	'/constructor',
	`/${'a'.repeat(9000)}`,
	"'",
	'%0d%0aX-Injected:1',
	'|',
	'{}',
];

export const BENT_PATHS: readonly ((path: string) => string)[] = [
	...ENDINGS.map((ending) => (path: string) => path + ending),
	(path) => `/${path}`,
	(path) => `/x/..${path}`,
	(path) => `/.${path}`,
	(path) => `/%2e%2e${path}`,
	(path) => `/%00${path}`,
	(path) => path.toUpperCase(),
	(path) => path.replace('v1', 'V1'),
	(path) => path.replace('v1', 'v2'),
	(path) => path.replace('v1', 'v1/../v1'),
	(path) => path.replace('/v1/', '//v1//'),
	(path) => path.replaceAll('/', '%2f').replace('%2f', '/'),
];

type Lines = (method: string, path: string) => string;

const head = (method: string, path: string, more: readonly string[], version = '1.1'): string =>
	[`${method} ${path} HTTP/${version}`, 'Host: test', 'CF-Connecting-IP: 203.0.113.1', ...more, '', ''].join('\r\n');

const CLOSE = 'Connection: close';
const CHUNKED = 'Transfer-Encoding: chunked';

/** Whole requests, and wrong: the bytes of each, by method and path. */
export const GARBLED: readonly (readonly [name: string, lines: Lines])[] = [
	['HTTP/1.0', (method, path) => `${head(method, path, ['Content-Length: 2'], '1.0')}[]`],
	['a chunk size that is none', (method, path) => `${head(method, path, [CHUNKED, CLOSE])}zz\r\n[]\r\n`],
	['a chunk longer than it says', (method, path) => `${head(method, path, [CHUNKED, CLOSE])}1\r\n[]]]\r\n0\r\n\r\n`],
	[
		'chunks beside a Content-Length',
		(method, path) => `${head(method, path, [CHUNKED, 'Content-Length: 9', CLOSE])}2\r\n[]\r\n0\r\n\r\n`,
	],
	[
		'an Expect that nobody knows',
		(method, path) => `${head(method, path, ['Expect: x', 'Content-Length: 2', CLOSE])}[]`,
	],
	['an upgrade', (method, path) => `${head(method, path, ['Upgrade: websocket', 'Content-Length: 2', CLOSE])}[]`],
	[
		'headers of 100 kB',
		(method, path) => `${head(method, path, [`X: ${'x'.repeat(100_000)}`, 'Content-Length: 2', CLOSE])}[]`,
	],
	[
		'a Host that is none',
		(method, path) => `${head(method, path, ['Content-Length: 2', CLOSE]).replace('Host: test', 'Host: [::')}[]`,
	],
];

/** Requests that break off, after which the caller closes the connection. */
export const CUT_OFF: readonly (readonly [name: string, lines: Lines])[] = [
	['within the headers', (method, path) => head(method, path, []).slice(0, -10)],
	['within the body', (method, path) => `${head(method, path, ['Content-Length: 200'])}{"a":`],
	['before the body', (method, path) => head(method, path, ['Content-Length: 200'])],
	['between two chunks', (method, path) => `${head(method, path, [CHUNKED])}2\r\n{}\r\n`],
	['within a chunk', (method, path) => `${head(method, path, [CHUNKED])}ffff\r\n{"a":`],
];
