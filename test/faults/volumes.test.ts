/** A journal at its limit in the middle of payouts: whatever was signed goes to older volumes at once, and each is soon full. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalWorkers, SIGNER_WORKER } from '../../src/local/workers.ts';
import { payoutsTo } from '../support/earnings.ts';
import { databasePath, inDatabase, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { emptyDeployment } from '../support/restored.ts';
import { sealSettlementAnew } from '../support/seals.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

/** As the bundle has it. */
const LIMIT = '65e8';
const NEWEST = { worker: SIGNER_WORKER, className: 'JournalVolume', binding: 'JOURNAL_VOLUME' } as const;

/** The signer with a limit that any journal and any volume has reached. */
const limited = (workers: LocalWorkers): LocalWorkers =>
	workers.map((worker) => {
		if (worker.name !== SIGNER_WORKER) return worker;
		expect(worker.script.split(LIMIT)).toHaveLength(2);
		return { ...worker, script: worker.script.replace(LIMIT, '1') };
	});
const start = (folder?: string) => startTestService({}, folder, {}, { arrange: limited });

let service: TestService;
let partner: Credentials;
const { json, run } = operatorOf(() => service);
beforeAll(async () => {
	service = await start();
	partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 100 });
});
afterAll(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

interface Examined {
	readonly area: string;
	readonly what: string;
	readonly state: string;
	readonly detail: string;
	readonly todo: string | null;
}
const volumes = async (): Promise<Examined[]> => {
	// Something is wrong in one of these tests: then it exits with 1.
	const { stdout } = await run('doctor', '--json');
	const { rows } = JSON.parse(stdout) as { rows: Examined[] };
	return rows.filter(({ area, what }) => area === 'journal' && what !== 'signer');
};

const deposit = (order: CreatedOrder, more: object = {}) =>
	service.operator('sandbox/deposit', { orders: [order.id], ...more });
const until = (order: CreatedOrder, status: string) => untilStatus(service, partner, order, status);
const received = (order: CreatedOrder) => payoutsTo(service, 'Ethereum', order.to.address);
const newOrder = async (letter: string): Promise<CreatedOrder> =>
	(await create(service, partner, { toAddress: `0x${letter.repeat(40)}` })).data;
const refusalOf = (payoutId: string) =>
	eventually('it to be refused', async () =>
		service.logged('signing_refused').find((line) => line['payoutId'] === payoutId),
	);
/** Nothing of these tests is left in the journal itself. */
const untilMoved = () =>
	eventually('all orders to move', async () => {
		const path = await databasePath(service, VAULT);
		return inDatabase(path, (journal) => journal.prepare('SELECT 1 FROM address_orders').all().length === 0);
	});

/** Somebody who has SEAL_KEY and writes rows asks for the order's payout again, under another id. */
async function payAgain({ id }: CreatedOrder): Promise<string> {
	const other = crypto.randomUUID();
	await service.sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', id, other);
	await service.sql(
		`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
		 SELECT ?2, order_id, kind, network, asset, to_address, amount, usd_cents, 'planned', planned_at, 4000000000000, '' FROM transactions WHERE order_id = ?1`,
		id,
		other,
	);
	await sealSettlementAnew(service, other);
	await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', other);
	return other;
}

/** Rows that say of something that it was signed, and the signer does not know it so. */
const unsigned = async () => (await json<{ unsigned: unknown[] }>('ledger', 'check', '--full')).unsigned;

let paid: CreatedOrder;

it('an order that was signed before its entries moved is settled after, and paid once, under whatever id it is asked for', async () => {
	paid = await newOrder('7');
	await deposit(paid);
	await until(paid, 'DONE');
	await untilMoved();
	expect(await volumes()).toEqual([expect.objectContaining({ what: 'journal-1', state: 'fine' })]);
	await service.sql('DROP INDEX transactions_once');
	const [row] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', paid.id);
	const again = await payAgain(paid);
	expect(await refusalOf(again)).toMatchObject({ kind: 'order-paid' });
	expect(await received(paid)).toHaveLength(1);
	await service.sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', paid.id, row?.id);
	await service.sql('DELETE FROM transactions WHERE id = ?', again);
	// The database's rows say what the signer has signed.
	expect(await unsigned()).toEqual([]);
});

it('a volume that lost what it took stops the refund of its order, says so, and lets it go once it is whole again', async () => {
	const order = await newOrder('8');
	await deposit(order, { amount: '0.1' });
	await until(order, 'EMERGENCY');
	await service.operator('order/refund', { id: order.id });
	await until(order, 'EXPIRED');
	await untilMoved();
	const row = (await volumes()).at(-1);
	const path = await databasePath(service, { ...NEWEST, name: String(row?.what) });
	const takes = (statement: string) => inDatabase(path, (volume) => volume.exec(statement));
	takes('UPDATE entries SET number = number - 1000');
	expect((await volumes()).at(-1)).toMatchObject({
		state: 'wrong',
		detail: expect.stringContaining('it has lost what it took'),
	});
	await deposit(order, { amount: '0.1' });
	await until(order, 'EMERGENCY');
	const { payoutId } = await service.operator<{ payoutId: string }>('order/refund', { id: order.id });
	expect(await refusalOf(payoutId)).toMatchObject({
		kind: 'journal-volume-lost',
		refused: expect.stringContaining(`${row?.what}, an older volume of the signer’s journal, has lost what it took`),
	});
	takes('UPDATE entries SET number = number + 1000');
	await until(order, 'EXPIRED');
	expect(await payoutsTo(service, 'Litecoin', order.back.address)).toHaveLength(2);
});

it('a backup has every volume, and a restored signer pays nobody again who was paid before it', async () => {
	const file = join(service.stateDirectory, 'backup');
	const before = await volumes();
	await json('backup', file);
	const old = service;
	await old.local.stop();
	service = await start(await emptyDeployment(old));
	copyFileSync(file, join(service.stateDirectory, 'backup'));
	rmSync(old.stateDirectory, { recursive: true, force: true });
	await json('restore', join(service.stateDirectory, 'backup'));
	expect((await volumes()).map(({ what, state }) => [what, state])).toEqual(before.map(({ what }) => [what, 'fine']));
	await json('restored', 'confirm', '--own');
	// Who writes rows takes the record of a payment away: the signer has it in a volume, and gives the same one again.
	const rowOf = async () => {
		const found = await service.sql<{ txId: string | null }>(
			'SELECT tx_id AS "txId" FROM transactions WHERE order_id = ?',
			paid.id,
		);
		return found[0]?.txId ?? null;
	};
	const txId = await rowOf();
	await service.sql(
		"UPDATE transactions SET state = 'planned', raw = NULL, tx_id = NULL, sent_at = NULL, next_attempt_at = 0 WHERE order_id = ?",
		paid.id,
	);
	expect(await eventually('it to be signed again', rowOf)).toBe(txId);
	expect(await received(paid)).toHaveLength(1);
	const newer = await newOrder('9');
	await deposit(newer);
	await until(newer, 'DONE');
	await untilMoved();
});
