/**
 * The reserve: what the operator has put into a payout wallet, on record so that the ledger check can be exact. Where
 * the chain names the payment (`Chain.reserve` is `credits`) that payment is booked, once it is as deep as any amount
 * asks for; else what a wallet at rest holds beyond its books (`BalanceReserve`).
 */
import { and, count, eq, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { deepestConfirmations, isFinal } from '../../chains/finality.ts';
import type { ObservedDeposit } from '../../chains/port.ts';
import { runInBatches } from '../../d1/batches.ts';
import { log } from '../../log.ts';
import { reserveEntries, transactions, transactionVersions } from '../table.ts';
import { isUnderWay } from './balances.ts';
import { type FeePayer, type Surplus, steadySurplus } from './reserve-rules.ts';
import type { WalletRecord } from './wallet-record.ts';

/** A wallet that holds less than its books is told of this often. */
const MISSING_MILLISECONDS = 3_600_000;

/** Payments to the payout wallet among what a scan saw. Safe to repeat: the payment is the key. */
export async function bookCredits(
	db: DrizzleD1Database,
	network: NetworkName,
	hotAddress: string,
	observed: readonly ObservedDeposit[],
	now: number,
): Promise<void> {
	const final = observed.filter(
		(deposit) =>
			deposit.address === hotAddress &&
			deposit.amount > 0n &&
			deposit.confirmations >= deepestConfirmations(network) &&
			isFinal(network, deposit, null),
	);
	if (final.length === 0) return;
	const among = sql`(select value from json_each(${JSON.stringify(final.map(({ txId }) => txId))}))`;
	const ofNetwork = sql`(select id from transactions where network = ${network})`;
	const [ours, replaced, booked] = await db.batch([
		db
			.select({ txId: transactions.txId })
			.from(transactions)
			.where(and(eq(transactions.network, network), sql`${transactions.txId} in ${among}`)),
		db
			.select({ txId: transactionVersions.txId })
			.from(transactionVersions)
			.where(sql`${transactionVersions.txId} in ${among} and ${transactionVersions.transactionId} in ${ofNetwork}`),
		db
			.select()
			.from(reserveEntries)
			.where(and(eq(reserveEntries.network, network), sql`${reserveEntries.txId} in ${among}`)),
	]);
	const own = new Set([...ours, ...replaced].map(({ txId }) => txId));
	const isBooked = ({ txId, position, asset }: ObservedDeposit) =>
		booked.some((entry) => entry.txId === txId && entry.position === position && entry.asset === asset);
	for (const deposit of final.filter((each) => !own.has(each.txId) && !isBooked(each))) {
		const { txId, position, asset, amount } = deposit;
		const entry = { network, txId, position, asset, amount: amount.toString(), at: now };
		await runInBatches(db, [db.insert(reserveEntries).values(entry).onConflictDoNothing()]);
		log('reserve_booked', { network, asset, amount: amount.toString(), txId });
	}
}

export interface Comparison {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly record: WalletRecord;
	readonly feePayer: FeePayer;
	/** What the payout wallet holds, read in this tick, before which nothing of ours was under way that is not stored. */
	readonly balances: Readonly<Partial<Record<AssetId, bigint>>>;
	/** Of the best block that the last look saw. */
	readonly height: number;
	readonly now: number;
}

/** What only observation can tell is kept in memory: after a restart a surplus must prove itself steady anew. */
export class BalanceReserve {
	readonly #surplus = new Map<AssetId, Surplus>();
	/** Balances that agreed with the books: while they stand, nothing is added up again. */
	readonly #agreed = new Map<AssetId, bigint>();
	readonly #missingAt = new Map<AssetId, number>();

	/** Books what is steadily there beyond the books. Does nothing while a transaction of our own is under way. */
	async compare({ db, network, record, feePayer, balances, height, now }: Comparison): Promise<void> {
		const held = Object.entries(balances) as [AssetId, bigint][];
		if (held.every(([asset, balance]) => this.#agreed.get(asset) === balance)) return;
		if ((await underWay(db, network)) > 0) return;
		const books = await record.books(nativeAsset(network), feePayer, now);
		for (const [asset, balance] of held) {
			const difference = balance - (books.get(asset) ?? 0n);
			const { kept, booked } = steadySurplus(
				this.#surplus.get(asset),
				difference,
				height,
				deepestConfirmations(network),
			);
			if (kept) this.#surplus.set(asset, kept);
			else this.#surplus.delete(asset);
			if (difference === 0n) this.#agreed.set(asset, balance);
			else this.#agreed.delete(asset);
			if (booked > 0n) await book(db, network, asset, booked, now);
			if (difference < 0n) this.#tellMissing(network, asset, -difference, now);
		}
	}

	#tellMissing(network: NetworkName, asset: AssetId, amount: bigint, now: number): void {
		if (now - (this.#missingAt.get(asset) ?? 0) < MISSING_MILLISECONDS) return;
		this.#missingAt.set(asset, now);
		log('reserve_missing', { network, asset, amount: amount.toString() });
	}
}

async function underWay(db: DrizzleD1Database, network: NetworkName): Promise<number> {
	const [row] = await db
		.select({ open: count() })
		.from(transactions)
		.where(and(eq(transactions.network, network), isUnderWay));
	return row?.open ?? 0;
}

async function book(db: DrizzleD1Database, network: NetworkName, asset: AssetId, amount: bigint, now: number) {
	const txId = crypto.randomUUID();
	await db
		.insert(reserveEntries)
		.values({ network, txId, position: 'balance', asset, amount: amount.toString(), at: now });
	log('reserve_booked', { network, asset, amount: amount.toString(), txId });
}
