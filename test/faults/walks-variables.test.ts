/**
 * The signer refuses because of a variable of its own: the operator reads in `attention` which one, sets it, and the
 * order is paid. The wrong value comes with a deployment, as it would.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WITHDRAWN_TO } from '../support/lives.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;

interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
}

/** A deployment with other variables; the state stays. */
async function deploy(variables: Readonly<Record<string, string>>): Promise<void> {
	await service.local.stop();
	service = await startTestService(variables, service.stateDirectory);
}

const send = (on: boolean) => service.operator('network/update', { name: 'Ethereum', send: on });

/** An order of 190 USD whose payout is planned and waits for its network. */
async function planned(): Promise<CreatedOrder> {
	const order = await eventually('an order', async () => {
		const { data } = await create(service, partner);
		return data?.id ? data : null;
	});
	await send(false);
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'EXCHANGE');
	return order;
}

const rows = () => service.operator<Row[]>('attention');
const named = (order: CreatedOrder, pattern: RegExp) =>
	eventually(`${pattern} to be said`, async () =>
		(await rows()).find(({ area, cause }) => area === 'transaction' && cause.includes(order.id) && pattern.test(cause)),
	);
/** What was refused is tried again within five minutes. */
const tryNow = () => service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'planned'");

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

it.each([
	['a cap that is no amount', 'SIGNER_DAILY_CAP_USD', 'abc', /(\w+) is not an amount of US dollars/],
	['a cap below the order', 'SIGNER_DAILY_CAP_USD', '100', /USD, all of a day \((\w+)\)/],
	['a cap that today has used', 'SIGNER_DAILY_CAP_USD', '400', /more than is left today.*raise (\w+)/],
	['a tolerance that is no number', 'SIGNER_RATE_TOLERANCE_BPS', 'abc', /the signer's (\w+) /],
])('%s: it is named, and once it is set the order is paid', async (_, variable, wrong, pattern) => {
	const order = await planned();
	await deploy({ [variable]: wrong });
	await send(true);
	await tryNow();
	const { cause } = await named(order, pattern);
	expect(pattern.exec(cause)?.[1], cause).toBe(variable);
	if (wrong === '400')
		expect((await rows()).find(({ area }) => area === 'cap')).toMatchObject({
			todo: expect.stringContaining(variable),
		});
	await deploy({});
	await tryNow();
	await untilStatus(service, partner, order, 'DONE');
	expect((await rows()).filter((row) => row.area === 'cap' || JSON.stringify(row).includes(order.id))).toEqual([]);
});

it('addresses to withdraw to that are missing, malformed, doubled or our own: they are named, and once they are set the coins go there', async () => {
	const hot = await service.hotAddress('Ethereum');
	const withdraw = ['treasury', 'withdraw', 'ETH', '--amount', '1'];
	const { json, refusal } = operatorOf(() => service);
	const wrongs = [
		undefined,
		'abc',
		hot,
		`cold=${WITHDRAWN_TO}, kraken=${WITHDRAWN_TO}/5000`,
		`kraken=${WITHDRAWN_TO}/5k`,
	];
	for (const wrong of wrongs) {
		await deploy({ ...(wrong && { WITHDRAW_TO_ETHEREUM: wrong }) });
		expect(await refusal(...withdraw)).toContain('WITHDRAW_TO_ETHEREUM');
	}
	await deploy({ WITHDRAW_TO_ETHEREUM: `cold=${WITHDRAWN_TO}` });
	await send(true);
	await eventually('it to be planned', async () => (await operatorOf(() => service).run(...withdraw)).status === 0);
	await eventually('it to be final', async () => {
		const { withdrawals } = await json<{ withdrawals: { state: string; toAddress: string }[] }>('treasury', 'show');
		return withdrawals.some(({ state, toAddress }) => state === 'final' && toAddress === WITHDRAWN_TO);
	});
});
