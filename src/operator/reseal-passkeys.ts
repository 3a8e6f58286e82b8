/** Seals the partners' passkeys with the current key (`reseal.ts`). Invitations end before a key is retired. */
import { and, asc, count, eq, gt } from 'drizzle-orm';
import { resealed, sealKeysOf } from '../crypto/seals.ts';
import { accessClaim } from '../partners/sign-in/seal.ts';
import { cabinetPasskeys } from '../partners/sign-in/table.ts';
import { runInBatches, type Statement } from '../platform/d1/batches.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page } from './reseal-page.ts';

const isLeft = ({ env }: Context) => isOld(cabinetPasskeys.seal, sealKeysOf(env));

export async function countOldPasskeys(context: Context): Promise<number> {
	const [row] = await context.db.select({ rows: count() }).from(cabinetPasskeys).where(isLeft(context));
	return row?.rows ?? 0;
}

export async function resealPasskeys(context: Context, after: string): Promise<Page> {
	const { env, db } = context;
	const keys = sealKeysOf(env);
	const rows = await db
		.select()
		.from(cabinetPasskeys)
		.where(and(gt(cabinetPasskeys.id, after), isLeft(context)))
		.orderBy(asc(cabinetPasskeys.id))
		.limit(PAGE);
	const seals = await Promise.all(rows.map((row) => resealed(keys, accessClaim('passkey', row, row.seal))));
	const statements = rows.flatMap(({ id, seal: before }, i): Statement[] => {
		const seal = seals[i];
		const isStill = and(eq(cabinetPasskeys.id, id), eq(cabinetPasskeys.seal, before));
		return seal ? [db.update(cabinetPasskeys).set({ seal }).where(isStill)] : [];
	});
	await runInBatches(db, statements);
	const broken = rows.filter((_, i) => !seals[i]).map(({ id }) => id);
	return { resealed: statements.length, broken, last: rows.at(-1)?.id ?? null };
}
