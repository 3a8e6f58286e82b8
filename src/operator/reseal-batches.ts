/** Seals again the batches of archived orders. Atomic: as in `reseal.ts`. */
import { and, asc, gt } from 'drizzle-orm';
import { batchClaim } from '../archive/objects.ts';
import { archivedBatches } from '../archive/table.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page, resealRows } from './reseal-page.ts';

/** `after`: a batch's number as text, empty before the first. */
export async function resealBatches(context: Context, after: string): Promise<Page> {
	const rows = await context.db
		.select()
		.from(archivedBatches)
		.where(and(gt(archivedBatches.number, Number(after)), isOld(archivedBatches.seal, context.env.askedKeys())))
		.orderBy(asc(archivedBatches.number))
		.limit(PAGE);
	const claimed = rows.map((batch) => ({ id: batch.number, claim: batchClaim(batch) }));
	const done = await resealRows(context, { table: 'archived_batches', key: 'number', seal: 'seal' }, claimed);
	const broken = done.broken.map((number) => `archived batch ${number}`);
	return { ...done, broken, last: rows.at(-1)?.number.toString() ?? null };
}
