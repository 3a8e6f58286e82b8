/** What the traces of all Workers tell of a call and of an order, as the runtime gives them to a tail Worker. */
import { expect, it } from 'vitest';
import type { LocalWorkers } from '../../src/local/workers.ts';
import { ordersForFile } from '../support/order-life.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const LISTENER = 'listener';
/** Answers with the names of the spans that it was told of. */
const LISTENING = `
const heard = new Set();
export default {
	fetch: () => Response.json([...heard]),
	tailStream: () => ({ event }) => {
		if (event.type === 'spanOpen') heard.add(event.name);
	},
};`;

const listenedTo = (workers: LocalWorkers) =>
	[
		...workers.map((worker) => ({ ...worker, streamingTails: [LISTENER] })),
		{ name: LISTENER, modules: true, script: LISTENING, compatibilityFlags: ['experimental'] },
	] as LocalWorkers;

const service = serviceForFile({}, { arrange: listenedTo, pages: true });
const { newOrder, until, deposit } = ordersForFile(service);

async function heard(): Promise<string[]> {
	const listener = await service.current().local.miniflare.getWorker(LISTENER);
	return (await listener.fetch('http://listener/')).json() as Promise<string[]>;
}

it('a trace says where a call, a poll, a payment, a command and a page wait', async () => {
	const order = await newOrder();
	await deposit(order);
	await until(order, 'DONE');
	await (await fetch(`${service.current().url}/status`)).text();
	const ours = ['gate', 'quote', 'poll', 'judge', 'sign', 'command', 'page'];
	const spans = await eventually('all spans', async () => {
		const names = await heard();
		return ours.every((name) => names.includes(name)) && names;
	});
	// The platform's own, which need no code.
	expect(spans).toEqual(expect.arrayContaining(['d1_batch', 'durable_object_subrequest', 'jsRpcCall']));
});
