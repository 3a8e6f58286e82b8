/**
 * How many calls of other Workers a command makes. The platform allows 32 Workers in one request, and the request, the
 * operator Worker and the console are some of them.
 */
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { type LocalWorkers, SIGNER_WORKER } from '../../src/local/workers.ts';
import { COUNTING, sumOf, takeEvents } from '../support/counted/service.ts';
import { eventually, serviceForFile, startTestService, type TestService } from '../support/service.ts';

const MOST = 12;

const service = serviceForFile({}, { ...COUNTING, pages: true });
let older: TestService | null = null;
afterAll(async () => {
	await older?.local.stop();
	if (older) rmSync(older.stateDirectory, { recursive: true, force: true });
});

const BY_BOTH = /^(?:POST \/operator\/v1\/.*|ChainAgent\.(?:check|height|lastError|freeAddresses))$/;

/** By the operator Worker, and by the objects that it asks. */
async function callsOf(of: TestService, command: string, asked = BY_BOTH): Promise<number> {
	await takeEvents(of);
	await of.operator(command);
	const events = await takeEvents(of);
	const { signer = 0, pages = 0 } = sumOf(events.filter(({ label }) => asked.test(label)));
	expect(signer).toBeGreaterThan(0);
	return signer + pages;
}

it.each(['doctor', 'attention', 'network/list', 'network/check'])(
	'%s makes few calls of other Workers',
	async (command) => {
		const calls = await callsOf(service.current(), command);
		console.log(`${command}: ${calls} calls of other Workers`);
		expect(calls).toBeLessThanOrEqual(MOST);
	},
);

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
	expect(listed).toEqual(
		(await service.current().operator<Listed>('network/list')).map(({ name }) => expect.objectContaining({ name })),
	);
	const { checks, problems } = await operator<Checked>('network/check');
	expect(problems).toBe(0);
	const bySigner = checks.filter(({ who }) => who === 'signer').map(({ network }) => network);
	expect(bySigner).toEqual(expect.arrayContaining(listed.map(({ name }) => name)));
	const ownCalls = await callsOf(older, 'doctor', /^POST /);
	expect(ownCalls).toBeLessThan(24);
});
