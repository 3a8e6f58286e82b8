/**
 * Part four: does the service's memory grow with the calls it answers? Resident memory of workerd at several counts of
 * signed price calls, or after each quarter of some minutes of them, each after every isolate has collected its garbage.
 * V8 leaves the garbage of an isolate that is little used where it is until its heap is full, with the native memory that
 * hangs on it: the local stand-in of D1 makes 3 MB of it a minute. The allocator takes what it can get before it gives
 * anything back, so hello world's memory at the same counts is measured beside it: what it grows by is the runtime's doing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/local/ports.ts';
import { childrenNamed } from '../support/processes.ts';
import { collectGarbage } from './collect.ts';
import { startHello } from './hello.ts';
import { type Load, startLoadGenerator } from './load.ts';
import { withService } from './started.ts';
import { PRICE_BODY, type Traffic } from './traffic.ts';

export interface Checkpoint {
	readonly calls: number;
	/** Resident megabytes, with what nobody has collected. */
	readonly uncollected: number;
	/** Resident megabytes. */
	readonly service: number;
	readonly hello: number;
}

export const SETTLE_SECONDS = 3;
/** With calls under way, since an isolate that nobody calls collects nothing. */
const COLLECT_MILLISECONDS = 5_000;
const UNLIMITED = Number.POSITIVE_INFINITY;
const QUARTERS = 4;
const KILOBYTES_PER_MEGABYTE = 1024;

/** When it is measured: at counts of calls in all, ascending, or four times in so many minutes. */
export type MemoryPlan = { readonly calls: readonly number[] } | { readonly minutes: number };

export async function measureMemory(plan: MemoryPlan): Promise<Checkpoint[]> {
	const inspector = { inspectorPort: await freePort() };
	const service = await withService(({ partner, port }) => {
		const traffic = { kind: 'signed', partner, path: '/api/v1/price', bodies: [PRICE_BODY] } as const;
		return atEach(stretchesOf(plan), { port, ...inspector }, traffic);
	}, inspector);
	const world = await startHello(inspector);
	const counts = stretchesOf({ calls: service.map(({ calls }) => calls) });
	const hello = await atEach(counts, { port: world.port, ...inspector }, { kind: 'hello' }).finally(world.stop);
	return service.map((at, i) => ({ ...at, hello: hello[i]?.service ?? Number.NaN }));
}

type Stretch = Pick<Load, 'milliseconds' | 'atMost'>;

interface Ports {
	readonly port: number;
	/** Where debuggers find the isolates. */
	readonly inspectorPort: number;
}

function stretchesOf(plan: MemoryPlan): Stretch[] {
	if ('minutes' in plan)
		return Array<Stretch>(QUARTERS).fill({ milliseconds: (plan.minutes * 60_000) / QUARTERS, atMost: UNLIMITED });
	return plan.calls.map((calls, i) => ({ milliseconds: UNLIMITED, atMost: calls - (plan.calls[i - 1] ?? 0) }));
}

/** Memory of workerd, of which only one runs now, after each stretch. */
async function atEach(stretches: readonly Stretch[], { port, inspectorPort }: Ports, traffic: Traffic) {
	const generator = startLoadGenerator();
	try {
		const found: Omit<Checkpoint, 'hello'>[] = [];
		let calls = 0;
		for (const stretch of stretches) {
			calls += (await generator.run({ ...stretch, port, traffic })).answered;
			const uncollected = workerdMegabytes();
			const more = generator.run({ milliseconds: COLLECT_MILLISECONDS, atMost: UNLIMITED, port, traffic });
			await collectGarbage(inspectorPort, COLLECT_MILLISECONDS);
			calls += (await more).answered;
			await sleep(SETTLE_SECONDS * 1000);
			found.push({ calls, uncollected, service: workerdMegabytes() });
		}
		return found;
	} finally {
		await generator.stop();
	}
}

function workerdMegabytes(): number {
	const running = childrenNamed('workerd');
	if (running.length !== 1) throw new Error(`${running.length} workerd among the child processes, not one`);
	return (running[0]?.kilobytes ?? Number.NaN) / KILOBYTES_PER_MEGABYTE;
}
