/** A journal whose object is nearly full: the platform would refuse its next writes. */
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { type LocalWorkers, SIGNER_WORKER } from '../../src/local/workers.ts';
import { payoutsTo } from '../support/earnings.ts';
import { create, untilStatus } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

/** As the bundle has it. */
const LIMIT = '95e8';

let service: TestService;
afterAll(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

/** The signer with a limit that any journal has reached. */
const limited = (workers: LocalWorkers): LocalWorkers =>
	workers.map((worker) => {
		if (worker.name !== SIGNER_WORKER) return worker;
		expect(worker.script.split(LIMIT)).toHaveLength(2);
		return { ...worker, script: worker.script.replace(LIMIT, '1') };
	});

it('stops payouts with the reason, loses none, and they go on once it has room', async () => {
	service = await startTestService({}, undefined, {}, { arrange: limited });
	const partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	const orders = [];
	for (const _ of [0, 1]) orders.push((await create(service, partner)).data);
	await service.operator('sandbox/deposit', { orders: orders.map(({ id }) => id) });
	for (const order of orders) await untilStatus(service, partner, order, 'EXCHANGE');
	await eventually('both payouts to be refused', async () => {
		const refused = service.logged('signing_refused').filter(({ kind }) => kind === 'journal-full');
		return new Set(refused.map(({ payoutId }) => payoutId)).size === 2;
	});
	const told = await eventually('attention to say why', async () => {
		const rows = await service.operator<{ area: string; cause: string }[]>('attention');
		const waiting = rows.filter(({ cause }) => cause.includes('of its 10 GB, so nothing more is signed'));
		return waiting.length === 2 && waiting;
	});
	expect(told.map(({ area }) => area)).toEqual(['transaction', 'transaction']);
	const [first] = orders;
	expect(await payoutsTo(service, 'Ethereum', String(first?.to.address))).toEqual([]);
	const { stateDirectory } = service;
	await service.local.stop();
	service = await startTestService({}, stateDirectory);
	for (const order of orders) await untilStatus(service, partner, order, 'DONE');
	expect(await payoutsTo(service, 'Ethereum', String(first?.to.address))).toHaveLength(2);
});
