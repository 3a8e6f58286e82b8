/** How long a nonce is remembered (book: contract, "Replay protection"), in the storage of a Durable Object. */
import { evictDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { SpentNonces } from '../../src/partners/gate/spent-nonces.ts';
import { bareObject } from './bindings.ts';

const MINUTE = 60_000;

function opened(state: DurableObjectState): SpentNonces {
	const nonces = new SpentNonces(state);
	nonces.open(Date.now());
	return nonces;
}

it('a nonce is remembered for at least 6 minutes, also after a restart', async () => {
	const gate = bareObject('nonces');
	const now = Date.now();
	const expectRemembered = (nonces: SpentNonces) => {
		expect(nonces.has('a-nonce-of-a-call', now)).toBe(true);
		expect(nonces.has('a-nonce-long-spent', now)).toBe(false);
		expect(nonces.has('a-nonce-never-spent', now)).toBe(false);
	};
	await gate.run(async (state) => {
		const nonces = opened(state);
		for (const [nonce, at] of [
			['a-nonce-of-a-call', now - 6 * MINUTE],
			['a-nonce-long-spent', now - 60 * MINUTE],
			['a-nonce-of-later', now],
		] as const) {
			nonces.spend(nonce, at, 1);
			await nonces.stored();
		}
		expectRemembered(nonces);
	});
	await evictDurableObject(gate.stub);
	await gate.run((state) => expectRemembered(opened(state)));
});

it('the weights of the last minutes are read back with their times, oldest first', async () => {
	const gate = bareObject('weights');
	const now = Date.now();
	await gate.run(async (state) => {
		const nonces = opened(state);
		nonces.spend('first', now - 2 * MINUTE, 50);
		nonces.spend('second', now - MINUTE, 5);
		await nonces.stored();
		nonces.spend('third', now, 0);
		await nonces.stored();
	});
	await evictDurableObject(gate.stub);
	await gate.run((state) => {
		const weights = [...opened(state).weightsSince(now - 2 * MINUTE)];
		expect(weights).toEqual([
			{ name: 'second', at: now - MINUTE, weight: 5 },
			{ name: 'third', at: now, weight: 0 },
		]);
	});
});
