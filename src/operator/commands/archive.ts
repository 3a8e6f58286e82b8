/** `archive …`: what was moved to R2, and is it still there? */
import { asc, desc, eq, gte, lt } from 'drizzle-orm';
import { findArchivedNamed } from '../../archive/find.ts';
import { readLines } from '../../archive/objects.ts';
import { ordersIn } from '../../archive/record.ts';
import { type ArchivedBatch, archivedBatches } from '../../archive/table.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTime } from '../../platform/time.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { orderLine } from '../orders/record.ts';
import type { archive as topic } from '../topics/archive.ts';

/** Objects that one call reads: well under a second. */
const CHECKED_PER_CALL = 50;

const listBatches: RunOf<typeof topic, 'list'> = async ({ db }, { before, limit }) => {
	const older = before === undefined ? undefined : lt(archivedBatches.number, before);
	const rows = await db.select().from(archivedBatches).where(older).orderBy(desc(archivedBatches.number)).limit(limit);
	return rows.map((row) => ({
		...pick(row, 'number', 'orders', 'bytes', 'object'),
		...isoTimesOf(row, 'firstAt', 'lastAt'),
		archivedAt: isoTime(row.at),
	}));
};

const ordersOf = async ({ env }: Context, batch: ArchivedBatch) =>
	ordersIn(await readLines(env.ARCHIVE, env.askedKeys(), batch));

const showBatch: RunOf<typeof topic, 'show'> = async (context, { number }) => {
	const [batch] = await context.db.select().from(archivedBatches).where(eq(archivedBatches.number, number));
	if (!batch) return fail(404, `there is no archived batch ${number}`);
	return (await ordersOf(context, batch)).map(({ order }) => orderLine(order));
};

const findOne: RunOf<typeof topic, 'find'> = async ({ db, env }, { text }) => {
	const found = await findArchivedNamed(db, env, text);
	return found ? orderLine(found.order) : fail(404, 'no archived order has it');
};

const checkBatches: RunOf<typeof topic, 'check'> = async (context, { from }) => {
	const batches = await context.db
		.select()
		.from(archivedBatches)
		.where(gte(archivedBatches.number, from))
		.orderBy(asc(archivedBatches.number))
		.limit(CHECKED_PER_CALL);
	const wrong: { number: number; object: string; why: string }[] = [];
	for (const batch of batches) {
		const why = await problemOf(context, batch);
		if (why !== null) wrong.push({ number: batch.number, object: batch.object, why });
	}
	const last = batches.at(-1);
	return { checked: batches.length, next: last && batches.length === CHECKED_PER_CALL ? last.number + 1 : null, wrong };
};

async function problemOf(context: Context, batch: ArchivedBatch): Promise<string | null> {
	try {
		const found = (await ordersOf(context, batch)).length;
		return found === batch.orders ? null : `it has ${found} orders instead of ${batch.orders}`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

export const archiveRuns: RunsOf<typeof topic> = {
	list: listBatches,
	show: showBatch,
	find: findOne,
	check: checkBatches,
};
