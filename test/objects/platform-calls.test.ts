/** The real runtime, held to the table that the simulator's stand-ins are held to. */
import { beforeAll, expect, it } from 'vitest';
import { D1_CALLS, STORAGE_CALLS } from '../support/platform-calls.ts';
import { bareObject, bindings, migrate } from './bindings.ts';

beforeAll(migrate);

it.each(STORAGE_CALLS)("the runtime's storage: $title", async ({ run, told }) => {
	expect(await bareObject('platform calls').run(({ storage }) => run(storage))).toEqual(told);
});

it.each(D1_CALLS)("the runtime's D1: $title", async ({ run, told }) => {
	expect(await run(bindings.DB)).toEqual(told);
});
