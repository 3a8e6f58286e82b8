/**
 * Hands on a call that somebody makes to a network's node, Monero's view-only wallet say: over https, with the operator's
 * headers, to the first node that answers.
 */
import type { NodeConfig } from '../configuration.ts';
import { endpointOf } from './json-rpc.ts';

/** For an answer of up to a thousand blocks. */
const TIMEOUT_MILLISECONDS = 120_000;

export async function handOn(
	request: Request,
	{ urls, headers }: Pick<NodeConfig, 'urls' | 'headers'>,
): Promise<Response> {
	const { pathname } = new URL(request.url);
	const type = request.headers.get('content-type') ?? 'application/json';
	const body = await request.arrayBuffer();
	let answer = new Response(null, { status: 502 });
	for (const text of urls) {
		const { url, headers: own } = endpointOf(text, headers);
		answer = await fetch(`${url.replace(/\/$/, '')}${pathname}`, {
			method: 'POST',
			headers: { ...own, 'content-type': type },
			body,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		}).catch(() => answer);
		if (answer.ok) return answer;
	}
	return answer;
}
