/** The calls that show a pay-in address, of a client that trusts keys: no order without its promise (book: verify). */
import type { Connection } from './connection.ts';
import { PromiseError } from './errors.ts';
import { type PromiseExpected, type PromiseKeys, type SignedPromise, verifyPromise } from './verify-promise.ts';
import type { Calls, Order } from './wire.js';

const KEYS_PATH = '/.well-known/partner-exchange-keys.json';
/** The promise of a new order is signed for its answer: an older one may be of a key that has leaked since. */
const MAX_AGE_SECONDS = 600;

export function provenCalls(
	connection: Connection,
	calls: Calls,
	trusted: string | readonly string[],
): Pick<Calls, keyof Calls> {
	/** The order where its promise proves it, and what the caller asked for. @throws PromiseError */
	async function prove<Shown extends Order>(order: Shown, asked: PromiseExpected): Promise<Shown> {
		const { id, from, to, back } = order;
		const shown = { id, from: termsOf(from), to: termsOf(to), back: { address: back.address ?? '' } };
		// By our own clock: the service’s is what it says.
		const now = connection.clock.now();
		const check = (published: PromiseKeys | null, expected: PromiseExpected) =>
			verifyPromise(order.promise, { trusted, published, expected, now, maxAgeSeconds: MAX_AGE_SECONDS });
		const published = await publishedFor(order.promise, (keys) => check(keys, {}));
		await check(published, shown);
		await check(published, asked);
		return order;
	}

	/** The published keys, where the promise is of a key that is not trusted by itself; null also where they cannot be had. */
	async function publishedFor(
		promise: SignedPromise | null | undefined,
		check: (published: null) => Promise<unknown>,
	): Promise<PromiseKeys | null> {
		try {
			await check(null);
			return null;
		} catch (error) {
			if (!(error instanceof PromiseError) || error.reason !== 'key-unknown' || !promise) throw error;
		}
		const signal = AbortSignal.timeout(connection.timeoutMilliseconds);
		const asked = connection.fetch(connection.url + KEYS_PATH, { redirect: 'manual', signal });
		return asked.then((answer) => answer.json() as Promise<PromiseKeys>).catch(() => null);
	}

	return {
		...calls,
		async create(body, options) {
			const order = await calls.create(
				{ ...body, with: [...new Set([...(body.with ?? []), 'promise' as const])] },
				options,
			);
			const { fromCcy, toCcy, toAddress, refundAddress } = body;
			return prove(order, {
				from: { code: fromCcy },
				to: { code: toCcy, address: toAddress },
				back: { address: refundAddress },
			});
		},
		async order(body, options) {
			const order = await calls.order(body, options);
			return body.with?.includes('promise') ? prove(order, {}) : order;
		},
	};
}

const termsOf = ({ address, code, network }: Order['from'] | Order['to']) => ({ address, code, network });
