/** Seals again where the operator has strays go back to, and tokens that are not listed. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { strayClaim } from '../orders/seal.ts';
import { runInBatches, type Statement } from '../platform/d1/batches.ts';
import { strays, unlistedTokens } from '../treasury/strays/table.ts';
import type { Context } from './command.ts';
import { isOld, PAGE, type Page, rowCount } from './reseal-page.ts';

interface Place {
	readonly table: typeof strays | typeof unlistedTokens;
	readonly asset: typeof strays.asset | typeof unlistedTokens.token;
	/** Literal, for the partial index. */
	readonly isSealed: SQL;
}

const kindOf = (what: string, place: Place) => ({
	what,
	count: (context: Context) => rowCount(context.db, place.table, isLeft(context, place)),
	page: (context: Context, after: string) => resealPage(context, place, after),
});

const isLeft = ({ env }: Context, { table, isSealed }: Place) => and(isSealed, isOld(table.toSeal, env.askedKeys()));

export const SEALED_STRAYS = [
	kindOf('addresses for strays', { table: strays, asset: strays.asset, isSealed: sql`to_seal is not null` }),
	kindOf('addresses for tokens that are not listed', {
		table: unlistedTokens,
		asset: unlistedTokens.token,
		isSealed: sql`asked_at is not null`,
	}),
];

/** A page has all of its orders' strays, because `after` is the id of an order. */
async function resealPage(context: Context, place: Place, after: string): Promise<Page> {
	const { db, env } = context;
	const { table } = place;
	const { network, address, orderId, toAddress: to, toSeal: before, foundAt: at } = table;
	const rows = await db
		.select({ network, address, asset: place.asset, orderId, to, before, at })
		.from(table)
		.where(and(isLeft(context, place), gt(orderId, after)))
		.orderBy(asc(orderId))
		.limit(PAGE);
	const last = rows.length === PAGE ? rows.at(-1)?.orderId : undefined;
	// The last order of a full page may have more: it comes again, unless the page is all of it.
	const whole = rows.filter((row) => row.orderId !== last || rows[0]?.orderId === last);
	const { asker } = env.askedKeys();
	const seals = await Promise.all(
		whole.map((row) =>
			row.to === null || row.before === null ? null : asker.resealed(strayClaim({ ...row, to: row.to }, row.before)),
		),
	);
	const statements = whole.flatMap((row, i): Statement[] => {
		const toSeal = seals[i];
		if (!toSeal || row.before === null) return [];
		const isIt = and(eq(network, row.network), eq(address, row.address), eq(place.asset, row.asset));
		const isUnchanged = and(isIt, eq(before, row.before));
		return [db.update(table).set({ toSeal }).where(isUnchanged)];
	});
	await runInBatches(db, statements);
	const broken = whole.filter((_, i) => !seals[i]).map((row) => `${row.orderId} ${row.asset}`);
	return { resealed: statements.length, broken, last: whole.at(-1)?.orderId ?? null };
}
