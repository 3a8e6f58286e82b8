/** Seals the partners' passkeys with the current key (`reseal.ts`). Invitations end before a key is retired. */
import { and, asc, count, eq, gt } from 'drizzle-orm';
import { keyRing } from '../crypto/key-ring.ts';
import { accessSealHolds, sealAccess } from '../partners/sign-in/seal.ts';
import { cabinetPasskeys } from '../partners/sign-in/table.ts';
import { runInBatches, type Statement } from '../platform/d1/batches.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page } from './reseal-page.ts';

const isLeft = ({ env }: Context) => isOld(cabinetPasskeys.seal, keyRing(env, 'SEAL_KEY'));

export async function countOldPasskeys(context: Context): Promise<number> {
	const [row] = await context.db.select({ rows: count() }).from(cabinetPasskeys).where(isLeft(context));
	return row?.rows ?? 0;
}

export async function resealPasskeys(context: Context, after: string): Promise<Page> {
	const { env, db } = context;
	const keys = keyRing(env, 'SEAL_KEY');
	const rows = await db
		.select()
		.from(cabinetPasskeys)
		.where(and(gt(cabinetPasskeys.id, after), isLeft(context)))
		.orderBy(asc(cabinetPasskeys.id))
		.limit(PAGE);
	const broken: string[] = [];
	const statements: Statement[] = [];
	for (const row of rows) {
		if (!(await accessSealHolds(keys, 'passkey', row, row.seal))) {
			broken.push(row.id);
			continue;
		}
		const isStill = and(eq(cabinetPasskeys.id, row.id), eq(cabinetPasskeys.seal, row.seal));
		statements.push(
			db
				.update(cabinetPasskeys)
				.set({ seal: await sealAccess(keys, 'passkey', row) })
				.where(isStill),
		);
	}
	await runInBatches(db, statements);
	return { resealed: statements.length, broken, last: rows.at(-1)?.id ?? null };
}
