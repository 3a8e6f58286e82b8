/** What the signer Worker hands on of its vault's answers. */
import { createExecutionContext } from 'cloudflare:test';
import { expect, it } from 'vitest';
import type { SignerEnv } from '../../src/signer/env.ts';
import { Signer } from '../../src/signer/index.ts';
import { bindings, migrate } from './bindings.ts';

const env = bindings as unknown as SignerEnv;
const vault = () => env.VAULT.getByName('vault');

it('an object that the vault answers is handed on as data, which keeps no call open', async () => {
	await migrate();
	const signer = new Signer(createExecutionContext(), env);
	// What is handed on of a call would have its disposer.
	expect(Symbol.dispose in (await vault().limits())).toBe(true);
	const answers = [
		await signer.limits(),
		await signer.identify('challenge'),
		await signer.journalFacts(),
		await signer.readJournal(null),
	];
	for (const answer of answers) expect(Symbol.dispose in answer).toBe(false);
	expect(answers[0]).toEqual(await vault().limits());
});

it('so is every other one: no method of the signer forgets it', async () => {
	const stub = new Proxy({}, { get: () => async () => ({ [Symbol.dispose]: () => undefined }) });
	const signer = new Signer(createExecutionContext(), { ...env, VAULT: { getByName: () => stub } } as never);
	const names = Object.getOwnPropertyNames(Signer.prototype).filter((name) => name !== 'constructor');
	expect(names.length).toBeGreaterThan(20);
	const methods = signer as unknown as Record<string, (...given: unknown[]) => Promise<object>>;
	for (const name of names)
		expect([name, Symbol.dispose in ((await methods[name]?.([])) ?? {})]).toEqual([name, false]);
});
