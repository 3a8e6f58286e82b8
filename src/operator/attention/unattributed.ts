/** Coins that addresses of ours received and that belong to no order: one row for each asset. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { unattributedSums } from '../../treasury/deposits/unattributed.ts';
import { coinsText, type Facts, type Waiting, worth } from './waiting.ts';

export async function waitingUnattributed(facts: Facts): Promise<Waiting[]> {
	const sums = await unattributedSums(facts.context.db);
	return sums.flatMap(({ asset: code, amount, at }): Waiting[] => {
		if (amount <= 0n || !isAssetId(code)) return [];
		const asset = assetOf(code);
		const coins = fromBaseUnits(amount, asset.decimals);
		return [
			{
				area: 'wallet',
				subject: code,
				sort: 'unattributed',
				cause:
					'came to addresses of ours and belongs to no order: the order is archived, or it is dust beyond what is recorded',
				since: at,
				amount: coinsText(asset, amount),
				usd: worth(facts, asset, amount),
				todo: `keep it for a payer who asks, or \`treasury book-unattributed ${code} --amount ${coins} --reason …\` makes it reserve; \`treasury withdraw ${code}\` then takes it out, to pay it back by hand`,
			},
		];
	});
}
