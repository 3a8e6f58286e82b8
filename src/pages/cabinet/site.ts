/**
 * Which site this is, by the address that the reader asked for: passkeys belong to its host name, and a change comes from
 * its own pages or is refused. Pure.
 */
import { isInClear, isLoopback } from '../../http/in-clear.ts';

export interface Site {
	/** `https://swap.example`, compared letter by letter. */
	readonly origin: string;
	/** The host name, to which passkeys belong. */
	readonly host: string;
	readonly cookie: { readonly name: string; readonly secure: boolean };
}

/**
 * Null where a session would travel in clear: http is for loopback alone. There the cookie has no `__Host-` prefix,
 * because not every browser takes a Secure cookie over http.
 */
export function siteOf(url: URL): Site | null {
	const { origin, protocol, hostname: host } = url;
	if (protocol === 'https:') return { origin, host, cookie: { name: '__Host-cabinet', secure: true } };
	return isInClear(url) ? null : { origin, host, cookie: { name: 'cabinet', secure: false } };
}

/** The same address under a name: an IP address can have no passkey. Null where it has one already. */
export function named(url: URL): string | null {
	if (url.protocol !== 'http:' || url.hostname === 'localhost' || !isLoopback(url)) return null;
	const there = new URL(url);
	there.hostname = 'localhost';
	return there.href;
}

/**
 * Does a change come from a page of this site? Browsers say it in Sec-Fetch-Site. They send `Origin: null` with forms of
 * pages that send no Referer, as ours do, so an Origin decides only where it names one, or where nothing else is said.
 */
export function isFromHere(site: Site, headers: Headers): boolean {
	const fetchSite = headers.get('sec-fetch-site');
	const origin = headers.get('origin');
	if (origin !== null && origin !== 'null' && origin !== site.origin) return false;
	return fetchSite === null ? origin === site.origin : fetchSite === 'same-origin';
}
