/** An older signer is deployed over a journal that a newer one has migrated: it signs nothing, and loses nothing. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databasePath, inDatabase, VAULT } from '../support/object-storage.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const NEWER = 99;

let service: TestService;
let partner: Credentials;

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

/** Runs this statement on the journal while the service is stopped. */
async function restartedAfter(statement: string): Promise<void> {
	const path = await databasePath(service, VAULT);
	await service.local.stop();
	inDatabase(path, (database) => database.exec(statement));
	service = await startTestService({}, service.stateDirectory);
}

/** An order whose planned payout waits until payouts on Ethereum are switched on. */
async function paidOrder(): Promise<{ readonly order: CreatedOrder; readonly payoutId: string }> {
	const { data: order } = await create(service, partner);
	await service.operator('network/update', { name: 'Ethereum', send: false });
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'EXCHANGE');
	const [payout] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
	return { order, payoutId: String(payout?.id) };
}

it('signs nothing, says why, and pays once the newer signer is back', async () => {
	const { order, payoutId } = await paidOrder();
	await restartedAfter(`INSERT INTO schema_steps VALUES (${NEWER})`);
	await service.operator('network/update', { name: 'Ethereum', send: true });
	const refusal = await eventually('the payout to be refused', async () =>
		service.logged('signing_refused').find((line) => line['payoutId'] === payoutId),
	);
	expect(refusal).toMatchObject({ kind: 'journal-too-new', refused: expect.stringContaining(`step ${NEWER}`) });
	const giveUp = service.operator('payout/give-up', { id: payoutId, reason: 'a journal that nothing is known of' });
	await expect(giveUp).rejects.toThrow('nothing was changed');
	type Checks = { readonly checks: readonly { readonly ok: boolean; readonly detail: string }[] };
	const { checks } = await service.operator<Checks>('network/check', { name: 'Ethereum' });
	expect(checks.filter(({ detail }) => detail.includes(`schema step ${NEWER}`))).toMatchObject([{ ok: false }]);

	await restartedAfter(`DELETE FROM schema_steps WHERE step = ${NEWER}`);
	await untilStatus(service, partner, order, 'DONE');
});
