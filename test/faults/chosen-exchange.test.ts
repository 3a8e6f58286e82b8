/**
 * Who may choose EXCHANGE waits for a jump of the price, and chooses before the service has seen it. So a chosen exchange
 * takes no price that was found before the choice (book: contract, "Orders").
 */
import { beforeAll, expect, it } from 'vitest';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile();
let partner: Credentials;
let order: CreatedOrder;

/** Longer than several polls of a sandbox network, and shorter than the refresh of the prices. */
const SOME_POLLS = 4_000;

const pricedAt = async (): Promise<string | undefined> => {
	const rows = await file.current().operator<{ coin: string; at: string }[]>('price/list');
	return rows.find(({ coin }) => coin === 'LTC')?.at;
};

beforeAll(async () => {
	partner = await createPartner(file.current());
	order = (await create(file.current(), partner)).data;
	await file.current().operator('sandbox/deposit', { orders: [order.id], amount: '0.1' });
	await untilStatus(file.current(), partner, order, 'EMERGENCY');
	// Just after a refresh there is none for ten seconds.
	const before = await pricedAt();
	await eventually('the prices to be found again', async () => (await pricedAt()) !== before);
});

const choose = () =>
	signed(file.current(), partner, '/api/v1/emergency', { id: order.id, token: order.token, choice: 'EXCHANGE' });

it('waits for a price that was found after the choice, and takes that one', async () => {
	const { rate } = await readOrder(file.current(), partner, order);
	expect((await choose()).code).toBe(0);
	await new Promise((over) => setTimeout(over, SOME_POLLS));
	// Choosing again buys no later price.
	const [first] = await file.current().sql<{ at: number }>('SELECT chosen_at AS at FROM orders WHERE id = ?', order.id);
	expect((await choose()).code).toBe(0);
	expect(await readOrder(file.current(), partner, order)).toMatchObject({
		status: 'EMERGENCY',
		emergency: { choice: 'EXCHANGE' },
	});
	expect(await file.current().sql('SELECT chosen_at AS at FROM orders WHERE id = ?', order.id)).toEqual([first]);
	await file.current().operator('sandbox/price', { coin: 'LTC', usd: '99.75' });
	const done = await untilStatus(file.current(), partner, order, 'DONE');
	expect(Number(done.rate) / Number(rate)).toBeCloseTo(1.05, 6);
	expect(await file.current().sql('SELECT chosen_at AS at FROM orders WHERE id = ?', order.id)).toEqual([first]);
});
