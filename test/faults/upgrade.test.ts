/**
 * An upgrade and a way back, on one deployment: the Workers of the newest release and those of this clone run together in
 * the mixtures that a deployment passes through, on the schema of this clone (book: years, "Upgrading" and
 * "Rolling back"). Objects keep the older code for minutes after a deployment, so that is a mixture too.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignerService } from '../../src/ports/signer.ts';
import { payoutsTo } from '../support/earnings.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { type Code, running } from '../support/release/release.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
/** That the release's Workers left open, by their state. */
const left: Record<string, CreatedOrder> = {};
/** That the older agents Worker could not get signed. */
let refused: CreatedOrder;
/** All that were paid, whatever the mixture. */
const paid: CreatedOrder[] = [];

const STATUS: Readonly<Record<string, string>> = { signed: 'EXCHANGE' };

let recipients = 0;
async function newOrder(): Promise<CreatedOrder> {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, '0dd5')}`;
	const { data, text } = await create(service, partner, { toAddress });
	expect(data?.id, text).toBeTruthy();
	return data;
}
const leftAt = (state: string): CreatedOrder => left[state] as CreatedOrder;
const deposit = (order: CreatedOrder, more: Record<string, unknown> = {}) =>
	service.operator('sandbox/deposit', { orders: [order.id], ...more });
const until = (order: CreatedOrder, status: string) => untilStatus(service, partner, order, status);
const send = (on: boolean) => service.operator('network/update', { name: 'Ethereum', send: on });

async function deploy(api: Code, agents: Code, signer: Code): Promise<void> {
	await service?.local.stop();
	service = await startTestService({}, service?.stateDirectory, {}, { arrange: running({ api, agents, signer }) });
}

/** The newer signer signs nothing until then, and refuses with a kind that the release does not know. */
const hold = (until: number) => service.object<Pick<SignerService, 'hold'>>('VAULT', 'vault').hold(until);

/** One order from create to its payout, and one that is refunded. */
async function swapAndRefund(): Promise<void> {
	const [swapped, small] = [await newOrder(), await newOrder()];
	await deposit(swapped);
	await deposit(small, { amount: '0.1' });
	await until(small, 'EMERGENCY');
	await service.operator('order/refund', { id: small.id });
	await until(swapped, 'DONE');
	expect((await until(small, 'EXPIRED')).back.tx.id).toMatch(/^[0-9a-f]{64}$/);
	paid.push(swapped);
}

async function leaveOneInEachState(): Promise<void> {
	for (const state of ['NEW', 'PENDING', 'EXCHANGE', 'signed', 'EMERGENCY']) left[state] = await newOrder();
	// Signed, and not sent: what stores that it was sent fails.
	await service.sql(`CREATE TRIGGER hold_back BEFORE UPDATE ON transactions WHEN NEW.state = 'sent'
		AND NEW.order_id = '${leftAt('signed').id}' BEGIN SELECT RAISE(ABORT, 'held back'); END`);
	await deposit(leftAt('signed'));
	await deposit(leftAt('EMERGENCY'), { amount: '0.1' });
	await deposit(leftAt('PENDING'), { confirmations: 0 });
	await eventually('the payout to be signed', async () => {
		const signed = "SELECT 1 FROM transactions WHERE order_id = ? AND state = 'signed'";
		return (await service.sql(signed, leftAt('signed').id)).length > 0;
	});
	await send(false);
	await deposit(leftAt('EXCHANGE'));
	for (const state of ['PENDING', 'EXCHANGE', 'EMERGENCY']) await until(leftAt(state), state);
}

beforeAll(async () => {
	await deploy('older', 'older', 'older');
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	await leaveOneInEachState();
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

describe('on the way up', () => {
	it('a new API Worker whose objects still run the older code swaps and refunds with the older agents Worker and signer', async () => {
		await deploy('newer, objects older', 'older', 'older');
		for (const [state, order] of Object.entries(left)) {
			const status = STATUS[state] ?? state;
			expect(await readOrder(service, partner, order)).toMatchObject({ status, from: { address: order.from.address } });
		}
		const together = await Promise.all(Array.from({ length: 12 }, () => readOrder(service, partner, leftAt('NEW'))));
		expect(together.map(({ id }) => id)).toEqual(together.map(() => leftAt('NEW').id));
		await service.sql('DROP TRIGGER hold_back');
		await until(leftAt('signed'), 'DONE');
		await send(true);
		await until(leftAt('EXCHANGE'), 'DONE');
		// Objects in a Worker of their own do not tell this one's memory: what was changed holds a few seconds later.
		await eventually('pairs to be active again', async () => (await create(service, partner)).data?.id !== undefined);
		await swapAndRefund();
	});

	it('new ones before the older signer, of which the agents’ objects still run the older code, go on with what the older ones left', async () => {
		await deploy('newer', 'newer, objects older', 'older');
		await service.operator('sandbox/confirm', { orders: [leftAt('PENDING').id] });
		await until(leftAt('PENDING'), 'DONE');
		await swapAndRefund();
	});
});

describe('on the way back, and where the signer was deployed first', () => {
	it('the older API Worker and agents Worker swap and refund with the new signer', async () => {
		await deploy('older', 'older', 'newer');
		await service.operator('order/refund', { id: leftAt('EMERGENCY').id });
		await until(leftAt('EMERGENCY'), 'EXPIRED');
		await swapAndRefund();
	});

	it('the older agents Worker loses no order that the new signer refuses in words that it does not know', async () => {
		await hold(Date.now() + 600_000);
		refused = await newOrder();
		await deposit(refused);
		await eventually('the refusal', async () =>
			service.logged('payout_refused').find((line) => line['orderId'] === refused.id),
		);
	});
});

it('when all are new, all that waits is paid once, and the books agree with the chains', async () => {
	await deploy('newer', 'newer', 'newer');
	await hold(0);
	await deposit(leftAt('NEW'));
	await until(refused, 'DONE');
	await until(leftAt('NEW'), 'DONE');
	await swapAndRefund();
	const all = [...paid, refused, ...['NEW', 'PENDING', 'EXCHANGE', 'signed'].map(leftAt)];
	for (const { to } of all) expect(await payoutsTo(service, 'Ethereum', to.address)).toHaveLength(1);
	const { wallets } = await service.operator<{ wallets: { result: string }[] }>('ledger/check');
	expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
});

it('a bad deployment is rolled back in the order of its runbook: swaps go on, and the books agree', async () => {
	const { step, elsewhere, end } = followRunbook('A bad deployment is rolled back', () => service);
	await elsewhere('wrangler rollback -c src/pages/wrangler.toml');
	await elsewhere('wrangler rollback -c src/operator/wrangler.toml');
	await elsewhere('wrangler rollback -c src/signer/wrangler.toml', () => deploy('newer', 'newer', 'older'));
	await swapAndRefund();
	await elsewhere('wrangler rollback -c src/agents/wrangler.toml', () => deploy('newer', 'older', 'older'));
	await swapAndRefund();
	await elsewhere('wrangler rollback', () => deploy('older', 'older', 'older'));
	await swapAndRefund();
	await step('doctor');
	expect(await step('ledger check')).not.toContain('differs');
	await end();
	for (const { to } of paid) expect(await payoutsTo(service, 'Ethereum', to.address)).toHaveLength(1);
});
