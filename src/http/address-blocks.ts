/** Blocks of addresses: `192.0.2.0/24`, `2001:db8::/32`, or one address. IPv4-mapped IPv6 counts as IPv4. Pure. */
import { ipv6Groups } from './client-network.ts';

const IPV4 = /^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/;
const LENGTH = /^(?:0|[1-9]\d{0,2})$/;
const ALL_BITS = 128;
const IPV4_BITS = 32;
const MAPPED = 0xffffn << BigInt(IPV4_BITS);

interface Block {
	readonly address: bigint;
	/** How many of the 128 bits count. */
	readonly bits: number;
}

/** `address`: what Cloudflare puts into CF-Connecting-IP. What cannot be read is in no block. */
export function isWithin(address: string | null, blocks: readonly string[]): boolean {
	const asked = addressOf((address ?? '').trim().toLowerCase());
	return asked !== null && blocks.some((text) => isIn(asked, blockOf(text)));
}

export const isBlock = (text: string): boolean => blockOf(text) !== null;

const isIn = (asked: bigint, block: Block | null): boolean =>
	block !== null && (asked ^ block.address) >> BigInt(ALL_BITS - block.bits) === 0n;

/** Bits behind the length do not count. Null for what is no block. */
function blockOf(text: string): Block | null {
	const [written = '', length, ...more] = text.toLowerCase().split('/');
	const address = addressOf(written);
	if (address === null || more.length > 0) return null;
	const most = written.includes(':') ? ALL_BITS : IPV4_BITS;
	if (length === undefined) return { address, bits: ALL_BITS };
	if (!LENGTH.test(length) || Number(length) > most) return null;
	return { address, bits: ALL_BITS - most + Number(length) };
}

function addressOf(text: string): bigint | null {
	if (!text.includes(':')) return ipv4Of(text);
	const groups = ipv6Groups(text);
	return groups ? groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n) : null;
}

function ipv4Of(text: string): bigint | null {
	const bytes = IPV4.test(text) ? text.split('.').map(Number) : [];
	if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return null;
	return MAPPED | bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
