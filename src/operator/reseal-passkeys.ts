/** Seals the partners' passkeys with the current key (`reseal.ts`). Invitations end before a key is retired. */
import { and, asc, count, gt } from 'drizzle-orm';
import { accessClaim } from '../partners/sign-in/seal.ts';
import { cabinetPasskeys } from '../partners/sign-in/table.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page, resealRows } from './reseal-page.ts';

const isLeft = ({ env }: Context) => isOld(cabinetPasskeys.seal, env.askedKeys());

export async function countOldPasskeys(context: Context): Promise<number> {
	const [row] = await context.db.select({ rows: count() }).from(cabinetPasskeys).where(isLeft(context));
	return row?.rows ?? 0;
}

export async function resealPasskeys(context: Context, after: string): Promise<Page> {
	const rows = await context.db
		.select()
		.from(cabinetPasskeys)
		.where(and(gt(cabinetPasskeys.id, after), isLeft(context)))
		.orderBy(asc(cabinetPasskeys.id))
		.limit(PAGE);
	const claimed = rows.map((row) => ({ id: row.id, claim: accessClaim('passkey', row, row.seal) }));
	const done = await resealRows(context, { table: 'cabinet_passkeys', key: 'id', seal: 'seal' }, claimed);
	return { ...done, last: rows.at(-1)?.id ?? null };
}
