/** Dust has one rule: alone it changes nothing, with a deposit that is none it is part of one sum. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { fromBaseUnits, toBaseUnits } from '../../../src/money/units.ts';
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

export const brokenDust = (crowd: Crowd): string[] => [...leftOut(crowd), ...otherSums(crowd), ...askedFor(crowd)];

/** What was final when the payout was planned is paid for by it. */
const leftOut = (crowd: Crowd): string[] =>
	rowsOf(
		crowd,
		`SELECT d.tx_id, o.id FROM deposits d JOIN orders o ON o.id = d.order_id
			JOIN transactions t ON t.order_id = o.id AND t.kind = 'payout'
			WHERE d.state = 'final' AND d.payout_id IS NULL AND d.set_aside = 0 AND d.last_seen_at < t.planned_at
				AND EXISTS (SELECT 1 FROM deposits c WHERE c.payout_id = t.id)`,
	).map(({ tx_id, id }) => `the deposit ${tx_id} of ${id} was final, and its payout leaves it out`);

/** The partner is told of what is paid for, to the unit. */
function otherSums(crowd: Crowd): string[] {
	const rows = rowsOf(
		crowd,
		`SELECT o.id, o.from_asset, o.deposit_amount, d.amount FROM orders o
			JOIN transactions t ON t.order_id = o.id AND t.kind = 'payout' JOIN deposits d ON d.payout_id = t.id`,
	);
	return [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, paid]) => {
		const [first] = paid;
		const sum = paid.reduce((total, { amount }) => total + BigInt(String(amount)), 0n);
		const told = first?.['deposit_amount'];
		const isTold = told === fromBaseUnits(sum, assetOf(first?.['from_asset'] as AssetId).decimals);
		return isTold ? [] : [`the partner of ${id} was told of ${told}, and ${sum} base units are paid for`];
	});
}

/** Nothing that is a tenth of what an order asked for is dust, whatever fees do. */
const askedFor = (crowd: Crowd): string[] =>
	rowsOf(
		crowd,
		'SELECT d.tx_id, d.amount, o.id, o.from_asset, o.from_amount FROM deposits d JOIN orders o ON o.id = d.order_id WHERE d.dust = 1',
	)
		.filter(({ amount, from_asset, from_amount }) => {
			const asked = toBaseUnits(String(from_amount), assetOf(from_asset as AssetId).decimals);
			return BigInt(String(amount)) * 10n >= asked;
		})
		.map(({ tx_id, id }) => `the deposit ${tx_id} is what ${id} asked for, and dust`);
