/**
 * Anonymous callers are counted by IPv4 /24 and IPv6 /48; IPv4-mapped IPv6 counts as IPv4 (book: contract, "Weight").
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockOf, clientNetwork } from '../../src/http/client-network.ts';

describe('addresses in every form of RFC 4291 §2.2', () => {
	it.each([
		// The RFC's own examples: the three pairs of its second form.
		['2001:DB8:0:0:8:800:200C:417A', '2001:db8:0::/48'],
		['2001:DB8::8:800:200C:417A', '2001:db8:0::/48'],
		['FF01:0:0:0:0:0:0:101', 'ff01:0:0::/48'],
		['FF01::101', 'ff01:0:0::/48'],
		['0:0:0:0:0:0:0:1', '0:0:0::/48'],
		['::1', '0:0:0::/48'],
		['::', '0:0:0::/48'],
		['0:0:0:0:0:0:13.1.68.3', '0:0:0::/48'],
		['::13.1.68.3', '0:0:0::/48'],
		['0:0:0:0:0:FFFF:129.144.52.38', '129.144.52.0/24'],
		['::FFFF:129.144.52.38', '129.144.52.0/24'],
		// More examples of each.
		['192.0.2.1', '192.0.2.0/24'],
		['192.0.2.255', '192.0.2.0/24'],
		['192.0.3.1', '192.0.3.0/24'],
		['255.255.255.255', '255.255.255.0/24'],
		['::ffff:c000:201', '192.0.2.0/24'],
		['0:0:0:0:0:ffff:c000:0201', '192.0.2.0/24'],
		['0000:0000:0000:0000:0000:FFFF:C000:0201', '192.0.2.0/24'],
		['2001:db8:1:ffff:ffff:ffff:ffff:ffff', '2001:db8:1::/48'],
		['2001:0db8:0001::', '2001:db8:1::/48'],
		['2001:db8:1:2:3:4:5::', '2001:db8:1::/48'],
		['::2:3:4:5:6:7:8', '0:2:3::/48'],
		['1::8', '1:0:0::/48'],
		['64:ff9b::192.0.2.33', '64:ff9b:0::/48'],
		// Mapped is 80 zero bits and 16 ones, nothing else.
		['::fffe:c000:201', '0:0:0::/48'],
		['::ffff:0:c000:201', '0:0:0::/48'],
		['1::ffff:c000:201', '1:0:0::/48'],
		[' 192.0.2.1 ', '192.0.2.0/24'],
	])('%s is in %s', (address, network) => {
		expect(clientNetwork(address)).toBe(network);
	});
});

describe('what cannot be read shares one bucket, so that it cannot be used to escape the limit', () => {
	it.each([
		null,
		'',
		'unknown-host',
		'192.0.2',
		'192.0.2.1.5',
		'256.0.2.1',
		'192.0.2.256',
		'192.0.2.1:443',
		'192.0.2.0/24',
		'[2001:db8::1]',
		'2001:db8::1%eth0',
		'2001:db8:::1',
		'2001:db8::1::2',
		'2001:db8:1:2:3:4:5:6:7',
		'2001:db8:1:2:3:4:5',
		'1:2:3:4:5:6:7::8:9',
		'::1:2:3:4:5:6:7:8',
		'12345::1',
		'g::1',
		'::ffff:192.0.2.256',
		'::ffff:192.0.2',
		'::192.0.2.1:5',
		':1:2:3:4:5:6:7',
		'1:2:3:4:5:6:7:',
		'192.0.2.1, 198.51.100.1',
	])('%j', (address) => {
		expect(clientNetwork(address)).toBe('unknown');
	});
});

describe('one network, one bucket', () => {
	const byte = fc.integer({ min: 0, max: 255 });
	const group = fc.integer({ min: 0, max: 0xffff });

	it('IPv4 addresses share one exactly when their first 24 bits are the same, mapped or not', () => {
		fc.assert(
			fc.property(fc.tuple(byte, byte, byte, byte, byte), ([a, b, c, d, e]) => {
				const plain = clientNetwork(`${a}.${b}.${c}.${d}`);
				expect(clientNetwork(`::ffff:${a}.${b}.${c}.${e}`)).toBe(plain);
				expect(clientNetwork(`${a}.${b}.${(c + 1) % 256}.${d}`)).not.toBe(plain);
			}),
		);
	});

	it('IPv6 addresses share one exactly when their first 48 bits are the same, however they are written', () => {
		fc.assert(
			fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), group, (groups, other) => {
				const hex = (values: readonly number[]) => values.map((value) => value.toString(16)).join(':');
				// Out of the mapped range.
				const head = [0x2001, ...groups.slice(1, 3)];
				const network = clientNetwork(hex([...head, ...groups.slice(3)]));
				expect(clientNetwork(`${hex(head)}::${other.toString(16)}`.toUpperCase())).toBe(network);
				const neighbour = [0x2001, head[1] ?? 0, ((head[2] ?? 0) + 1) % 0x10000];
				expect(clientNetwork(`${hex(neighbour)}::`)).not.toBe(network);
			}),
		);
	});

	it('any text has a bucket', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				expect(clientNetwork(text).length).toBeGreaterThan(0);
			}),
		);
	});
});

describe('networks of one block share a gate', () => {
	it.each([
		['192.0.2.1', '192.0.0.0/16'],
		['192.0.255.255', '192.0.0.0/16'],
		['192.1.2.1', '192.1.0.0/16'],
		['1.2.3.4', '1.2.0.0/16'],
		['::ffff:192.0.2.1', '192.0.0.0/16'],
		['2001:db8:0::1', '2001:db8:0::/40'],
		['2001:db8:ff::1', '2001:db8:0::/40'],
		['2001:db8:100::1', '2001:db8:100::/40'],
		['2001:db8:12ff::1', '2001:db8:1200::/40'],
		['2001:db8:ffff::1', '2001:db8:ff00::/40'],
		['::1', '0:0:0::/40'],
		['nonsense', 'unknown'],
	])('%s: %s', (address, block) => {
		expect(blockOf(clientNetwork(address))).toBe(block);
	});

	it('a block has at most 256 of them', () => {
		const blocks = (addresses: readonly string[]) => new Set(addresses.map((one) => blockOf(clientNetwork(one))));
		const all = Array.from({ length: 0x10000 }, (_, i) => i);
		expect(blocks(all.map((i) => `10.${i >> 8}.${i & 255}.9`)).size).toBe(256);
		expect(blocks(all.map((i) => `2001:db8:${i.toString(16)}::9`)).size).toBe(256);
	});
});
