/** Hot wallets that hold less than their planned transactions pay, or will soon be empty, and what came to them without an order. */
import { sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { networkReport } from '../../pricing/market.ts';
import { readLying, readOfNoOrder, sumsOfNoOrder } from '../../treasury/deposits/of-no-order.ts';
import { transactions } from '../../treasury/table.ts';
import { paidInADay } from '../reserves/states.ts';
import { waitingReserves } from './reserves.ts';
import { lyingRow, unattributedRow } from './unattributed.ts';
import { coinsText, type Facts, type Waiting, worth } from './waiting.ts';

/** Signed transactions have their coins already. A network whose balance is unknown is listed by `nodes.ts`. */
export async function waitingWallets(facts: Facts): Promise<Waiting[]> {
	const { context, market, networks } = facts;
	const { db } = context;
	const plannedSums = db
		.select({
			asset: transactions.asset,
			owed: exactSum(transactions.amount),
			since: sql<number>`min(${transactions.plannedAt})`,
		})
		.from(transactions)
		// Literal, because SQLite takes a partial index only for the words that it was made with.
		.where(
			sql`${transactions.state} <> 'final' and ${transactions.state} = 'planned' and ${transactions.kind} in ('payout', 'refund', 'earnings', 'withdrawal', 'stray')`,
		)
		.groupBy(transactions.asset);
	const [planned, lying, paid, listed, overflown] = await db.batch([
		plannedSums,
		readLying(db),
		paidInADay(context),
		...readOfNoOrder(db),
	]);
	const ofNoOrder = [
		...sumsOfNoOrder(listed, overflown).flatMap((row) => unattributedRow(facts, row)),
		...lying.map((row) => lyingRow(facts, row)),
	];
	if (!market) return ofNoOrder;
	const missing = planned.flatMap(({ asset: code, owed, since }): Waiting[] => {
		const asset = assetOf(code);
		const held = networkReport(market, asset.network, context.now)?.reserves[code];
		if (held === undefined || BigInt(held) >= owed) return [];
		const lack = owed - BigInt(held);
		const address = networks.find(({ name }) => name === asset.network)?.hotAddress;
		return [
			{
				area: 'wallet',
				subject: code,
				cause: `the hot wallet holds ${coinsText(asset, BigInt(held))} and owes ${coinsText(asset, owed)}`,
				since,
				amount: coinsText(asset, lack),
				usd: worth(facts, asset, lack),
				todo: `send what is missing, and something for fees, to ${address ?? 'the hot wallet (`network list`)'}`,
			},
		];
	});
	return [...missing, ...waitingReserves(facts, paid), ...ofNoOrder];
}
