/** The sums that withdrawals brought to each named address and those that came back from it, coin by coin. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { type Decimal, decimal, plain, ZERO } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';

interface Sum {
	readonly asset: AssetId;
	/** Base units. */
	readonly amount: bigint;
}

/**
 * One row for each name and coin, whatever the networks: what went out on Tron may come back on Ethereum. `nameOf`: of an
 * address that is not configured, the address.
 */
export function movedRows(
	sent: readonly (Sum & { readonly toAddress: string })[],
	reserve: readonly (Sum & { readonly returnedFrom: string | null })[],
	nameOf: (asset: AssetId, address: string) => string,
) {
	const rows = new Map<string, { name: string; coin: string; sent: Decimal; cameBack: Decimal }>();
	const rowOf = (name: string, asset: AssetId) => {
		const { coin } = assetOf(asset);
		const key = `${coin} ${name}`;
		const row = rows.get(key) ?? { name, coin, sent: ZERO, cameBack: ZERO };
		rows.set(key, row);
		return row;
	};
	const coins = ({ asset, amount }: Sum) => decimal(fromBaseUnits(amount, assetOf(asset).decimals));
	for (const sum of sent) {
		const row = rowOf(nameOf(sum.asset, sum.toAddress), sum.asset);
		row.sent = row.sent.plus(coins(sum));
	}
	for (const sum of reserve) {
		if (sum.returnedFrom === null) continue;
		const row = rowOf(sum.returnedFrom, sum.asset);
		row.cameBack = row.cameBack.plus(coins(sum));
	}
	return [...rows.values()].map(({ name, coin, ...sums }) => {
		return { name, coin, sent: plain(sums.sent), cameBack: plain(sums.cameBack) };
	});
}
