/** How long a nonce is remembered (spec "Replay protection"; decisions.md "Signed calls"), on SQLite as the gate's is. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SpentNonces } from '../../src/partners/gate/spent-nonces.ts';

const MINUTE = 60_000;

/** The part of a Durable Object's state that nonces are kept in. */
function stateOf(database: DatabaseSync): DurableObjectState {
	const exec = (text: string, ...values: SQLInputValue[]) => {
		if (values.length > 0)
			return database
				.prepare(text)
				.all(...values)
				.values();
		database.exec(text);
		return [].values();
	};
	return { storage: { sql: { exec }, transactionSync: (run: () => void) => run() } } as unknown as DurableObjectState;
}

it('a nonce is remembered for at least 6 minutes, and by whoever opens the storage anew', async () => {
	const state = stateOf(new DatabaseSync(':memory:'));
	const nonces = new SpentNonces(state);
	nonces.open(Date.now());
	const now = Date.now();
	await nonces.spend('a-nonce-of-a-call', now - 6 * MINUTE, 1);
	await nonces.spend('a-nonce-long-spent', now - 60 * MINUTE, 1);
	await nonces.spend('a-nonce-of-later', now, 1);
	const woken = new SpentNonces(state);
	woken.open(Date.now());
	for (const memory of [nonces, woken]) {
		expect(memory.has('a-nonce-of-a-call', now)).toBe(true);
		expect(memory.has('a-nonce-long-spent', now)).toBe(false);
		expect(memory.has('a-nonce-never-spent', now)).toBe(false);
	}
});
