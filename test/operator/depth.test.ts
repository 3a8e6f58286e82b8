/**
 * Confirmations that the operator raises (book: networks, "Confirmations"). Sandbox prices: an order of 2 LTC is worth
 * 190 USD, 0.5 XMR as well; Litecoin asks for 6 confirmations, Monero for 10.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({ CONFIRMATIONS_DASH: '9' });
let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const operator = (command: string, input: Record<string, unknown>) => service.current().operator(command, input);
const newOrder = async (more: Record<string, unknown> = {}): Promise<CreatedOrder> =>
	(await create(service.current(), partner, more)).data;
const pay = (orders: readonly CreatedOrder[], confirmations: number) =>
	operator('sandbox/deposit', { orders: orders.map(({ id }) => id), confirmations });
const until = (order: CreatedOrder, status: string) => untilStatus(service.current(), partner, order, status);

interface Progress {
	readonly confirmations: number | null;
	readonly needed: number;
}

/** Once the agent has seen so many confirmations. */
const progress = ({ id, token }: CreatedOrder, confirmations: number): Promise<{ status: string; needed: number }> =>
	eventually(`${confirmations} confirmations of ${id}`, async () => {
		const body = { id, token, with: ['progress'] };
		const { data } = await signed<{ status: string; progress: Progress }>(
			service.current(),
			partner,
			'/api/v1/order',
			body,
		);
		const isSeen = data.progress?.confirmations === confirmations;
		return isSeen && { status: data.status, needed: data.progress.needed };
	});

describe('network update', () => {
	it('raises the confirmations of a network at once, and never lowers them', async () => {
		await operator('network/update', { name: 'Litecoin', confirmations: 12 });
		const order = await newOrder();
		await pay([order], 11);
		expect(await progress(order, 11)).toEqual({ status: 'PENDING', needed: 12 });
		await operator('network/update', { name: 'Litecoin', confirmations: 1 });
		await until(order, 'DONE');
		const other = await newOrder();
		await pay([other], 5);
		expect(await progress(other, 5)).toEqual({ status: 'PENDING', needed: 6 });
		await operator('sandbox/confirm', { orders: [other.id] });
		await until(other, 'DONE');
		await operator('network/update', { name: 'Litecoin', confirmations: null });
	});

	it('refuses half a step', async () => {
		await expect(operator('network/update', { name: 'Litecoin', aboveUsd: 5 })).rejects.toThrow('set together');
	});

	it('adds up what is not yet deep: a payment that is split over orders needs as many as a whole one', async () => {
		await operator('network/update', { name: 'Monero', aboveUsd: 250, confirmationsAbove: 19 });
		const more = {
			fromCcy: 'XMR',
			amount: '0.5',
			refundAddress: '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H',
		};
		const [one, two] = [await newOrder(more), await newOrder(more)];
		await pay([one], 10);
		await until(one, 'DONE');
		// Alone it would be final. The first one became final moments ago.
		await pay([two], 18);
		expect(await progress(two, 18)).toEqual({ status: 'PENDING', needed: 19 });
		await operator('sandbox/confirm', { orders: [two.id] });
		await until(two, 'DONE');
	});
});

describe('the signer', () => {
	it('asks for what its own variable says, whatever the database says', async () => {
		const refundAddress = 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5';
		const order = await newOrder({ fromCcy: 'DASH', amount: '5', refundAddress });
		await pay([order], 8);
		await until(order, 'EXCHANGE');
		await eventually('the signer to refuse', async () => {
			const refused = service.current().logged('payout_refused');
			return refused.some(({ reason }) => String(reason).includes('not final'));
		});
		expect((await progressless(order)).status).toBe('EXCHANGE');
		await operator('sandbox/confirm', { orders: [order.id] });
		await until(order, 'DONE');
	});
});

const progressless = ({ id, token }: CreatedOrder) =>
	signed<{ status: string }>(service.current(), partner, '/api/v1/order', { id, token }).then(({ data }) => data);
