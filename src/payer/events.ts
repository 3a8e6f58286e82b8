/**
 * `GET /o/{id}/events`: server-sent events while an order goes on, for the script of its page. The token comes in the
 * header `Authorization`, never in the address. The events say that the order has changed, not what it is.
 */
import { clientNetwork } from '../http/client-network.ts';
import { objectNamed } from '../region.ts';
import { STREAM_WEIGHT, spendOnPage } from './budget.ts';
import { type Reader, showToPayer } from './read.ts';

const VERSION = /^[\d.-]{1,40}$/;

/**
 * 204: the order has ended, and a page that is still open reads it now and then. 404: not found, or the token is wrong.
 * 429 and 503: come back later, and poll meanwhile.
 */
export async function orderEvents(reader: Reader, headers: Headers, id: string): Promise<Response> {
	const retryAfterSeconds = await spendOnPage(reader, headers, STREAM_WEIGHT);
	if (retryAfterSeconds !== null) return empty(429, { 'retry-after': String(retryAfterSeconds) });
	const shown = await showToPayer(reader, id, bearerOf(headers));
	if (!shown) return empty(404);
	if (shown.order.status === 'DONE' || shown.order.status === 'EXPIRED') return empty(204);
	const stream = await objectNamed(reader.env, reader.env.ORDER_STREAM, id).open({
		orderId: id,
		version: shown.version,
		seen: seenBy(headers),
		network: clientNetwork(headers.get('cf-connecting-ip')),
	});
	if (!stream) return empty(503);
	return new Response(stream, { headers: { ...HEADERS, 'content-type': 'text/event-stream' } });
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
	new Response(null, { status, headers: { ...HEADERS, ...headers } });

/** Empty where there is none: no token is that. */
export const bearerOf = (headers: Headers): string =>
	/^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';

function seenBy(headers: Headers): string | null {
	const seen = headers.get('last-event-id');
	return seen !== null && VERSION.test(seen) ? seen : null;
}
