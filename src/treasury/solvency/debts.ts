/**
 * The debts, and to whom, at one moment: each read is a statement of one batch, and so is what the books have kept of the same
 * debts in other rows. A debt that is in one of the two alone differs, and nothing is published (book: solvency, "The debts").
 */
import { and, eq, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import { deposits, orders } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { keptSum } from '../../platform/d1/exact-sum.ts';
import { pick } from '../../platform/pick.ts';
import type { Creditor } from '../../ports/solvency.ts';
import { readOfNoOrder, sumsOfNoOrder } from '../deposits/of-no-order.ts';
import { partnerPayouts } from '../earnings/table.ts';
import { deletedHoldings, ledgerBalances, ledgerEntries, partnerDues } from '../ledger/table.ts';
import { strays } from '../strays/table.ts';
import { transactions } from '../table.ts';
import type { Debt } from './report.ts';

/** Most rows of one read. More are not proven: a tree of them would not fit into the memory of a Worker. */
const MOST_ROWS = 100_000;

/** In this asset the books have kept another sum than the debts add up to. */
export interface DifferingDebts {
	readonly asset: AssetId;
	readonly debts: bigint;
	readonly books: bigint;
}

export type ReadDebts =
	| { readonly debts: readonly Debt[] }
	| { readonly differing: readonly DifferingDebts[] }
	| { readonly tooMany: number };

const limbsOf = ({ limb3, limb2, limb1, limb0 }: typeof ledgerBalances | typeof partnerDues | typeof deletedHoldings) =>
	[limb3, limb2, limb1, limb0] as const;

export async function readDebts(db: Db): Promise<ReadDebts> {
	const [unclaimed, dust, refunded, returned, lying, failed, open, dues, kept, deleted, listed, overflown] =
		await db.batch([
			unclaimedDeposits(db, 'deposits_unclaimed', 0),
			unclaimedDeposits(db, 'deposits_unclaimed_dust', 1),
			depositsOfRefunds(db),
			plannedReturns(db),
			straysThatStay(db),
			failedPayments(db),
			entriesOfPayouts(db),
			duesOfPartners(db),
			keptAccounts(db),
			db
				.select({ asset: deletedHoldings.asset, amount: keptSum(limbsOf(deletedHoldings)) })
				.from(deletedHoldings)
				.groupBy(deletedHoldings.asset),
			...readOfNoOrder(db),
		]);
	if ([unclaimed, dust, refunded, returned, lying, failed, open, dues].some(({ length }) => length > MOST_ROWS))
		return { tooMany: MOST_ROWS };
	const booked = bookedDebts(open, dues);
	const differing = differingOf(booked, kept);
	if (differing.length > 0) return { differing };
	return {
		debts: addedUp([
			...booked,
			...[unclaimed, dust, refunded, returned].flat().map((row) => debtOf('order', row.orderId, row, row.amount)),
			...failed.map(({ partnerId, orderId, ...row }) =>
				partnerId === null
					? debtOf('order', orderId ?? '', row, row.amount)
					: debtOf('partner', partnerId, { asset: row.asset }, row.amount),
			),
			...lying.map((row) => debtOf('order', row.orderId, row, BigInt(row.amount) - BigInt(row.taken))),
			...sumsOfNoOrder(listed, overflown).map(({ counted, open: left, ...row }) =>
				debtOf('nobody', '', row, counted + left - row.booked),
			),
			...deleted.map((row) => debtOf('nobody', '', row, row.amount)),
			...kept.flatMap((row) => (row.account === 'unreturned' ? [debtOf('nobody', '', row, -row.amount)] : [])),
		]),
	};
}

const debtOf = (
	creditor: Creditor,
	id: string,
	{ asset, tokenHash = null }: { readonly asset: AssetId; readonly tokenHash?: string | null },
	amount: bigint | string,
): Debt => ({ creditor, id, tokenHash, asset, amount: BigInt(amount) });

/** Payouts and partners’ shares of the orders under way, and what partners have earned. */
function bookedDebts(
	open: Awaited<ReturnType<typeof entriesOfPayouts>>,
	dues: Awaited<ReturnType<typeof duesOfPartners>>,
): Debt[] {
	return [
		...open.map((row) =>
			row.account === 'payable'
				? debtOf('order', row.orderId, row, -BigInt(row.amount))
				: debtOf('partner', row.partnerId, { asset: row.asset }, -BigInt(row.amount)),
		),
		...dues.map((row) => debtOf('partner', row.partnerId, row, -row.amount)),
	];
}

/** One debt for each creditor and asset. */
function addedUp(debts: readonly Debt[]): Debt[] {
	const sums = new Map<string, Debt>();
	for (const debt of debts) {
		const key = `${debt.creditor} ${debt.id} ${debt.asset}`;
		sums.set(key, { ...debt, amount: debt.amount + (sums.get(key)?.amount ?? 0n) });
	}
	return [...sums.values()].filter(({ amount }) => amount > 0n);
}

/** Triggers keep the balances, so they do not follow from the same reads. */
function differingOf(booked: readonly Debt[], kept: Awaited<ReturnType<typeof keptAccounts>>): DifferingDebts[] {
	const inBooks = kept.filter(({ account }) => account !== 'unreturned');
	const sumOf = (rows: readonly { readonly asset: AssetId; readonly amount: bigint }[], of: AssetId) =>
		rows.reduce((sum, { asset, amount }) => (asset === of ? sum + amount : sum), 0n);
	return [...new Set([...booked, ...inBooks].map(({ asset }) => asset))]
		.map((asset) => ({ asset, debts: sumOf(booked, asset), books: -sumOf(inBooks, asset) }))
		.filter(({ debts, books }) => debts !== books);
}

const ofDeposit = { ...pick(deposits, 'orderId', 'asset', 'amount'), tokenHash: orders.tokenHash };

/** Final deposits that no payment pays for yet. Those that are not final may vanish. */
const unclaimedDeposits = (db: Db, index: string, dust: 0 | 1) =>
	db
		.select(fromIndex(ofDeposit))
		.from(byIndex(deposits, index))
		.innerJoin(orders, eq(orders.id, deposits.orderId))
		.where(
			sql`${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = ${sql.raw(String(dust))}`,
		)
		.limit(MOST_ROWS + 1);

const isUnsent = sql`${transactions.state} <> 'final' and ${transactions.state} in ('planned', 'signed')`;

/** Those of refunds that are not sent: the books have them once they are. */
const depositsOfRefunds = (db: Db) =>
	db
		.select(fromIndex(ofDeposit))
		.from(byIndex(transactions, 'transactions_open'))
		.innerJoin(
			deposits,
			sql`${deposits.orderId} = ${transactions.orderId} and ${deposits.payoutId} = ${transactions.id}`,
		)
		.innerJoin(orders, eq(orders.id, deposits.orderId))
		.where(sql`${isUnsent} and ${transactions.kind} = 'refund'`)
		.limit(MOST_ROWS + 1);

const ofStray = { orderId: strays.orderId, tokenHash: orders.tokenHash, asset: strays.asset };

const isOfStray = and(
	eq(strays.network, transactions.network),
	eq(strays.address, transactions.payInAddress),
	eq(strays.asset, transactions.asset),
);

/** Returns of strays that are not sent. */
const plannedReturns = (db: Db) =>
	db
		.select(fromIndex({ ...ofStray, amount: transactions.amount }))
		.from(byIndex(transactions, 'transactions_open'))
		.innerJoin(strays, isOfStray)
		.innerJoin(orders, eq(orders.id, strays.orderId))
		.where(sql`${isUnsent} and ${transactions.kind} = 'stray'`)
		.limit(MOST_ROWS + 1);

/** Strays for which no return was planned; those that a node lists are among what is of nobody. */
const straysThatStay = (db: Db) =>
	db
		.select({ ...ofStray, amount: strays.counted, taken: strays.taken })
		.from(strays)
		.innerJoin(orders, eq(orders.id, strays.orderId))
		.where(sql`${strays.isListed} = 0 and ${strays.counted} <> ${strays.taken}`)
		.limit(MOST_ROWS + 1);

/** Payments that their chain has refused for good, and nobody has made in another way: the books call them paid, and they are not. */
const failedPayments = (db: Db) => {
	const ofOrder = sql<string | null>`coalesce(${transactions.orderId}, ${strays.orderId})`;
	return db
		.select(
			fromIndex({
				orderId: ofOrder,
				partnerId: partnerPayouts.partnerId,
				tokenHash: orders.tokenHash,
				...pick(transactions, 'asset', 'amount'),
			}),
		)
		.from(byIndex(transactions, 'transactions_reverted'))
		.leftJoin(partnerPayouts, eq(partnerPayouts.id, transactions.id))
		.leftJoin(strays, isOfStray)
		.leftJoin(orders, eq(orders.id, ofOrder))
		.where(
			sql`${transactions.state} = 'sent' and ${transactions.finalAt} is not null and ${transactions.settledTxId} is null
				and ${transactions.kind} in ('payout', 'refund', 'earnings', 'stray')`,
		)
		.limit(MOST_ROWS + 1);
};

/** Debts to recipients and partners of orders whose payout is not sent. */
const entriesOfPayouts = (db: Db) =>
	db
		.select(
			fromIndex({
				...pick(orders, 'partnerId', 'tokenHash'),
				...pick(ledgerEntries, 'orderId', 'account', 'asset', 'amount'),
			}),
		)
		.from(byIndex(transactions, 'transactions_open'))
		.innerJoin(orders, eq(orders.id, transactions.orderId))
		.innerJoin(ledgerEntries, eq(ledgerEntries.orderId, orders.id))
		.where(
			sql`${isUnsent} and ${transactions.kind} = 'payout' and ${ledgerEntries.account} in ('payable', 'partnerPending')`,
		)
		.limit(MOST_ROWS + 1);

const duesOfPartners = (db: Db) =>
	db
		.select({ partnerId: partnerDues.partnerId, asset: partnerDues.asset, amount: keptSum(limbsOf(partnerDues)) })
		.from(partnerDues)
		.groupBy(partnerDues.partnerId, partnerDues.asset)
		.limit(MOST_ROWS + 1);

const keptAccounts = (db: Db) =>
	db
		.select({ account: ledgerBalances.account, asset: ledgerBalances.asset, amount: keptSum(limbsOf(ledgerBalances)) })
		.from(ledgerBalances)
		.where(sql`${ledgerBalances.account} in ('payable', 'partnerPending', 'partner', 'unreturned')`)
		.groupBy(ledgerBalances.account, ledgerBalances.asset);
