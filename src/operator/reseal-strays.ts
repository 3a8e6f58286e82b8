/** Seals again where the operator has strays go back to. */
import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import type { AskedKeys } from '../crypto/seals.ts';
import { strayClaim } from '../orders/seal.ts';
import { runInBatches, type Statement } from '../platform/d1/batches.ts';
import { type StrayRow, strays } from '../treasury/strays/table.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page } from './reseal-page.ts';

/** Literal, for the partial index. */
const isOldStray = ({ env }: Context) => and(sql`${strays.toSeal} is not null`, isOld(strays.toSeal, env.askedKeys()));

export async function countOldStrays(context: Context): Promise<number> {
	const [row] = await context.db.select({ rows: count() }).from(strays).where(isOldStray(context));
	return row?.rows ?? 0;
}

/** A page has all of its orders' strays, because `after` is the id of an order. */
export async function resealStrays(context: Context, after: string): Promise<Page> {
	const { db, env } = context;
	const keys = env.askedKeys();
	const rows = await db
		.select()
		.from(strays)
		.where(and(isOldStray(context), gt(strays.orderId, after)))
		.orderBy(asc(strays.orderId))
		.limit(PAGE);
	const last = rows.length === PAGE ? rows.at(-1)?.orderId : undefined;
	// The last order of a full page may have more: it comes again, unless the page is all of it.
	const whole = rows.filter(({ orderId }) => orderId !== last || rows[0]?.orderId === last);
	const seals = await Promise.all(whole.map((row) => sealAgain(keys, row)));
	const statements = whole.flatMap(({ network, address, asset, toSeal: before }, i): Statement[] => {
		const toSeal = seals[i];
		if (!toSeal || before === null) return [];
		const isIt = and(eq(strays.network, network), eq(strays.address, address), eq(strays.asset, asset));
		return [
			db
				.update(strays)
				.set({ toSeal })
				.where(and(isIt, eq(strays.toSeal, before))),
		];
	});
	await runInBatches(db, statements);
	const broken = whole.filter((_, i) => !seals[i]).map(({ orderId, asset }) => `${orderId} ${asset}`);
	return { resealed: statements.length, broken, last: whole.at(-1)?.orderId ?? null };
}

async function sealAgain(keys: AskedKeys, row: StrayRow): Promise<string | null> {
	const { orderId, network, asset, toAddress: to, toSeal, foundAt: at } = row;
	if (to === null || toSeal === null) return null;
	return keys.asker.resealed(strayClaim({ orderId, network, asset, to, at }, toSeal));
}
