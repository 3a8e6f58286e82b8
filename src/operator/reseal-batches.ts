/** Seals again the batches of archived orders. Atomic: as in `reseal.ts`. */
import { and, asc, eq, gt } from 'drizzle-orm';
import { batchClaim } from '../archive/objects.ts';
import { archivedBatches } from '../archive/table.ts';
import { resealed, sealKeysOf } from '../crypto/seals.ts';
import { runInBatches, type Statement } from '../platform/d1/batches.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page } from './reseal-page.ts';

/** `after`: a batch's number as text, empty before the first. */
export async function resealBatches({ db, env }: Context, after: string): Promise<Page> {
	const keys = sealKeysOf(env);
	const rows = await db
		.select()
		.from(archivedBatches)
		.where(and(gt(archivedBatches.number, Number(after)), isOld(archivedBatches.seal, keys)))
		.orderBy(asc(archivedBatches.number))
		.limit(PAGE);
	const seals = await Promise.all(rows.map((batch) => resealed(keys, batchClaim(batch))));
	const statements = rows.flatMap(({ number, seal: before }, i): Statement[] => {
		const seal = seals[i];
		if (!seal) return [];
		const isStill = and(eq(archivedBatches.number, number), eq(archivedBatches.seal, before));
		return [db.update(archivedBatches).set({ seal }).where(isStill)];
	});
	await runInBatches(db, statements);
	const broken = rows.filter((_, i) => !seals[i]).map(({ number }) => `archived batch ${number}`);
	return { resealed: statements.length, broken, last: rows.at(-1)?.number.toString() ?? null };
}
