/** The ledger in D1. Sums come from the balances that triggers keep. */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { keptSum } from '../../platform/d1/exact-sum.ts';
import type { TransactionRow } from '../table.ts';
import type { LedgerEntry } from './entries.ts';
import { limbsOfBalances } from './prove.ts';
import { ledgerBalances, ledgerEntries, ledgerOrders, ledgerPieces, partnerDues } from './table.ts';

export const insertEntries = (db: Db, entries: readonly LedgerEntry[]): Statement[] =>
	entries.length > 0
		? [
				db.insert(ledgerEntries).select(
					sql`select null, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, ${bookedAt(sql`value ->> 0`, sql`value ->> 5`)}
						from json_each(${JSON.stringify(entries.map((one) => [one.orderId, one.cause, one.account, one.asset, one.amount, one.at]))})`,
				),
			]
		: [];

/**
 * When an entry is booked: `now`, but never a time that the seal of the order's piece covers already. So a write that
 * arrives after the seal, however late, does not break it (`prove.ts`). A new order goes to the newest piece.
 */
export const bookedAt = (orderId: SQL, now: SQL): SQL => sql`max(${now}, 1 + coalesce((
	select ${ledgerPieces.sealedUntil} from ${ledgerPieces} where ${ledgerPieces.number} = coalesce(
		(select ${ledgerOrders.piece} from ${ledgerOrders} where ${ledgerOrders.orderId} = ${orderId}),
		(select max(${ledgerPieces.number}) from ${ledgerPieces}))), 0))`;

/**
 * Reverses an order's settlement, where `when` holds: the same entries with the other sign. Its entries still sum to
 * zero, and it owes nobody anything. The partner's pending share is reversed too.
 */
export const reverseSettlement = (db: Db, { id, orderId }: TransactionRow, when: SQL, now: number): Statement =>
	db.insert(ledgerEntries).select(
		sql`select null, ${ledgerEntries.orderId}, ${`given up ${id}`}, ${ledgerEntries.account}, ${ledgerEntries.asset},
				case when ${ledgerEntries.amount} like '-%' then ltrim(${ledgerEntries.amount}, '-') else '-' || ${ledgerEntries.amount} end,
				${bookedAt(sql`${ledgerEntries.orderId}`, sql`${now}`)}
			from ${ledgerEntries}
			where ${ledgerEntries.orderId} = ${orderId} and ${ledgerEntries.cause} = 'settled' and ${when}`,
	);

/** The balance of every account in every asset, base units, from the kept balances. */
export const accountBalances = (db: Db) =>
	db
		.select({
			account: ledgerBalances.account,
			asset: ledgerBalances.asset,
			amount: keptSum(limbsOfBalances),
			entries: sql<number>`sum(${ledgerBalances.entries})`,
		})
		.from(ledgerBalances)
		.groupBy(ledgerBalances.account, ledgerBalances.asset)
		.orderBy(ledgerBalances.asset, ledgerBalances.account);

/** The earnings that partners were not paid, and those of orders under way, base units. */
export async function owedToPartners(db: Db): Promise<Partial<Record<AssetId, bigint>>> {
	const [earned, pending] = await db.batch([
		duesByAsset(db),
		db
			.select(fromIndex({ asset: ledgerBalances.asset, amount: keptSum(limbsOfBalances) }))
			.from(byIndex(ledgerBalances, 'ledger_balances_pending'))
			// Literal, because SQLite takes a partial index only for the words that it was made with.
			.where(
				sql`${ledgerBalances.account} = 'partnerPending' and (${ledgerBalances.limb3} <> 0 or ${ledgerBalances.limb2} <> 0 or ${ledgerBalances.limb1} <> 0 or ${ledgerBalances.limb0} <> 0)`,
			)
			.groupBy(ledgerBalances.asset),
	]);
	const owed: Partial<Record<AssetId, bigint>> = {};
	for (const { asset, amount } of [...earned, ...pending]) owed[asset] = (owed[asset] ?? 0n) - amount;
	return owed;
}

const limbsOfDues = [partnerDues.limb3, partnerDues.limb2, partnerDues.limb1, partnerDues.limb0] as const;

/** The dues to a partner per asset, base units: the credit of their orders on the account `partner`. */
export const owedToPartner = async (db: Db, partnerId: string) => owedOf(await duesOfPartner(db, partnerId));

/** For a batch; `owedOf` says what its rows mean. */
export const duesOfPartner = (db: Db, partnerId: string) =>
	db
		.select({ asset: partnerDues.asset, amount: keptSum(limbsOfDues) })
		.from(partnerDues)
		.where(eq(partnerDues.partnerId, partnerId))
		.groupBy(partnerDues.asset)
		.orderBy(partnerDues.asset);

export const owedOf = (dues: readonly { readonly asset: AssetId; readonly amount: bigint }[]) =>
	dues.filter(({ amount }) => amount !== 0n).map(({ asset, amount }) => ({ asset, amount: -amount }));

/** The dues to all partners by the rows of each, base units; the account `partner` must say the same. */
export const duesByAsset = (db: Db) =>
	db
		.select({ asset: partnerDues.asset, amount: keptSum(limbsOfDues) })
		.from(partnerDues)
		.groupBy(partnerDues.asset);
