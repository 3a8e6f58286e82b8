/** Which addresses are in a block (book: contract, "Scoped keys"). */
import { describe, expect, it } from 'vitest';
import { isBlock, isWithin } from '../../src/http/address-blocks.ts';

describe('an address', () => {
	it.each([
		['192.0.2.7', '192.0.2.7', true],
		['192.0.2.8', '192.0.2.7', false],
		['192.0.2.255', '192.0.2.0/24', true],
		['192.0.3.0', '192.0.2.0/24', false],
		// Bits behind the length do not count.
		['192.0.2.9', '192.0.2.77/24', true],
		['192.0.2.127', '192.0.2.0/25', true],
		['192.0.2.128', '192.0.2.0/25', false],
		['203.0.113.1', '0.0.0.0/0', true],
		['2001:db8::1', '0.0.0.0/0', false],
		['2001:db8:0:1::5', '2001:db8::/32', true],
		['2001:DB8:0:1::5', '2001:db8:0:1::5', true],
		['2001:db9::', '2001:db8::/32', false],
		['2001:db8::1', '2001:db8::/127', true],
		['2001:db8::2', '2001:db8::/127', false],
		// IPv4-mapped IPv6 counts as IPv4.
		['::ffff:192.0.2.7', '192.0.2.0/24', true],
		['::ffff:c000:207', '192.0.2.7', true],
		['192.0.2.7', '::ffff:192.0.2.0/120', true],
		['', '0.0.0.0/0', false],
		['unknown', '::/0', false],
		['192.0.2.7, 198.51.100.1', '192.0.2.7', false],
		['192.0.2', '192.0.2.0/24', false],
		['192.0.02.7', '192.0.2.7', false],
	])('%s in %s: %s', (address, block, isIn) => {
		expect(isWithin(address, [block])).toBe(isIn);
		expect(isWithin(address, ['198.51.100.0/24', block])).toBe(isIn);
	});

	it('that is not known is in no block', () => {
		expect(isWithin(null, ['0.0.0.0/0', '::/0'])).toBe(false);
	});
});

it.each([
	'192.0.2.0/33',
	'192.0.2.0/-1',
	'192.0.2.0/',
	'/24',
	'256.0.0.1',
	'192.0.2',
	'::/129',
	'1::2::3',
	'example.com',
	'192.0.2.0/2 4',
	' 192.0.2.1',
	'192.0.2.0/024',
	'192.0.2.0/24/8',
	'*',
	'',
])('%j is no block', (text) => {
	expect(isBlock(text)).toBe(false);
});
