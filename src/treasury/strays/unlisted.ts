/**
 * Tokens that are not listed, at orders' addresses: on record so that operator, partner and payer can read of them. Nothing of
 * them is money here, and only the operator's command moves them (`tokens.ts`).
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { TokenId } from '../../catalog/assets.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import type { Connection } from '../connection.ts';
import type { StrayOrder } from './find.ts';
import { copyStraysOf } from './store.ts';
import { type UnlistedRow, unlistedTokens } from './table.ts';

/** The most tokens of one order: anybody makes tokens and sends them anywhere. */
const MOST_OF_ORDER = 10;

/** `tokens`: what lies there now, by token. Atomic: the rows and the order's copy are one batch. */
export async function recordUnlisted(
	{ db, network }: Connection,
	{ id: orderId, payInAddress: address }: StrayOrder,
	tokens: ReadonlyMap<string, bigint>,
	now: number,
): Promise<void> {
	const known = await unlistedOf(db, orderId);
	const at = (token: string) => known.find((row) => row.network === network && row.token === token);
	// As much as has gone back may come again.
	const isBack = (row: UnlistedRow | undefined) => row !== undefined && row.returnId !== null && row.keptAt !== null;
	const changed = [...tokens].filter(([token, amount]) => at(token)?.amount !== amount.toString() || isBack(at(token)));
	const fresh = changed.filter(([token]) => !at(token)).slice(0, Math.max(0, MOST_OF_ORDER - known.length));
	const rows = [...changed.filter(([token]) => at(token)), ...fresh].map(([token, amount]) => {
		return { network, address, token: token as TokenId, orderId, amount: amount.toString(), foundAt: now };
	});
	const [first, ...rest] = rows.map((row) =>
		db
			.insert(unlistedTokens)
			.values(row)
			.onConflictDoUpdate({
				target: [unlistedTokens.network, unlistedTokens.address, unlistedTokens.token],
				// Where one has gone back and more comes, a person is asked again.
				set: {
					amount: row.amount,
					keptAt: sql`iif(${unlistedTokens.returnId} is null, ${unlistedTokens.keptAt}, null)`,
					returnId: sql`iif(${unlistedTokens.keptAt} is null, ${unlistedTokens.returnId}, null)`,
				},
			}),
	);
	if (!first) return;
	await runBatch(db, [first, ...rest, copyStraysOf(db, orderId, now)]);
	for (const { token, amount } of rows) log('stray_unlisted', { network, orderId, token, amount });
}

export const unlistedOf = (db: Db, orderId: string): Promise<UnlistedRow[]> =>
	db.select().from(unlistedTokens).where(eq(unlistedTokens.orderId, orderId));

/** The order's, however its contract is written. */
export async function unlistedNamed(db: Db, orderId: string, text: string) {
	const token = /^0x/i.test(text) ? text.toLowerCase() : text;
	return (await unlistedOf(db, orderId)).find((each) => each.token === token);
}

export const keepUnlisted = (db: Db, orderId: string, token: TokenId, now: number) => {
	const isIt = and(eq(unlistedTokens.orderId, orderId), eq(unlistedTokens.token, token));
	const isOpen = and(isIt, isNull(unlistedTokens.keptAt), isNull(unlistedTokens.askedAt));
	return db.update(unlistedTokens).set({ keptAt: now }).where(isOpen).returning();
};

/** Those about which nobody has decided, the oldest first. Literal, for the partial index. */
export const undecidedTokens = (db: Db, limit: number) =>
	db
		.select()
		.from(unlistedTokens)
		.where(sql`kept_at IS NULL and asked_at IS NULL`)
		.orderBy(unlistedTokens.foundAt)
		.limit(limit);
