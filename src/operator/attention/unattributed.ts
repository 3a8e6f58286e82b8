/** Coins that addresses of ours received and that belong to no order: rows for their assets. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { bookableOf, type OfNoOrder, type readLying } from '../../treasury/deposits/of-no-order.ts';
import { coinsText, type Facts, type Waiting, worth } from './waiting.ts';

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
