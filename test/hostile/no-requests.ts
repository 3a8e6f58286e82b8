/** Bytes that the runtime's HTTP server is expected to refuse by itself, before any Worker sees a request. */

const to = (line: string, ...headers: string[]): string =>
	[line, 'Host: test', 'CF-Connecting-IP: 203.0.113.2', 'Connection: close', ...headers, '', ''].join('\r\n');

const PRICE = 'POST /api/v1/price HTTP/1.1';

export const NO_REQUESTS: readonly (readonly [name: string, bytes: string])[] = [
	['no request line', '\r\n\r\n'],
	['a line of noise', '\x00\xff\x01\r\n\r\n'],
	['a TLS hello', '\x16\x03\x01\x00\x05hello\r\n\r\n'],
	['a method that is none', to('STEAL /api/v1/price HTTP/1.1')],
	['a method in lower case', to('post /api/v1/price HTTP/1.1')],
	['CONNECT', to('CONNECT test:443 HTTP/1.1')],
	['HTTP/0.9', 'GET /\r\n\r\n'],
	['HTTP/2.0', to('POST /api/v1/price HTTP/2.0')],
	['HTTP/9.9', to('POST /api/v1/price HTTP/9.9')],
	['a space in the path', to('POST /api/v1/ price HTTP/1.1')],
	['an address that is none', to('POST http://[::/ HTTP/1.1')],
	['a header without a colon', to(PRICE, 'X')],
	['a header without a name', to(PRICE, ': x')],
	['a blank before the colon', to(PRICE, 'X : x')],
	['a folded header', to(PRICE, 'X: x', ' y')],
	['NUL in a header', to(PRICE, 'X: a\x00b')],
	['two lengths', to(PRICE, 'Content-Length: 2', 'Content-Length: 3')],
	['a negative length', to(PRICE, 'Content-Length: -1')],
	['a length of letters', to(PRICE, 'Content-Length: two')],
	['a length beyond all', to(PRICE, `Content-Length: ${'9'.repeat(40)}`)],
	['an encoding of the transfer that nobody knows', to(PRICE, 'Transfer-Encoding: x')],
	['headers of a megabyte', to(PRICE, `X: ${'x'.repeat(1_000_000)}`)],
];
