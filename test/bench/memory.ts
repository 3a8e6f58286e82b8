/**
 * Part three: does the service's memory grow with the calls it answers? Resident memory of workerd at several counts of
 * signed price calls, or after each quarter of some minutes of them, each after a pause in which the collector may do what
 * it put off. V8 and the allocator take what they can get before they give anything back, so hello world's memory at the
 * same counts is measured beside it: what it grows by is the runtime's doing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startHello } from './hello.ts';
import { type Load, startLoadGenerator } from './load.ts';
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
const QUARTERS = 4;
const KILOBYTES_PER_MEGABYTE = 1024;

/** When it is measured: at counts of calls in all, ascending, or four times in so many minutes. */
export type MemoryPlan = { readonly calls: readonly number[] } | { readonly minutes: number };

export async function measureMemory(plan: MemoryPlan): Promise<Checkpoint[]> {
	const service = await withService(({ partner, port }) =>
		atEach(stretchesOf(plan), port, { kind: 'signed', partner, path: '/api/v1/price', bodies: [PRICE_BODY] }),
	);
	const world = await startHello();
	const counts = { calls: service.map(({ calls }) => calls) };
	const hello = await atEach(stretchesOf(counts), world.port, { kind: 'hello' }).finally(() => world.stop());
	return service.map(({ calls, megabytes }, i) => ({
		...{ calls, service: megabytes, hello: hello[i]?.megabytes ?? Number.NaN },
	}));
}

type Stretch = Pick<Load, 'milliseconds' | 'atMost'>;

function stretchesOf(plan: MemoryPlan): Stretch[] {
	if ('minutes' in plan)
		return Array<Stretch>(QUARTERS).fill({ milliseconds: (plan.minutes * 60_000) / QUARTERS, atMost: UNLIMITED });
	return plan.calls.map((calls, i) => ({ milliseconds: UNLIMITED, atMost: calls - (plan.calls[i - 1] ?? 0) }));
}

/** Memory of workerd, of which only one runs now, after each stretch. */
async function atEach(stretches: readonly Stretch[], port: number, traffic: Traffic) {
	const generator = startLoadGenerator();
	try {
		const found: { readonly calls: number; readonly megabytes: number }[] = [];
		let calls = 0;
		for (const stretch of stretches) {
			calls += (await generator.run({ ...stretch, port, traffic })).answered;
			await sleep(SETTLE_SECONDS * 1000);
			found.push({ calls, megabytes: workerdMegabytes() });
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
