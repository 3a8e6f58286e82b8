/**
 * Which URLs a webhook may be sent to (book: contract, "Webhooks"): checked when the operator sets one, and again at
 * each attempt. Pure, so it judges names only. Where a public name resolves to is judged by the platform, whose flag
 * `global_fetch_strictly_public` keeps every outgoing request on the public internet.
 *
 * `URL` has already turned what is an address in disguise into plain sight: `0x7f.1`, `2130706433`, `0177.0.0.1` and
 * full-width digits all arrive as `127.0.0.1`, so one rule on the last label refuses them all.
 */
import { isLoopback } from './in-clear.ts';

const MAX_LENGTH = 2048;
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** No public top-level domain holds a digit, but for the internationalised ones. */
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** Characters that `URL` would silently strip or rewrite. */
const UNPLAIN = /[\s\\\p{Cc}]/u;
const USER_INFO = /^[^/]*\/\/[^/?#]*@/;

/** Top-level names that only ever mean something inside a network (RFC 6761, 6762, 8375, 9476; ICANN's reserved ones). */
const PRIVATE_TOP_LEVEL =
	/^(?:alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|mail|onion|private|test)$/;

/** Public names under which clouds serve their machines' credentials. */
const METADATA_HOST = /(?:^|\.)metadata\.(?:goog|packet\.net|platformequinix\.com|tencentyun\.com)$/;

/** The mistake in `url`, as the end of a sentence that begins with "the webhook URL"; null when it may be used. */
export function webhookUrlProblem(url: string, options: { readonly loopbackAllowed: boolean }): string | null {
	if (url.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
	if (UNPLAIN.test(url)) return 'holds blanks, control characters or backslashes';
	const parsed = URL.parse(url);
	if (!parsed) return 'is not a URL';
	if (parsed.username || parsed.password || USER_INFO.test(url)) return 'holds a user name or password';
	if (options.loopbackAllowed && parsed.protocol === 'http:' && isLoopback(parsed)) return null;
	if (parsed.protocol !== 'https:') return 'is not https';
	if (parsed.port !== '') return 'names a port other than 443';
	return hostProblem(parsed.hostname);
}

/** `host`: lowercase and in its ASCII form, as `URL` makes it. */
function hostProblem(host: string): string | null {
	if (host.endsWith('.')) return 'has a host name that ends in a dot';
	const labels = host.split('.');
	const topLevel = labels.at(-1) ?? '';
	if (host.startsWith('[') || /^\d+$/.test(topLevel)) return 'names an IP address instead of a host name';
	if (PRIVATE_TOP_LEVEL.test(topLevel)) return 'has a host name that is not public';
	if (labels.length < 2) return 'has a host name without a domain';
	if (host.length > MAX_HOST_LENGTH || !labels.every((label) => LABEL.test(label)) || !TOP_LEVEL.test(topLevel)) {
		return 'has an invalid host name';
	}
	return METADATA_HOST.test(host) ? 'names a metadata service' : null;
}
