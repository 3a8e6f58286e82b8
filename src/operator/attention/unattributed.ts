/** Coins that addresses of ours received and that belong to no order: a row for their asset. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { bookableOf, type OfNoOrder } from '../../treasury/deposits/of-no-order.ts';
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
