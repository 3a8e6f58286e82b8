/** What an order holds of the daily cap beyond its final deposits counts as unpaid, whatever its status. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Crowd } from '../people/crowd.ts';
import { type Row, rowsOf } from './rows.ts';

/** Recomputed from orders and deposits. For a moment more may be counted: a deposit is recorded before it is judged. */
export function unpaidIsCounted(crowd: Crowd): string[] {
	const least = new Map<string, bigint>();
	const open = `SELECT o.id, o.partner_id, o.cap_day, o.from_asset, o.from_amount, o.usd_cents FROM orders o
		WHERE o.holds_cap = 1 AND o.status IN ('NEW', 'PENDING')`;
	const final = Map.groupBy(
		rowsOf(crowd, "SELECT order_id, amount FROM deposits WHERE state = 'final'"),
		({ order_id }) => order_id,
	);
	for (const order of rowsOf(crowd, open)) {
		const key = `${order['partner_id']} ${order['cap_day']}`;
		least.set(key, (least.get(key) ?? 0n) + unpaidOf(order, final.get(order['id']) ?? []));
	}
	const kept = new Map(
		rowsOf(crowd, 'SELECT partner_id, day, usd_cents FROM unpaid_volume').map((row) => [
			`${row['partner_id']} ${row['day']}`,
			BigInt(String(row['usd_cents'])),
		]),
	);
	return [...least]
		.filter(([key, cents]) => (kept.get(key) ?? 0n) < cents)
		.map(([key, cents]) => `of ${key} ${cents} cents are unpaid, and ${kept.get(key) ?? 0n} are counted`);
}

function unpaidOf({ from_asset, from_amount, usd_cents }: Row, final: readonly Row[]): bigint {
	const asked = toBaseUnits(String(from_amount), assetOf(String(from_asset) as AssetId).decimals);
	const paid = final.reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n);
	return paid >= asked ? 0n : (BigInt(String(usd_cents)) * (asked - paid)) / asked;
}
