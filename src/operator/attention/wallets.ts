/** Hot wallets that hold less than their planned transactions pay, or will soon be empty, and what came to them without an order. */
import { sql } from 'drizzle-orm';
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { networkReport } from '../../pricing/market.ts';
import {
	bookableOf,
	type OfNoOrder,
	readLying,
	readOfNoOrder,
	sumsOfNoOrder,
} from '../../treasury/deposits/of-no-order.ts';
import { transactions } from '../../treasury/table.ts';
import { paidInADay, type ReserveState, reserveStates } from '../reserves/states.ts';
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

export function waitingReserves(facts: Facts, paid: Parameters<typeof reserveStates>[1]): Waiting[] {
	const least = facts.settings.reserveHours;
	if (least === null) return [];
	const states = reserveStates(facts, paid);
	const low = states.filter(({ hours }) => hours !== null && hours < least);
	const soldOut = states.filter(({ isSoldOut, hours }) => isSoldOut && hours === null);
	return [...low.map((state) => lowRow(facts, state)), ...soldOutRow(soldOut)];
}

function lowRow(facts: Facts, { asset, free, paidInADay, hours, target, isSoldOut }: ReserveState): Waiting {
	const address = facts.networks.find(({ name }) => name === asset.network)?.hotAddress;
	const lack = target > free ? target - free : 0n;
	const lasts = `${coinsText(asset, free)} are free, which lasts ${hours} hours`;
	return {
		area: 'wallet',
		subject: asset.code,
		sort: 'reserve-low',
		cause: `${isSoldOut ? 'sold out, so orders that pay it are refused' : lasts}: the last 24 hours paid ${coinsText(asset, paidInADay)}`,
		amount: lack > 0n ? coinsText(asset, lack) : null,
		usd: lack > 0n ? worth(facts, asset, lack) : null,
		todo: `\`treasury plan\` says how many coins to send to ${address ?? 'the hot wallet (`network list`)'}; or \`asset update ${asset.code} --active off\``,
	};
}

/** One row for all of them: a service that is just filled has many. */
function soldOutRow(states: readonly ReserveState[]): Waiting[] {
	if (states.length === 0) return [];
	const codes = states.map(({ asset }) => asset.code).join(', ');
	return [
		{
			area: 'wallet',
			subject: 'sold out',
			sort: 'reserve-low',
			cause: `the hot wallets have nothing free of ${codes}: orders that pay them are refused`,
			todo: 'send coins to the hot wallets (`network list`), or `asset update CODE --active off`',
		},
	];
}

export function unattributedRow(facts: Facts, row: OfNoOrder): Waiting[] {
	const amount = bookableOf(row);
	if (amount <= 0n || !isAssetId(row.asset)) return [];
	const asset = assetOf(row.asset);
	const { code, decimals } = asset;
	const coins = fromBaseUnits(amount, decimals);
	return [
		{
			area: 'wallet',
			subject: code,
			sort: 'unattributed',
			cause:
				'came to addresses of ours and belongs to no order: the order is archived or long over, it is dust beyond what is recorded, or its payer has locked it for more than 30 days',
			since: row.at,
			amount: coinsText(asset, amount),
			usd: worth(facts, asset, amount),
			todo: `keep it for a payer who asks, or \`treasury book-unattributed ${code} --amount ${coins} --reason R\` makes it reserve; \`treasury withdraw ${code} --amount ${coins}\` then takes it out, to pay it back by hand`,
		},
	];
}

/** The part that no sweep has brought to the hot wallet, which alone can be booked. */
export function lyingRow(
	facts: Facts,
	{ asset: id, isArchived, orderId, addresses, counted, swept, at }: Awaited<ReturnType<typeof readLying>>[number],
): Waiting {
	const asset = assetOf(id);
	const amount = counted - swept;
	const where =
		addresses === 1
			? `at the address of order ${orderId}`
			: `at ${addresses} addresses, the newest of order ${orderId}`;
	return {
		area: 'wallet',
		subject: asset.code,
		sort: isArchived ? 'archived' : 'dust',
		since: at,
		cause: isArchived
			? `came after its order was archived and belongs to none: ${where}`
			: `dust beyond what is recorded of one order: ${where}`,
		amount: coinsText(asset, amount),
		usd: worth(facts, asset, amount),
		todo: isArchived
			? `\`order sweep ${orderId} --reason R\` brings it to the hot wallet, where it can be booked and withdrawn, if it is worth that; else it stays there, counted`
			: 'nothing: a sweep of a token takes it along, and what stays at the address is counted',
	};
}
