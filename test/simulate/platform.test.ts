/** The simulator's stand-ins, held to the table that the real runtime is held to (`test/objects`), and its planted bugs. */
import { expect, it } from 'vitest';
import { Random } from '../cast/random.ts';
import { sourceOf } from '../support/house.ts';
import { D1_CALLS, STORAGE_CALLS } from '../support/platform-calls.ts';
import { Plan } from './faults.ts';
import { PLANTED } from './planted.ts';
import { SimulatedD1 } from './platform/d1.ts';
import { Disk, storageOf } from './platform/storage.ts';
import { type Owner, World } from './world.ts';

const world = new World(new Random(1), new Plan(), 0, false);
const somebody: Owner = { alive: true, durableAt: 0, crash: () => undefined };
const storage = storageOf(new Disk(world), () => true) as unknown as DurableObjectStorage;
const d1 = new SimulatedD1(world).binding(somebody) as D1Database;

async function finished(work: unknown): Promise<unknown> {
	const done = Promise.resolve(work);
	await world.run(world.now + 60_000);
	return done;
}

it.each(STORAGE_CALLS)('the simulated storage: $title', async ({ run, told }) => {
	expect(await finished(run(storage))).toEqual(told);
});

it.each(D1_CALLS)('the simulated D1: $title', async ({ run, told }) => {
	expect(await finished(run(d1))).toEqual(told);
});

it.each(Object.entries(PLANTED))('the planted bug %s still has its place in the code', (_, { file, from }) => {
	expect(sourceOf(file).split(from)).toHaveLength(2);
});

it('what was not durable yet is lost with the object, and what was stays', async () => {
	const disk = new Disk(world);
	const own = storageOf(disk, () => true);
	own.kv.put('kept', 1);
	await finished(own.sync());
	own.kv.put('lost', 2);
	disk.crash();
	expect([own.kv.get('kept'), own.kv.get('lost')]).toEqual([1, undefined]);
});
