/**
 * An attacker who writes any row of D1, in the hour in which the signer's journal is lost: they make the signer believe
 * that it is new, so that it pays again what it has paid.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { databasePath, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

/** All transactions look as if nothing had ever been signed, and are due. */
const UNSIGNED = `UPDATE transactions SET state = 'planned', raw = NULL, tx_id = NULL, signed_at = NULL, sent_at = NULL,
	final_at = NULL, fee = NULL, next_attempt_at = 0`;

let service: TestService;
let partner: Credentials;
let paid: CreatedOrder;
const { json } = operatorOf(() => service);

const timesPaid = async () => (await payoutsTo(service, 'Ethereum', ETH_RECIPIENT)).length;

async function done(): Promise<CreatedOrder> {
	const { data, text } = await create(service, partner);
	expect(data?.id, text).toBeTruthy();
	await service.operator('sandbox/deposit', { orders: [data.id] });
	await untilStatus(service, partner, data, 'DONE');
	return data;
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	paid = await done();
	const journal = await databasePath(service, VAULT);
	await service.operator('network/update', { name: 'Ethereum', send: false });
	// Hidden, not deleted: the seals stay what they were.
	await service.sql('CREATE TABLE hidden AS SELECT * FROM transactions');
	await service.sql('DELETE FROM transactions');
	await service.sql("UPDATE orders SET from_network = 'none'");
	await service.local.stop();
	for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
	service = await startTestService({}, service.stateDirectory);
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

it('it does not take itself for new: the old payout is planned again, and waits for a person', async () => {
	await eventually('the loss to be noticed', async () => service.logged('journal_lost').length > 0);
	expect(await timesPaid()).toBe(1);
	await service.sql('INSERT INTO transactions SELECT * FROM hidden');
	await service.sql("UPDATE orders SET from_network = 'Litecoin'");
	await service.sql(UNSIGNED);
	await service.operator('network/update', { name: 'Ethereum', send: true });
	await eventually('the payout to wait', async () => {
		const { waiting } = await json<{ waiting: { order: string }[] }>('restored', 'show');
		return waiting.some(({ order }) => order === paid.id);
	});
	expect(await timesPaid()).toBe(1);
});

it('what was signed before the loss nobody can tell: ledger check says how many, and what is newer differs', async () => {
	interface Checked {
		readonly older: number;
		readonly unsigned: readonly { readonly transaction: string }[];
	}
	const check = () => service.operator<Checked>('ledger/check', { full: true });
	const plant = async (id: string, signedAt: number) => {
		await service.sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at,
				next_attempt_at, raw, tx_id, signed_at, sent_at)
			 VALUES (?1, 'earnings', 'Litecoin', 'LTC', 'x', '1', 1, 'sent', ?2, 9e15, '{}', ?1, ?2, ?2)`,
			id,
			signedAt,
		);
	};
	const before = await check();
	expect(before.unsigned).toEqual([]);
	await plant('older', Date.now() - 3_600_000);
	await plant('newer', Date.now());
	expect(await check()).toMatchObject({ older: before.older + 1, unsigned: [{ transaction: 'newer' }] });
});
