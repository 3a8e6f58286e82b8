/**
 * The network of a client address, by which anonymous callers are counted: IPv4 /24, IPv6 /48. And the block of addresses
 * that a network is part of, whose networks share a gate: IPv4 /16, IPv6 /40. Pure.
 */

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * `address`: what Cloudflare puts into CF-Connecting-IP. IPv4-mapped IPv6 counts as IPv4 (book: contract, "Weight").
 * Anything unreadable shares one bucket, so that it cannot be used to escape the limit.
 */
export function clientNetwork(address: string | null): string {
	const text = (address ?? '').trim().toLowerCase();
	return ipv4Network(text) ?? ipv6Network(text) ?? 'unknown';
}

/** `network`: as `clientNetwork` names it. 256 of them share a block; what is unreadable has one of its own. */
export function blockOf(network: string): string {
	if (network.endsWith('/24')) return `${network.slice(0, network.indexOf('.', network.indexOf('.') + 1))}.0.0/16`;
	if (!network.endsWith('/48')) return network;
	const third = network.lastIndexOf(':', network.length - '::/48'.length - 1) + 1;
	return `${network.slice(0, third)}${(Number.parseInt(network.slice(third), 16) & 0xff00).toString(16)}::/40`;
}

function ipv4Network(text: string): string | null {
	const bytes = IPV4.exec(text)?.slice(1).map(Number);
	return bytes?.every((byte) => byte <= 255) ? `${bytes.slice(0, 3).join('.')}.0/24` : null;
}

function ipv6Network(text: string): string | null {
	const groups = ipv6Groups(text);
	if (!groups) return null;
	const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
	if (mapped) {
		const [high = 0, low = 0] = groups.slice(6);
		return `${high >> 8}.${high & 0xff}.${low >> 8}.0/24`;
	}
	return `${groups
		.slice(0, 3)
		.map((group) => group.toString(16))
		.join(':')}::/48`;
}

/** The eight groups of an IPv6 address, an embedded IPv4 tail included; null for anything else (RFC 4291 §2.2). */
export function ipv6Groups(text: string): number[] | null {
	const halves = withHexTail(text).split('::');
	if (halves.length > 2) return null;
	const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
	const missing = 8 - head.length - (tail?.length ?? 0);
	if (tail ? missing < 1 : missing !== 0) return null;
	const groups = [...head, ...(tail ? Array<string>(missing).fill('0') : []), ...(tail ?? [])];
	if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null;
	return groups.map((group) => Number.parseInt(group, 16));
}

/** `::ffff:192.0.2.1` → `::ffff:c000:201`; other texts stay as they are. */
function withHexTail(text: string): string {
	const match = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
	if (!match) return text;
	const [a = 0, b = 0, c = 0, d = 0] = match.slice(2).map(Number);
	if ([a, b, c, d].some((byte) => byte > 255)) return text;
	return `${match[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
