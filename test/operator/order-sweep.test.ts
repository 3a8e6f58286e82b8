/**
 * `order sweep`: the operator has an address swept again although sweeps of it have failed on chain. What failed is
 * written by hand here; `nodes/failed-sweeps` has real failures.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const HOUR = 3_600_000;
const reason = 'the token lets it pay again';

const file = sharedService();
let partner: Credentials;
const placed: CreatedOrder[] = [];

beforeAll(async () => {
	partner = await createPartner(file.current());
});
afterAll(async () => {
	for (const { id } of placed) await file.current().sql('DELETE FROM sweep_candidates WHERE order_id = ?', id);
	const swept = "kind = 'sweep' AND pay_in_address = ?";
	for (const { from } of placed) await file.current().sql(`DELETE FROM transactions WHERE ${swept}`, from.address);
});

/** An order that was paid, whose address had sweeps: `states`, the newest first; a final one has failed. */
async function orderWith(states: readonly ('final' | 'sent' | 'planned')[]): Promise<CreatedOrder> {
	const { sql, operator } = file.current();
	const { data: order } = await create(file.current(), partner);
	placed.push(order);
	await operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(file.current(), partner, order, 'DONE');
	await eventually('its payout to be final', async () => {
		const open = await sql("SELECT 1 FROM transactions WHERE order_id = ? AND state <> 'final'", order.id);
		return open.length === 0;
	});
	await listAgain(order);
	for (const [i, state] of states.entries()) {
		const at = Date.now() - (i + 1) * HOUR;
		const id = crypto.randomUUID();
		const raw = state === 'planned' ? [null, null, null] : ['raw', `0x${id}`, at];
		const final = state === 'final' ? [`0x${id}`, at, '7'] : [null, null, null];
		await sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset,
				state, planned_at, next_attempt_at, raw, tx_id, signed_at, sent_at, settled_tx_id, final_at, fee)
			 SELECT ?, 'sweep', from_network, from_asset, 'hot', '1', 1, pay_in_address, pay_in_index, from_asset, ?, ?, 9000000000000,
				?, ?, ?, ?, ?, ?, ? FROM orders WHERE id = ?`,
			id,
			state,
			at,
			...raw,
			raw[2] ?? null,
			...final,
			order.id,
		);
	}
	return order;
}

/** As a candidate that no poll judges yet. */
const listAgain = ({ id }: CreatedOrder) =>
	file
		.current()
		.sql(
			'INSERT OR REPLACE INTO sweep_candidates SELECT from_network, id, 9, 9000000000000, NULL, NULL FROM orders WHERE id = ?',
			id,
		);
const candidates = ({ id }: CreatedOrder) =>
	file.current().sql<{ retried_at: number | null }>('SELECT retried_at FROM sweep_candidates WHERE order_id = ?', id);
const sweep = ({ id }: { readonly id: string }) => file.current().operator('order/sweep', { id, reason });
const auditOf = ({ id }: CreatedOrder) => file.current().operator<{ command: string }[]>('audit/list', { subject: id });

describe('order sweep', () => {
	it('has the address judged at the next poll, ends the incident, and is in the audit log', async () => {
		const { sql, operator } = file.current();
		const order = await orderWith(['final', 'final', 'final', 'final', 'final']);
		await sql("INSERT INTO incidents VALUES ('sweep-failing', ?, 'LTC', 1, ?2, ?2)", order.id, Date.now());
		const waiting = () => operator<{ subject: string; todo: string }[]>('attention');
		expect((await waiting()).filter(({ subject }) => subject === order.id)).toMatchObject([
			{ todo: expect.stringContaining(`\`order sweep ${order.id} --reason R\``) },
		]);
		expect(await sweep(order)).toMatchObject({ id: order.id, failures: 5 });
		// Nothing is swept on the sandbox, so the poll takes it off the list.
		await eventually('it to be judged', async () => (await candidates(order)).length === 0);
		expect((await waiting()).filter(({ subject }) => subject === order.id)).toEqual([]);
		expect(await auditOf(order)).toMatchObject([{ command: 'order sweep', changes: { reason, failures: 5 } }]);
	});

	it('is refused while a sweep is under way, where none has failed, and where nothing is left', async () => {
		const under = await orderWith(['sent', 'final']);
		await expect(sweep(under)).rejects.toThrow('is under way');
		const fresh = await orderWith([]);
		await expect(sweep(fresh)).rejects.toThrow('no sweep of its address has failed');
		await file.current().sql('DELETE FROM sweep_candidates WHERE order_id = ?', fresh.id);
		await expect(sweep(fresh)).rejects.toThrow('nothing is left to sweep');
		await expect(sweep({ id: crypto.randomUUID() })).rejects.toThrow('there is no order');
		expect([...(await auditOf(under)), ...(await auditOf(fresh))]).toEqual([]);
	});

	it('is refused by the signer from the sixth time within 30 days on, whatever D1 says', async () => {
		const order = await orderWith(['final']);
		for (let times = 1; times <= 5; times++) {
			await sweep(order);
			await listAgain(order);
		}
		await expect(sweep(order)).rejects.toThrow('the signer allows 5 such sweeps');
		expect(await auditOf(order)).toHaveLength(5);
		expect(await candidates(order)).toEqual([{ retried_at: null }]);
	});
});
