/** Which calls are refused before the gate, and that no correctly signed call is. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hmacHex, hmacKey } from '../../src/crypto/hmac.ts';
import { FloodGuard, type ReadSecret } from '../../src/partners/gate/flood.ts';
import type { Secret } from '../../src/partners/gate/verdict.ts';
import type { SignedCall } from '../../src/ports/gates.ts';

const NOW = 1_800_000_000_000;
const PARTNER = 'partner';
const secretOf = async (text: string): Promise<Secret> => ({ sealed: text, key: await hmacKey(text) });
const callBy = async (secret: string): Promise<SignedCall> => ({
	body: new TextEncoder().encode('{}'),
	nonce: 'n'.repeat(16),
	timestamp: null,
	code: null,
	weight: 1,
	signature: await hmacHex(await hmacKey(secret), '{}'),
});
const never: ReadSecret = () => Promise.reject(new Error('D1 was asked'));

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const readerOf = (readSecret: ReadSecret) => ({ readSecret, background: () => undefined });

const attacked = (calls: number, at = NOW): FloodGuard => {
	const guard = new FloodGuard();
	for (let i = 0; i < calls; i++) guard.forged(PARTNER, at);
	return guard;
};

/** Time goes on only while the guard waits for it: signatures take real time, as much as a busy machine needs. */
async function overTime<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	void work.finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await new Promise((turn) => setImmediate(turn));
		if (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(10);
	}
	return work;
}

const isForged = async (guard: FloodGuard, by: string, read: ReadSecret): Promise<boolean> =>
	overTime(guard.isForged(PARTNER, await callBy(by), readerOf(read), Date.now()));

describe('a wrongly signed call', () => {
	const read: ReadSecret = () => secretOf('right');

	it.each([
		['the last of twenty within ten seconds is refused', attacked(20), true],
		['the last of nineteen goes to the gate', attacked(19), false],
		['the last of twenty over a longer time goes to the gate', attackedSlowly(), false],
		['one a minute after twenty goes to the gate', attacked(20, NOW - 60_001), false],
	])('%s', async (_, guard, refused) => {
		expect(await isForged(guard, 'wrong', read)).toBe(refused);
	});

	it('under another apiKey goes to the gate', async () => {
		expect(await attacked(20).isForged('another', await callBy('wrong'), readerOf(never), NOW)).toBe(false);
	});

	it('goes to the gate when D1 does not answer', async () => {
		expect(await isForged(attacked(20), 'wrong', never)).toBe(false);
	});

	it('shares the reads of the secret with all others: one in half a second', async () => {
		const readAt: number[] = [];
		const guard = attacked(20);
		const reading: ReadSecret = () => {
			readAt.push(Date.now() - NOW);
			return secretOf('right');
		};
		const call = await callBy('wrong');
		const each = () => guard.isForged(PARTNER, call, readerOf(reading), Date.now());
		const verdicts = Promise.all(Array.from({ length: 100 }, each));
		expect(await overTime(verdicts)).toEqual(Array(100).fill(true));
		expect(readAt).toHaveLength(2);
		expect((readAt[1] ?? 0) - (readAt[0] ?? 0)).toBeGreaterThanOrEqual(500);
	});
});

describe('a correctly signed call', () => {
	it('goes to the gate, and reads nothing once the secret is known', async () => {
		const guard = attacked(20);
		expect(await isForged(guard, 'right', () => secretOf('right'))).toBe(false);
		expect(await guard.isForged(PARTNER, await callBy('right'), readerOf(never), Date.now())).toBe(false);
	});

	it('goes to the gate with a secret that was replaced before it arrived', async () => {
		const guard = attacked(20);
		expect(await isForged(guard, 'wrong', () => secretOf('old'))).toBe(true);
		expect(await isForged(guard, 'new', () => secretOf('new'))).toBe(false);
	});

	it('goes to the gate with the secret from before: a rotation that is not decided may be undone', async () => {
		const guard = attacked(20);
		expect(await isForged(guard, 'wrong', () => secretOf('old'))).toBe(true);
		expect(await isForged(guard, 'wrong', () => secretOf('new'))).toBe(true);
		expect(await isForged(guard, 'old', never)).toBe(false);
	});
});

function attackedSlowly(): FloodGuard {
	const guard = new FloodGuard();
	for (let i = 0; i < 20; i++) guard.forged(PARTNER, NOW - 20_000 + i * 1_000);
	return guard;
}
