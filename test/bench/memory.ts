/**
 * Part three: does the service's memory grow with the calls it answers? Resident memory of workerd at several counts of
 * signed price calls, each after a pause in which the collector may do what it put off. V8 and the allocator take what
 * they can get before they give anything back, so hello world's memory at the same counts is measured beside it: what
 * it grows by is the runtime's doing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startHello } from './hello.ts';
import { startLoadGenerator } from './load.ts';
import { childrenNamed } from './processes.ts';
import { withService } from './started.ts';
import { PRICE_BODY, type Traffic } from './traffic.ts';

export interface Checkpoint {
	readonly calls: number;
	/** Resident megabytes. */
	readonly service: number;
	readonly hello: number;
}

export const SETTLE_SECONDS = 3;
const UNLIMITED = Number.POSITIVE_INFINITY;
const KILOBYTES_PER_MEGABYTE = 1024;

/** `counts`: calls in all, ascending. */
export async function measureMemory(counts: readonly number[]): Promise<Checkpoint[]> {
	const world = await startHello();
	const hello = await atEach(counts, world.port, { kind: 'hello' }).finally(() => world.stop());
	const service = await withService(({ partner, port }) =>
		atEach(counts, port, { kind: 'signed', partner, path: '/api/v1/price', bodies: [PRICE_BODY] }),
	);
	return counts.map((calls, i) => ({ calls, service: service[i] ?? Number.NaN, hello: hello[i] ?? Number.NaN }));
}

/** Memory of workerd, of which only one runs now, at each count. */
async function atEach(counts: readonly number[], port: number, traffic: Traffic): Promise<number[]> {
	const generator = startLoadGenerator();
	try {
		const megabytes: number[] = [];
		let answered = 0;
		for (const calls of counts) {
			answered += (await generator.run({ port, traffic, milliseconds: UNLIMITED, atMost: calls - answered })).answered;
			await sleep(SETTLE_SECONDS * 1000);
			megabytes.push(workerdMegabytes());
		}
		return megabytes;
	} finally {
		await generator.stop();
	}
}

function workerdMegabytes(): number {
	const running = childrenNamed('workerd');
	if (running.length !== 1) throw new Error(`${running.length} workerd among the child processes, not one`);
	return (running[0]?.kilobytes ?? Number.NaN) / KILOBYTES_PER_MEGABYTE;
}
