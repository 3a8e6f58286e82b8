/** An order with a floor was paid at or above it, or went back. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Crowd } from '../people/crowd.ts';
import { payments } from './payments.ts';
import { rowsOf } from './rows.ts';

export const belowFloor = (crowd: Crowd): string[] => [...paidLess(crowd), ...paidLessForMore(crowd)];

/** By what the partner was told at create, and by what the ledgers have. */
function paidLess(crowd: Crowd): string[] {
	const byRecipient = new Map(crowd.stories.map((story) => [story.toAddress.toLowerCase(), story]));
	return payments(crowd).flatMap(({ recipient, asset, amount }) => {
		const [view] = byRecipient.get(String(recipient).toLowerCase())?.told ?? [];
		if (!view?.minToAmount || view.to.code !== asset) return [];
		const floor = toBaseUnits(view.minToAmount, assetOf(view.to.code as AssetId).decimals);
		return BigInt(String(amount)) < floor ? [`order ${view.id} was paid ${amount}, below its floor of ${floor}`] : [];
	});
}

/** What came beyond the order's own amount has the same rate under it: by the rows of what was signed. */
function paidLessForMore(crowd: Crowd): string[] {
	const rows = rowsOf(
		crowd,
		`SELECT o.id, o.from_asset, o.to_asset, o.from_amount, o.min_to_amount, t.amount,
			(SELECT json_group_array(d.amount) FROM deposits d WHERE d.payout_id = t.id) AS deposits
		 FROM transactions t JOIN orders o ON o.id = t.order_id
		 WHERE t.kind = 'payout' AND t.tx_id IS NOT NULL AND o.min_to_amount IS NOT NULL`,
	);
	return rows.flatMap((row) => {
		const own = toBaseUnits(String(row['from_amount']), assetOf(row['from_asset'] as AssetId).decimals);
		const floor = toBaseUnits(String(row['min_to_amount']), assetOf(row['to_asset'] as AssetId).decimals);
		const came: string[] = JSON.parse(String(row['deposits']));
		const received = came.reduce((sum, amount) => sum + BigInt(amount), 0n);
		const isBelow = BigInt(String(row['amount'])) * own < floor * received;
		return isBelow ? [`order ${row['id']} was paid ${row['amount']} for ${received}, below its floor`] : [];
	});
}
