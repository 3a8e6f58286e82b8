/**
 * Seals with the current key what the previous one has sealed, so that the previous one can be retired. A row whose seal
 * does not match is named and stays as it is: sealing it would make a forged row look genuine.
 *
 * Atomic: each row's seal is replaced by one compare-and-set on the seal that was checked. After a crash the next run
 * finds the rest.
 */
import { and, asc, getTableColumns, gt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { batchClaim } from '../archive/objects.ts';
import { archivedBatches } from '../archive/table.ts';
import type { AskedKeys, SealClaim } from '../crypto/seals.ts';
import { orderClaim, settlementClaim } from '../orders/seal.ts';
import { type DepositRow, deposits, orders } from '../orders/table.ts';
import { endpointClaim } from '../partners/endpoint-seal.ts';
import { accessClaim } from '../partners/sign-in/seal.ts';
import { cabinetPasskeys } from '../partners/sign-in/table.ts';
import { partners, webhookEndpoints } from '../partners/table.ts';
import { byIndex, fromIndex } from '../platform/d1/by-index.ts';
import { inJson } from '../platform/d1/lists.ts';
import { type TransactionRow, transactions } from '../treasury/table.ts';
import type { Context } from './command.ts';
import { countOldAddresses, resealFreeAddresses } from './reseal-addresses.ts';
import { isOld, PAGE, type Page, type Resealed, resealRows, rowCount } from './reseal-page.ts';
import { countOldScoped, isOldPartner, resealPartners, resealScoped } from './reseal-partners.ts';
import { countOldPieces, resealPieces } from './reseal-pieces.ts';
import { SEALED_STRAYS } from './reseal-strays.ts';

/** A kind of sealed rows: how many rows another key has sealed, and how a page of them is sealed again. */
export interface SealedKind {
	readonly what: string;
	readonly count: (context: Context) => Promise<number>;
	readonly page: (context: Context, after: string) => Promise<Page>;
}

export const SEALED_KINDS: readonly SealedKind[] = [
	{
		what: 'orders',
		count: ({ db, env }) => rowCount(db, orders, isOldByKey(orders.seal, env.askedKeys())),
		page: resealOrders,
	},
	{
		what: 'planned settlements',
		count: ({ db, env }) => rowCount(db, byIndex(transactions, 'transactions_open'), isOldSettlement(env)),
		page: resealSettlements,
	},
	{
		what: 'archived batches',
		count: ({ db, env }) => rowCount(db, archivedBatches, isOld(archivedBatches.seal, env.askedKeys())),
		page: resealBatches,
	},
	{ what: 'free addresses', count: countOldAddresses, page: resealFreeAddresses },
	{ what: 'partners', count: ({ db, env }) => rowCount(db, partners, isOldPartner(env)), page: resealPartners },
	{ what: 'scoped keys', count: countOldScoped, page: resealScoped },
	...SEALED_STRAYS,
	{
		what: 'webhook endpoints',
		count: ({ db, env }) => rowCount(db, webhookEndpoints, isOldByKey(webhookEndpoints.seal, env.askedKeys())),
		page: resealEndpoints,
	},
	{
		what: 'passkeys',
		count: ({ db, env }) => rowCount(db, cabinetPasskeys, isOld(cabinetPasskeys.seal, env.askedKeys())),
		page: resealPasskeys,
	},
	{ what: 'ledger pieces', count: countOldPieces, page: resealPieces },
];

/** All rows of one kind, page by page, until `deadline` (Unix milliseconds). */
export async function resealKind(kind: SealedKind, context: Context, deadline: number): Promise<Resealed> {
	const broken: string[] = [];
	let resealed = 0;
	for (let after = ''; Date.now() < deadline; ) {
		const page = await kind.page(context, after);
		if (page.last === null) break;
		resealed += page.resealed;
		broken.push(...page.broken);
		after = page.last;
	}
	return { resealed, broken };
}

/** The same by the index of key numbers: it is given what is below and above the current one. */
const isOldByKey = (column: SQLiteColumn, { current }: AskedKeys): SQL => {
	const number = sql`substr(${column}, 1, instr(${column}, '.'))`;
	return sql`(${number} < ${`${current.number}.`} or ${number} > ${`${current.number}.`})`;
};

/** Takes any orders that are left. `after`: JSON of the ids that were broken so far, which are left out. */
async function resealOrders(context: Context, after: string): Promise<Page> {
	const known: readonly string[] = after === '' ? [] : JSON.parse(after);
	const isLeft = and(isOldByKey(orders.seal, context.env.askedKeys()), sql`${orders.id} not in ${inJson(known)}`);
	const rows = await context.db.select().from(orders).where(isLeft).limit(PAGE);
	const claimed = rows.map((order) => ({ id: order.id, claim: orderClaim(order, order.seal) }));
	const done = await resealRows(context, { table: 'orders', key: 'id', seal: 'seal' }, claimed);
	return { ...done, last: rows.length === 0 ? null : JSON.stringify([...known, ...done.broken]) };
}

/** A signed transaction no longer needs its seal. Literal, because SQLite uses a partial index only for its own words. */
const isOldSettlement = (env: Context['env']): SQL | undefined =>
	and(
		sql`${transactions.state} <> 'final' and ${transactions.state} = 'planned' and ${transactions.settlementSeal} is not null`,
		isOld(transactions.settlementSeal, env.askedKeys()),
	);

async function resealSettlements(context: Context, after: string): Promise<Page> {
	const { db, env } = context;
	const rows = await db
		.select(fromIndex(getTableColumns(transactions)))
		.from(byIndex(transactions, 'transactions_open'))
		.where(and(gt(transactions.id, after), isOldSettlement(env)))
		.orderBy(asc(transactions.id))
		.limit(PAGE);
	const ofOrders = inJson(rows.flatMap(({ orderId }) => orderId ?? []));
	const paidFor = await db.select().from(deposits).where(sql`${deposits.orderId} in ${ofOrders}`);
	const ofPayout = Map.groupBy(paidFor, ({ payoutId }) => payoutId);
	const claimed = rows.map((row) => ({ id: row.id, claim: settlementOf(row, ofPayout.get(row.id) ?? []) }));
	return resealRows(context, { table: 'transactions', key: 'id', seal: 'settlement_seal' }, claimed);
}

function settlementOf(
	{ id: payoutId, orderId, kind, asset, amount, plannedAt, settlementSeal }: TransactionRow,
	paidFor: readonly DepositRow[],
): SealClaim | null {
	if (orderId === null || settlementSeal === null || (kind !== 'payout' && kind !== 'refund')) return null;
	return settlementClaim({ payoutId, orderId, kind, asset, amount, plannedAt, deposits: paidFor }, settlementSeal);
}

/** `after`: a batch's number as text, empty before the first. */
async function resealBatches(context: Context, after: string): Promise<Page> {
	const { number, seal } = archivedBatches;
	const isNext = and(gt(number, Number(after)), isOld(seal, context.env.askedKeys()));
	const rows = await context.db.select().from(archivedBatches).where(isNext).orderBy(asc(number)).limit(PAGE);
	const claimed = rows.map((batch) => ({ id: batch.number, claim: batchClaim(batch) }));
	const done = await resealRows(context, { table: 'archived_batches', key: 'number', seal: 'seal' }, claimed);
	return { ...done, broken: done.broken.map((each) => `archived batch ${each}`) };
}

async function resealEndpoints(context: Context, after: string): Promise<Page> {
	const { id, seal } = webhookEndpoints;
	const isNext = and(gt(id, after), isOldByKey(seal, context.env.askedKeys()));
	const rows = await context.db.select().from(webhookEndpoints).where(isNext).orderBy(asc(id)).limit(PAGE);
	const claimed = rows.map((row) => ({ id: row.id, claim: row.seal === null ? null : endpointClaim(row, row.seal) }));
	return resealRows(context, { table: 'webhook_endpoints', key: 'id', seal: 'seal' }, claimed);
}

/** Invitations end before a key is retired, so passkeys are sealed again alone. */
async function resealPasskeys(context: Context, after: string): Promise<Page> {
	const { id, seal } = cabinetPasskeys;
	const isNext = and(gt(id, after), isOld(seal, context.env.askedKeys()));
	const rows = await context.db.select().from(cabinetPasskeys).where(isNext).orderBy(asc(id)).limit(PAGE);
	const claimed = rows.map((row) => ({ id: row.id, claim: accessClaim('passkey', row, row.seal) }));
	return resealRows(context, { table: 'cabinet_passkeys', key: 'id', seal: 'seal' }, claimed);
}
