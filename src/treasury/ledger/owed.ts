/**
 * What a payout wallet's balance is owed for, from what is on record: the rest is free, to deal on or to withdraw. Only
 * what is in the balance is taken off it.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Chain } from '../../chains/port.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import { deposits } from '../../orders/table.ts';
import { transactions } from '../table.ts';

type Amounts = Partial<Record<AssetId, bigint>>;

/** Nobody has been handed them yet: what the balance shows is still to pay for them. */
const isWaiting = sql`${transactions.state} in ('planned', 'signed')`;
/** Also what was handed over and is not final: an account's balance shows it until a block holds it. */
const isUnfinished = sql`(${transactions.state} in ('planned', 'signed') or (${transactions.state} = 'sent' and ${transactions.finalAt} is null))`;

/** For quotes: base units that payouts, refunds, earnings and other payments of ours wait for. */
export const owedNow = (db: DrizzleD1Database, network: NetworkName, chain: Pick<Chain, 'spendsDeposits'>) =>
	owed(db, network, chain, isWaiting);

/** For withdrawals, which may wait until nothing is in doubt: what was sent counts until it is final. */
export const owedUntilFinal = (db: DrizzleD1Database, network: NetworkName, chain: Pick<Chain, 'spendsDeposits'>) =>
	owed(db, network, chain, isUnfinished);

async function owed(
	db: DrizzleD1Database,
	network: NetworkName,
	{ spendsDeposits }: Pick<Chain, 'spendsDeposits'>,
	which: SQL,
): Promise<Amounts> {
	// Both conditions in the literal words of their partial indexes.
	const [ours, unclaimed] = await db.batch([
		db
			.select({ asset: transactions.asset, amount: exactSum(transactions.amount) })
			.from(transactions)
			.where(
				and(
					eq(transactions.network, network),
					sql`${transactions.state} <> 'final'`,
					which,
					// These two leave the coins in wallets of our own.
					sql`${transactions.kind} not in ('sweep', 'consolidation')`,
				),
			)
			.groupBy(transactions.asset),
		db
			.select({ asset: deposits.asset, amount: exactSum(deposits.amount) })
			.from(deposits)
			.where(
				and(
					sql`${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0`,
					eq(deposits.network, network),
				),
			)
			.groupBy(deposits.asset),
	]);
	const amounts: Amounts = {};
	for (const { asset, amount } of [...ours, ...(spendsDeposits ? unclaimed : [])]) {
		amounts[asset] = (amounts[asset] ?? 0n) + amount;
	}
	return amounts;
}
