/**
 * What a stranger learns from how long a refusal takes (book: threats, "Ways in"). Two kinds of guesses are made in
 * turn, and compared by rank: how often does one of the first kind take longer than one of the second? Half of the time,
 * where time tells nothing. Load moves both kinds alike.
 */
import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hmac } from '../cast/signing.ts';
import { create } from '../support/orders.ts';
import { createPartner, newNonce, signed } from '../support/partner.ts';
import { expectRefused, nowSeconds } from '../support/refusals.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const PAIRS = 120;
/** Five standard deviations of the share around a half, for so many pairs. */
const TELLS = 0.2;

/** The share of pairs in which the first took longer; 0.5 where nothing can be told. */
function shareLonger(first: readonly number[], second: readonly number[]): number {
	const longer = first.flatMap((one) => second.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)));
	return longer.reduce<number>((sum, each) => sum + each, 0) / longer.length;
}

async function compared(
	guesses: readonly [() => Promise<void>, () => Promise<void>],
	pairsAtOnce: number,
): Promise<number> {
	const took: [number[], number[]] = [[], []];
	for (const guess of guesses) await guess();
	const timed = async (kind: 0 | 1): Promise<void> => {
		const started = performance.now();
		await guesses[kind]();
		took[kind].push(performance.now() - started);
	};
	for (let made = 0; made < PAIRS; made += pairsAtOnce) {
		// The order is drawn: calls take turns on connections, so that a fixed one would show which connection is slower.
		const order = Array.from({ length: pairsAtOnce }, () => (randomInt(2) ? [0, 1] : [1, 0]) as (0 | 1)[]).flat();
		if (pairsAtOnce > 1) await Promise.all(order.map(timed));
		else for (const kind of order) await timed(kind);
	}
	return shareLonger(...took);
}

const other = (character: string | undefined): string => (character === '0' ? '1' : '0');

describe('code 3', () => {
	it('takes as long, however much of the signature is right', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
		const guess = (bend: (right: string) => string) => async () => {
			const [nonce, timestamp] = [newNonce(), String(nowSeconds())];
			const right = hmac(partner.apiSecret, `${timestamp}\n${nonce}\n{}`);
			const headers = { 'x-api-sign': bend(right) };
			const answer = await signed(service.current(), partner, '/api/v1/currencies', '{}', {
				nonce,
				timestamp,
				headers,
			});
			expectRefused(answer, 3);
		};
		const almost = guess((right) => right.slice(0, -1) + other(right.at(-1)));
		const entirely = guess((right) => [...right].map(other).join(''));
		// Wrongly signed calls of half a second share one read of the secret: one by one they would take minutes.
		const share = await compared([almost, entirely], 10);
		expect(Math.abs(share - 0.5)).toBeLessThan(TELLS);
	});
});

describe('code 6', () => {
	it('takes as long, whatever of id and token is wrong', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
		const { data: order } = await create(service.current(), partner);
		const { id, token } = order;
		const almost = `${token?.slice(0, -1)}${token?.endsWith('A') ? 'E' : 'A'}`;
		const guess = (body: object) => async () => {
			expect((await signed(service.current(), partner, '/api/v1/order', body)).code).toBe(6);
		};
		const wrongToken = guess({ id, token: 'x'.repeat(43) });
		expect(Math.abs((await compared([wrongToken, guess({ id, token: almost })], 1)) - 0.5)).toBeLessThan(TELLS);
		const unknownId = guess({ id: crypto.randomUUID(), token });
		expect(Math.abs((await compared([wrongToken, unknownId], 1)) - 0.5)).toBeLessThan(TELLS);
	});
});
