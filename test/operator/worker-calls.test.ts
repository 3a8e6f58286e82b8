/** How many calls of other Workers a command makes while the signer is an older one (`operator/platform`: the present one). */
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { type LocalWorkers, SIGNER_WORKER } from '../../src/local/workers.ts';
import { COUNTING, callsOf } from '../support/counted/service.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let older: TestService | null = null;
afterAll(async () => {
	await older?.local.stop();
	if (older) rmSync(older.stateDirectory, { recursive: true, force: true });
});

interface Checked {
	readonly problems: number;
	readonly checks: readonly { readonly who: string; readonly network: string }[];
}

it('an older signer, which answers for one network in each call, is asked so, and nothing is missing', async () => {
	const arrange = async (workers: LocalWorkers): Promise<LocalWorkers> =>
		(await COUNTING.arrange(workers)).map((worker) => {
			if (worker.name !== SIGNER_WORKER) return worker;
			const script = worker.script.replace('async checks(', 'async laterChecks(');
			expect(script).not.toBe(worker.script);
			return { ...worker, script: script.replace('async hotAddresses(', 'async laterHotAddresses(') };
		});
	older = await startTestService({}, undefined, {}, { arrange, pages: true });
	const { operator } = older;
	type Listed = { readonly name: string; readonly hotAddress: string | null }[];
	const listed = await eventually('the hot addresses', async () => {
		const all = await operator<Listed>('network/list');
		return all.every(({ hotAddress }) => hotAddress !== null) ? all : null;
	});
	expect(listed.map(({ name }) => name)).toEqual(NETWORK_NAMES);
	const { checks, problems } = await operator<Checked>('network/check');
	expect(problems).toBe(0);
	const bySigner = checks.filter(({ who }) => who === 'signer').map(({ network }) => network);
	expect(bySigner).toEqual(expect.arrayContaining(listed.map(({ name }) => name)));
	const ownCalls = await callsOf(older, 'doctor', /^POST /);
	expect(ownCalls).toBeLessThan(24);
});
