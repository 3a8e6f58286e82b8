/** Runbooks of the bad hour that need no other world than the sandbox, each followed to the letter in the state that it is for. */
import { beforeAll, expect, it } from 'vitest';
import type { SandboxLedger } from '../../src/chains/sandbox/ledger.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { payoutsTo } from '../support/earnings.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile({}, { pages: true });
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

let recipients = 0;
async function newOrder(by = partner): Promise<CreatedOrder> {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, 'b00c')}`;
	const { data, text } = await create(file.current(), by, { toAddress });
	expect(data?.id, text).toBeTruthy();
	return data;
}
const operator = (command: string, input: unknown) => file.current().operator(command, input);
const deposit = ({ id }: CreatedOrder, amount?: string) =>
	operator('sandbox/deposit', { orders: [id], ...(amount && { amount }) });
const until = (order: CreatedOrder, status: string, by = partner) => untilStatus(file.current(), by, order, status);
const timesPaid = async ({ to }: CreatedOrder) => (await payoutsTo(file.current(), 'Ethereum', to.address)).length;
const send = (on: boolean) => operator('network/update', { name: 'Ethereum', send: on });

it('D1 that is unavailable: a create fails with an error and makes no order, and afterwards the books agree', async () => {
	const { step, end } = followRunbook('D1 is unavailable', file.current);
	await file.current().sql('ALTER TABLE orders RENAME TO unavailable');
	const { code } = await create(file.current(), partner);
	await file.current().sql('ALTER TABLE unavailable RENAME TO orders');
	expect([code, await file.current().sql('SELECT * FROM orders')]).toEqual([99, []]);
	const order = await newOrder();
	await deposit(order);
	await until(order, 'DONE');
	expect(await step('ledger check')).not.toContain('differs');
	await end();
});

it('a transaction that can no longer arrive is paid by hand, and its order ends', async () => {
	const { step, end } = followRunbook('A transaction is stuck', file.current);
	const order = await newOrder();
	// Another transaction took its coins, which the sandbox's ledger never does.
	await file.current().sql(
		`CREATE TRIGGER taken AFTER UPDATE ON transactions WHEN NEW.order_id = '${order.id}' AND NEW.state = 'signed'
			AND NEW.blocked_kind IS NULL BEGIN UPDATE transactions SET next_attempt_at = 9000000000000001, final_at = 1,
			blocked_kind = 'taken', blocked_facts = '{"message":"too late"}' WHERE id = NEW.id; END`,
	);
	await deposit(order);
	const { id } = await eventually('it to be blocked', async () => {
		const rows = await file.current().sql<{ id: string }>("SELECT id FROM transactions WHERE blocked_kind = 'taken'");
		return rows[0];
	});
	await file.current().sql('DROP TRIGGER taken');
	// As it is printed, cut short.
	const PAYMENT = id.slice(0, 8);
	expect(await step('attention', { PAYMENT })).toContain(`payout settle ${PAYMENT} --tx-id T --reason R`);
	const T = `0x${'7'.repeat(64)}`;
	await step('payout settle PAYMENT --tx-id T --reason R', { PAYMENT, T });
	expect((await until(order, 'DONE')).to.tx.id).toBe(T);
	await end();
	expect(await timesPaid(order)).toBe(0);
});

it('a partner who is compromised is shut out with their cabinet, and let in again with a new secret', async () => {
	const robbed = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
	const thief = await new CabinetVisitor(file.current()).enter(robbed.id);
	const order = await newOrder(robbed);
	await deposit(order, '0.1');
	await until(order, 'EMERGENCY', robbed);
	const codeOf = async (apiSecret: string) =>
		(await signed(file.current(), { ...robbed, apiSecret }, '/api/v1/order', { id: order.id, token: order.token }))
			.code;
	const PARTNER = robbed.id;
	const { step, end } = followRunbook('A partner is compromised', file.current);
	await step('partner update PARTNER --enabled off', { PARTNER });
	expect(await codeOf(robbed.apiSecret)).toBe(4);
	await step('partner replace-secret PARTNER apiSecret', { PARTNER });
	expect(await step('order list --partner PARTNER', { PARTNER })).toContain(order.id.slice(0, 8));
	await step('earnings show PARTNER', { PARTNER });
	await step('order finalise ORDER --reason R', { ORDER: order.id });
	await step('partner end-access PARTNER', { PARTNER });
	expect((await thief.get('/cabinet')).status).not.toBe(200);
	await step('partner update PARTNER --enabled on', { PARTNER });
	expect(await step('partner invite PARTNER --recover', { PARTNER })).toContain('/cabinet/');
	await end();
	// The secret that counts is the last one that was made.
	expect(await codeOf(robbed.apiSecret)).toBe(3);
	const { apiSecret } = await operator('partner/replace-secret', { id: PARTNER, secret: 'apiSecret' });
	expect(await codeOf(String(apiSecret))).toBe(0);
});

it('a hot wallet that somebody has emptied is named and filled, what waits is paid, and the books show what is missing', async () => {
	const { step, end } = followRunbook('A hot wallet is empty', file.current);
	const ledger = file
		.current()
		.object<Pick<SandboxLedger, 'flow' | 'broadcast' | 'deposit'>>('SANDBOX_LEDGER', 'Ethereum');
	const hot = await file.current().hotAddress('Ethereum');
	const order = await newOrder();
	// The sandbox's ledger would let the wallet pay what it does not hold.
	await send(false);
	await deposit(order);
	await until(order, 'EXCHANGE');
	const { deposited, paid } = await ledger.flow('ETH');
	const amount = String(deposited - paid);
	await ledger.broadcast({ txId: 'stolen', asset: 'ETH', to: 'a thief', amount, fee: '0', from: null });
	expect(await step('attention')).toContain(hot);
	await ledger.deposit({ txId: 'filled', address: hot, asset: 'ETH', amount, confirmations: 1_000 });
	await send(true);
	await until(order, 'DONE');
	expect(await step('ledger check')).toMatch(/ETH .*differs/);
	await end();
	expect(await timesPaid(order)).toBe(1);
});
