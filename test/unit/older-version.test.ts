/** What the runtime says of a method that is not there: by that an older version of an object or a Worker is told. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, expect, it } from 'vitest';
import { lacksMethod } from '../../src/older-version.ts';

/** An older version, which a newer Worker asks for a method that it does not have. */
const SCRIPT = `
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
export class Gate extends DurableObject { broken() { throw new TypeError('broken'); } }
export class Other extends WorkerEntrypoint {}
export default {
	async fetch(request, env) {
		const gate = env.GATE.getByName('one');
		const asked = [() => gate.admitAll([]), () => env.OTHER.admitAll([]), () => gate.broken()];
		return Response.json(await Promise.all(asked.map((ask) => ask().then(String, String))));
	},
};`;

const miniflare = new Miniflare(
	convertV4MiniflareOptions({
		workers: [
			{
				name: 'older',
				modules: true,
				script: SCRIPT,
				compatibilityDate: '2026-11-01',
				durableObjects: { GATE: 'Gate' },
				serviceBindings: { OTHER: { name: 'older', entrypoint: 'Other' } },
			},
		],
	}),
);
afterAll(() => miniflare.dispose());

it('an object or a Worker of an older version says that it lacks the method, and no other error says so', async () => {
	const response = await miniflare.dispatchFetch('http://localhost/');
	const [object, worker, broken] = (await response.json()) as string[];
	expect([lacksMethod(object), lacksMethod(worker), lacksMethod(broken)]).toEqual([true, true, false]);
});
