/** Seals again the secrets of scoped keys. A gate takes the newly sealed text for the same secret: its time is the same. */
import { and, asc, eq, gt } from 'drizzle-orm';
import { nameOfScoped } from '../partners/secrets.ts';
import { partnerKeys } from '../partners/table.ts';
import { runInBatches } from '../platform/d1/batches.ts';
import type { Context } from './command.ts';
import { keeperOf, numbersOf } from './env.ts';
import { isOld, PAGE, type Page, rowCount } from './reseal-page.ts';

const isLeft = ({ env }: Context) => isOld(partnerKeys.secretSealed, numbersOf(env, 'SECRETS_KEY'));

export const countOldScoped = (context: Context): Promise<number> => rowCount(context.db, partnerKeys, isLeft(context));

/** A secret that leaked is not sealed again: its key is to be revoked. Atomic: each row is a compare-and-set on its secret. */
export async function resealScoped(context: Context, after: string): Promise<Page> {
	const { db, env } = context;
	const isNext = and(gt(partnerKeys.id, after), isLeft(context));
	const rows = await db.select().from(partnerKeys).where(isNext).orderBy(asc(partnerKeys.id)).limit(PAGE);
	const hasLeaked = numbersOf(env, 'SECRETS_KEY').leaked.length > 0;
	const secrets = rows.map((row) => ({ partnerId: row.partnerId, name: nameOfScoped(row), stored: row.secretSealed }));
	const sealed = hasLeaked || rows.length === 0 ? [] : await keeperOf(env).sealAgain(secrets);
	const changes = rows.flatMap(({ id, secretSealed }, i) => {
		const again = sealed[i];
		const isUnchanged = and(eq(partnerKeys.id, id), eq(partnerKeys.secretSealed, secretSealed));
		return again ? [db.update(partnerKeys).set({ secretSealed: again }).where(isUnchanged)] : [];
	});
	await runInBatches(db, changes);
	const broken = rows.filter((_, i) => !sealed[i]).map(({ partnerId, id }) => `key ${id} of partner ${partnerId}`);
	return { resealed: changes.length, broken, last: rows.at(-1)?.id ?? null };
}
