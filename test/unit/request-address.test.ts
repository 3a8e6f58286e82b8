/** The address of a request whose Host is whatever its caller wrote (book: contract, "Envelope and transport"). */
import { expect, it } from 'vitest';
import { originIn, queryIn } from '../../src/http/address.ts';

it.each([
	['https://swap.example/api/v1/status?id=a&token=b%3D', 'https://swap.example', { id: 'a', token: 'b=' }],
	['http://[::/api/v1/status?id=a', '', { id: 'a' }],
	['http://[::/api/v1/order', '', {}],
	['http://a b/?x=1?y=2', '', { x: '1?y=2' }],
])('%s has the origin “%s” and its query, and is no failure of ours', (url, origin, query) => {
	expect(originIn(url)).toBe(origin);
	expect(Object.fromEntries(queryIn(url))).toEqual(query);
});
