/**
 * Strays over a restore of D1 and of the signer's journal: what went back after the backup is not sent again, and the commands
 * that `attention` prints, run as they are printed, move each of them on.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShownOrder } from '../../src/orders/shown.ts';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { restoredAfter } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json, refusal } = operatorOf(() => service);

const tokenOrder = async (): Promise<CreatedOrder> => {
	const more = {
		fromCcy: 'USDTERC20',
		toCcy: 'LTC',
		amount: '500',
		toAddress: LTC_REFUND,
		refundAddress: ETH_RECIPIENT,
	};
	const { data, text } = await create(service, partner, more);
	expect(data?.id, text).toBeTruthy();
	return data;
};
const played = ({ id }: CreatedOrder, amount: string) =>
	service.operator('sandbox/deposit', { orders: [id], asset: 'USDCERC20', amount });
const looked = ({ id }: CreatedOrder) => service.operator('order/find-stray', { id });
const attempt = () => service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE kind = 'stray'");
const returns = () => payoutsTo(service, 'Ethereum', ETH_RECIPIENT);
const isReturned = async ({ id, token }: CreatedOrder) => {
	const { data } = await signed<ShownOrder>(service, partner, '/api/v1/order', { id, token, with: ['strays'] });
	return data.strays?.[0]?.status === 'RETURNED' && data.strays[0];
};
const untilReturned = (order: CreatedOrder) => eventually('the stray to go back', () => isReturned(order), 90_000);
const plannedOf = async ({ from }: CreatedOrder): Promise<string> => {
	const rows = await service.sql<{ id: string }>(
		"SELECT id FROM transactions WHERE kind = 'stray' AND pay_in_address = ? AND state = 'planned'",
		from.address,
	);
	return String(rows[0]?.id ?? '');
};
/** What `attention` says of the planned return, once the signer has refused it. */
const refusedAs = (order: CreatedOrder) =>
	eventually(
		'the signer to refuse the return',
		async () => {
			const id = await plannedOf(order);
			const rows = await service.operator<{ subject: string; cause: string; todo: string }[]>('attention');
			const row = rows.find(({ subject, cause }) => subject === id && cause.includes('which the signer does not know'));
			return row && { ...row, commands: [...row.cause.matchAll(/`([^`]+)`/g)].map(([, command]) => String(command)) };
		},
		90_000,
	);
const run = (command: string | undefined) => json(...String(command).split(' '));
const expectEven = async () => {
	const { wallets } = await service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
	expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
};

describe('a stray whose return was planned at the backup and sent after it', { timeout: 180_000 }, () => {
	let gone: CreatedOrder;
	let fresh: CreatedOrder;
	beforeAll(async () => {
		service = await startTestService();
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		gone = await tokenOrder();
		fresh = await tokenOrder();
		// It stays planned.
		await service.sql(`CREATE TRIGGER stays AFTER INSERT ON transactions WHEN NEW.kind = 'stray'
			BEGIN UPDATE transactions SET next_attempt_at = 9000000000000 WHERE id = NEW.id; END`);
		await played(gone, '500');
		await looked(gone);
		await eventually('the return to be planned', async () => (await plannedOf(gone)) !== '', 90_000);
		service = await restoredAfter(service, async () => {
			await service.sql('DROP TRIGGER stays');
			await attempt();
			await untilReturned(gone);
		});
		await attempt();
	}, 300_000);
	afterAll(async () => {
		await service?.local.stop();
		rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it('is not sent again, whatever is confirmed, and another one to the same address waits too', async () => {
		await played(fresh, '300');
		await json('restored', 'confirm', '--own');
		await looked(gone);
		await looked(fresh);
		const [first] = await returns();
		for (const order of [gone, fresh]) {
			const { commands, todo } = await refusedAs(order);
			expect(commands).toEqual([
				`order return-stray ${order.id} USDCERC20 --tx-id ${first?.txId} --reason R`,
				`order return-stray ${order.id} USDCERC20 --not T --reason R`,
			]);
			expect(todo).toBe('do what the cause says');
		}
		expect(await returns()).toHaveLength(1);
	});

	it('what paid something else is not booked as a return, and one that is said to be other goes back', async () => {
		const { commands } = await refusedAs(fresh);
		// It is more than ever came there.
		expect(await refusal(...String(commands[0]).split(' '))).toContain('nothing was booked');
		const [first] = await returns();
		await run(commands[1]?.replace('--not T', `--not ${first?.txId}`));
		await untilReturned(fresh);
		expect(await returns()).toHaveLength(2);
	});

	it('is booked by the command that is printed, once, and the books are even', async () => {
		const { commands } = await refusedAs(gone);
		await run(commands[0]);
		const stray = await untilReturned(gone);
		const [first] = await returns();
		expect(stray.back.tx.id).toBe(first?.txId);
		await run(commands[0]);
		await looked(gone);
		expect(await returns()).toHaveLength(2);
		await expectEven();
	});
});
