/**
 * D1's rows about a hot wallet: what of its balance is owed, what transactions moved, and what the operator put in.
 * What is not owed is free to trade on or to withdraw. Conditions of partial indexes are literal.
 */
import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { archivedTransactions } from '../../archive/find.ts';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Chain } from '../../chains/port.ts';
import { amountsByAsset } from '../../money/units.ts';
import { deposits } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum, keptSum } from '../../platform/d1/exact-sum.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { transactions, transactionVersions } from '../table.ts';
import type { WalletFlow } from './reserve-rules.ts';
import { depositSums, reserveEntries, walletFlows } from './table.ts';

type Amounts = Partial<Record<AssetId, bigint>>;

/** Not sent yet, so the balance still has what they pay. */
const isWaiting = sql`${transactions.state} in ('planned', 'signed')`;
/** Or sent and not final: on account-based chains the balance has what they pay until they are in a block. */
const isUnfinished = sql`(${transactions.state} in ('planned', 'signed') or (${transactions.state} = 'sent' and ${transactions.finalAt} is null))`;

/** For quotes: base units that payouts, refunds, earnings and other transactions wait for. */
export const owedNow = (db: Db, network: NetworkName, chain: Pick<Chain, 'spendsDeposits'>) =>
	owed(db, network, chain, isWaiting);

/** For withdrawals, which can wait until nothing is in doubt: what was sent counts until it is final. */
export const owedUntilFinal = (db: Db, network: NetworkName, chain: Pick<Chain, 'spendsDeposits'>) =>
	owed(db, network, chain, isUnfinished);

async function owed(
	db: Db,
	network: NetworkName,
	{ spendsDeposits }: Pick<Chain, 'spendsDeposits'>,
	which: SQL,
): Promise<Amounts> {
	const isUnclaimed = sql`${deposits.state} = 'final' and ${deposits.payoutId} is null`;
	const ofDeposits = (index: string, which: SQL) =>
		db
			.select(fromIndex({ asset: deposits.asset, amount: exactSum(deposits.amount) }))
			.from(byIndex(deposits, index))
			.where(and(isUnclaimed, which, eq(deposits.network, network)))
			.groupBy(deposits.asset);
	// These leave the coins in wallets of our own.
	const isOutward = sql`${transactions.kind} not in ('sweep', 'consolidation')`;
	const isOpen = sql`${transactions.state} <> 'final'`;
	const [ours, unclaimed, dust] = await db.batch([
		db
			.select(fromIndex({ asset: transactions.asset, amount: exactSum(transactions.amount) }))
			.from(byIndex(transactions, 'transactions_open'))
			.where(and(eq(transactions.network, network), isOpen, which, isOutward))
			.groupBy(transactions.asset),
		ofDeposits('deposits_unclaimed', sql`${deposits.dust} = 0`),
		ofDeposits('deposits_unclaimed_dust', sql`${deposits.dust} = 1`),
	]);
	return Object.fromEntries(amountsByAsset([...ours, ...(spendsDeposits ? [...unclaimed, ...dust] : [])]));
}

export const movedOfFlows = [walletFlows.moved3, walletFlows.moved2, walletFlows.moved1, walletFlows.moved0] as const;
export const limbsOfDeposits = [depositSums.limb3, depositSums.limb2, depositSums.limb1, depositSums.limb0] as const;
export const feesOfFlows = [walletFlows.fee3, walletFlows.fee2, walletFlows.fee1, walletFlows.fee0] as const;

/**
 * The sums that final transactions moved and the reserve gained up to `until`, from the kept flows: deleted transactions
 * are in it. The youngest are taken off again, in the same batch.
 */
export async function walletFlowUntil(db: Db, network: NetworkName, until: number): Promise<WalletFlow> {
	const ofNetwork = eq(walletFlows.network, network);
	const [moved, fees, ...rest] = await db.batch([
		db
			.select({ asset: walletFlows.asset, kind: walletFlows.kind, amount: keptSum(movedOfFlows) })
			.from(walletFlows)
			.where(ofNetwork)
			.groupBy(walletFlows.asset, walletFlows.kind),
		db
			.select({ kind: walletFlows.kind, amount: keptSum(feesOfFlows) })
			.from(walletFlows)
			.where(ofNetwork)
			.groupBy(walletFlows.kind),
		...liveFlow(db, network, until, Number.MAX_SAFE_INTEGER),
		reserveWithin(db, network, 0, until),
	]);
	const [youngMoved, youngFees, reserves] = rest;
	const negated = <T extends { readonly amount: bigint }>(rows: readonly T[]) =>
		rows.map((row) => ({ ...row, amount: -row.amount }));
	return { moved: [...moved, ...negated(youngMoved)], fees: [...fees, ...negated(youngFees)], reserves };
}

/** The same, `after` exclusive and `until` inclusive, from the transactions themselves. */
export async function walletFlow(db: Db, network: NetworkName, after: number, until: number): Promise<WalletFlow> {
	const [moved, fees, reserves] = await db.batch([
		...liveFlow(db, network, after, until),
		reserveWithin(db, network, after, until),
	]);
	return { moved, fees, reserves };
}

const within = (at: typeof transactions.finalAt | typeof reserveEntries.at, after: number, until: number): SQL =>
	sql`${at} > ${after} and ${at} <= ${until}`;

function liveFlow(db: Db, network: NetworkName, after: number, until: number) {
	const ofNetwork = and(
		eq(transactions.network, network),
		sql`${transactions.finalAt} is not null`,
		within(transactions.finalAt, after, until),
	);
	const moved = db
		.select({ asset: transactions.asset, kind: transactions.kind, amount: exactSum(transactions.amount) })
		.from(transactions)
		.where(and(ofNetwork, eq(transactions.state, 'final'), isNull(transactions.settledTxId)))
		.groupBy(transactions.asset, transactions.kind);
	const fees = db
		.select({ kind: transactions.kind, amount: exactSum(sql`coalesce(${transactions.fee}, '0')`) })
		.from(transactions)
		.where(ofNetwork)
		.groupBy(transactions.kind);
	return [moved, fees] as const;
}

/** Booked coins of no order came to the hot wallet by sweeps, which the flow has already. */
function reserveWithin(db: Db, network: NetworkName, after: number, until: number) {
	const { asset, amount, position, at } = reserveEntries;
	const isIt = and(eq(reserveEntries.network, network), ne(position, UNATTRIBUTED), within(at, after, until));
	return db
		.select({ asset, amount: exactSum(amount) })
		.from(reserveEntries)
		.where(isIt)
		.groupBy(asset);
}

/** The position of a reserve entry that `treasury book-unattributed` made. */
export const UNATTRIBUTED = 'unattributed';

export type NewReserveEntry = typeof reserveEntries.$inferInsert;

/** Safe to repeat: the payment is the key. */
export async function insertReserve(db: Db, entry: NewReserveEntry): Promise<void> {
	await db.insert(reserveEntries).values(entry).onConflictDoNothing();
}

/** The transactions with these ids that are ours, and the part of them that is booked as reserve. */
export async function knownPayments(db: Db, network: NetworkName, txIds: readonly string[]) {
	const among = inJson(txIds);
	const isOurs = and(eq(transactions.network, network), sql`${transactions.txId} in ${among}`);
	const isBooked = and(eq(reserveEntries.network, network), sql`${reserveEntries.txId} in ${among}`);
	const [ours, replaced, booked] = await db.batch([
		db.select({ txId: transactions.txId }).from(transactions).where(isOurs),
		db
			.select({ txId: transactionVersions.txId })
			.from(transactionVersions)
			.innerJoin(transactions, eq(transactions.id, transactionVersions.transactionId))
			.where(and(sql`${transactionVersions.txId} in ${among}`, eq(transactions.network, network))),
		db.select().from(reserveEntries).where(isBooked),
	]);
	const known = new Set([...ours, ...replaced, ...booked].map(({ txId }) => txId));
	const unknown = txIds.filter((txId) => !known.has(txId));
	const archived = unknown.length > 0 ? await archivedTransactions(db, network, unknown) : [];
	return { own: new Set([...[...ours, ...replaced].map(({ txId }) => txId), ...archived]), booked };
}
