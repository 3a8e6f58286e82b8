/**
 * The one way in which price sources are asked: bounded in time and size, no redirects, numbers kept exact.
 * What it throws says why in words and names no URL.
 */
import { boundedText } from '../../chains/rpc/bounded-text.ts';
import type { GetJson } from './source.ts';

/** From the request's start to the answer's last byte, milliseconds. */
const TIMEOUT_MILLISECONDS = 5_000;
/** Largest answer that is read, bytes, unpacked: all markets of a large exchange are about half of it. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/**
 * `leave`: fires when the answer is no longer waited for; the connection is then released.
 * @throws from the returned function: Error when out of reach, too slow, too large, not 2xx, or not JSON.
 */
export function getJson(baseUrl: string, fetcher: typeof fetch = fetch, leave?: AbortSignal): GetJson {
	const base = baseUrl.replace(/\/+$/, '');
	return async (path) => {
		const response = await fetcher(`${base}${path}`, {
			// Several sources refuse a request without a user agent, and workerd sends none of its own.
			headers: { accept: 'application/json', 'user-agent': 'partner-exchange' },
			redirect: 'manual',
			signal: leave
				? AbortSignal.any([leave, AbortSignal.timeout(TIMEOUT_MILLISECONDS)])
				: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		});
		if (!response.ok) {
			await response.body?.cancel();
			throw new Error(`HTTP ${response.status}`);
		}
		return JSON.parse(await boundedText(response, MAX_ANSWER_BYTES), exactNumbers);
	};
}

/** Every number as the text it was sent as: 0.1 is exact, and 1e400 is no Infinity. */
function exactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
	return typeof value === 'number' ? context?.source : value;
}
