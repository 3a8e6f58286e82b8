/** The counters of reference codes. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { migrate } from '../support/sqlite-d1.ts';

const PARTNER = 'partner';

/** Orders by code: value in cents and afftax of those that are DONE; null: not paid. */
const ORDERS: readonly (readonly [code: string | null, cents: number | null, afftaxBps: number])[] = [
	['summer', 19_999, 150],
	['summer', 333, 199],
	['summer', null, 100],
	['winter', 1, 2_000],
	['autumn', null, 0],
	[null, 50_000, 100],
];

/** What an order becomes, in the two steps that the service takes. */
function write(database: DatabaseSync): void {
	for (const [i, [code, cents, bps]] of ORDERS.entries()) {
		const id = `order-${i}`;
		database
			.prepare(
				`INSERT INTO orders (id, partner_id, reference_code, from_asset, from_network, to_asset, to_network, direction,
					to_address, refund_address, pay_in_address, pay_in_index, base_fee_bps, lean_bps, afftax_bps, seal, token_hash,
					request_hash, from_amount, to_amount, rate, network_fee, usd_cents, cap_day, dust_below, created_at, expires_at,
					watch_until, updated_at)
				VALUES (?, ?, ?, 'LTC', 'Litecoin', 'ETH', 'Ethereum', 'from', 'to', 'refund', ?, 1, 50, 0, ?, '1.x', 'h', 'h', '1',
					'1', '1', '0', 100, '2026-11-22', '0', 1, 2, 3, 1)`,
			)
			.run(id, PARTNER, code, `address ${i}`, bps);
		if (cents === null) continue;
		database
			.prepare(
				`INSERT INTO transactions (id, order_id, kind, state, network, asset, to_address, amount, usd_cents, tx_id, planned_at,
					signed_at, sent_at, next_attempt_at, settlement_seal)
				VALUES (?, ?, 'payout', 'planned', 'Ethereum', 'ETH', 'to', '1', ?, NULL, 1, NULL, NULL, 1, '')`,
			)
			.run(`payout-${i}`, id, cents);
		database.prepare("UPDATE orders SET status = 'DONE', finished_at = 5, payout_tx_id = 'tx' WHERE id = ?").run(id);
	}
}

function newDatabase(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	migrate(database);
	database
		.prepare(
			"INSERT INTO partners (id, name, api_key, api_secret_sealed, webhook_secret_sealed, created_at, updated_at) VALUES (?, 'A', 'k', 's', 's', 1, 1)",
		)
		.run(PARTNER);
	return database;
}

const totalsOf = (database: DatabaseSync) =>
	database
		.prepare('SELECT * FROM code_totals ORDER BY reference_code')
		.all()
		.map((row) => ({ ...row }));

const COUNTED = [
	{ reference_code: 'autumn', orders: 1, orders_done: 0, volume_usd_cents: 0, earned_usd_cents: 0 },
	// 299 and 6 cents: each order is rounded down by itself.
	{ reference_code: 'summer', orders: 3, orders_done: 2, volume_usd_cents: 20_332, earned_usd_cents: 305 },
	{ reference_code: 'winter', orders: 1, orders_done: 1, volume_usd_cents: 1, earned_usd_cents: 0 },
].map((row) => ({ partner_id: PARTNER, ...row }));

it('are kept by triggers, cents rounded down per order', () => {
	const database = newDatabase();
	write(database);
	// A status that is written again counts once.
	database.exec("UPDATE orders SET status = 'DONE' WHERE status = 'DONE'");
	database.exec("DELETE FROM transactions WHERE order_id = 'order-0'");
	expect(totalsOf(database)).toEqual(COUNTED);
});
