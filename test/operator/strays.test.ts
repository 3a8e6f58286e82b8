/** Coins that an order did not ask for, as payer, partner and operator see them; `nodes/strays` has real chains. */
import { beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { straySealHolds } from '../../src/orders/seal.ts';
import type { ShownOrder } from '../../src/orders/shown.ts';
import { payoutsTo } from '../support/earnings.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({ NODE_POLL_SECONDS_BSC: '1' }, { pages: true });
const REFUND = ETH_RECIPIENT;
const ELSEWHERE = '0x1234567890123456789012345678901234567890';
const TOKEN = '0x70c0000000000000000000000000000000000ab1';
const reason = 'the payer asked';

let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current());
});

/** 500 USDT on Ethereum to LTC. */
const tokenOrder = async (): Promise<CreatedOrder> => {
	const more = { fromCcy: 'USDTERC20', toCcy: 'LTC', amount: '500', toAddress: LTC_REFUND, refundAddress: REFUND };
	const answer = await create(service.current(), partner, more);
	if (answer.code !== 0) throw new Error(answer.text);
	return answer.data;
};
const played = (order: CreatedOrder, asset: string, amount = '500') =>
	service.current().operator('sandbox/deposit', { orders: [order.id], asset, amount });
const looked = (order: CreatedOrder, more = {}) =>
	service
		.current()
		.operator<{ strays: unknown[]; looked: string[]; unlisted?: { keptAt: string | null }[] }>('order/find-stray', {
			id: order.id,
			...more,
		});
const read = async ({ id, token }: CreatedOrder, more = {}) =>
	(await signed<ShownOrder>(service.current(), partner, '/api/v1/order', { id, token, ...more })).data;
const strayOf = async (order: CreatedOrder) => (await read(order, { with: ['strays'] })).strays?.[0];
const untilStray = (order: CreatedOrder, status: string) =>
	eventually(
		`the stray of ${order.id} to be ${status}`,
		async () => {
			await endPauses(service.current());
			const stray = await strayOf(order);
			return stray?.status === status && stray;
		},
		90_000,
	);
const expectEven = async () => {
	const { wallets } = await service
		.current()
		.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
	expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
};
const page = async ({ id, token }: CreatedOrder) => {
	const answer = await fetch(`${service.current().url}/o/${id}/state`, {
		headers: { authorization: `Bearer ${token}` },
	});
	return withBlanks(await answer.text());
};

/** A number and its unit stand on one line, and an address keeps its direction. */
const withBlanks = (text: string): string =>
	text.replaceAll('\u00A0', ' ').replaceAll(/<\/?(?:bdi|code|i|b|wbr)\b[^>]*>/g, '');

describe('coins that an order did not ask for', () => {
	it.each([
		['of another asset', 'USDCERC20', 'Ethereum'],
		['on another network', 'USDCBEP20', 'BSC'],
	])('%s go back by themselves, and the partner and the payer read of it', async (_, asset, network) => {
		const order = await tokenOrder();
		expect(await read(order)).not.toHaveProperty('strays');
		await played(order, asset);
		const found = await looked(order);
		expect(found.looked).toContain(network);
		expect(found.strays).toMatchObject([{ network, came: '500' }]);
		const stray = await untilStray(order, 'RETURNED');
		expect(stray).toMatchObject({ code: asset, network, amount: '500', back: { address: REFUND } });
		expect(Number(stray.back.tx.amount)).toBeLessThan(500);
		expect(Number(stray.back.tx.amount)).toBeGreaterThan(450);
		expect(stray.back.tx.id).toMatch(/^0x/);
		const html = await page(order);
		expect(html).toContain(`You sent 500 USDC (${network}) to an address for USDT (Ethereum)`);
		expect(html).toContain(`back to ${REFUND}, less the network fee`);
		expect(html).toContain(stray.back.tx.id);
		await looked(order);
		await expectEven();
		const sent = await service
			.current()
			.sql("SELECT 1 FROM transactions WHERE kind = 'stray' AND pay_in_address = ?", order.from.address);
		expect(sent).toHaveLength(1);
	});

	it('what cannot be at the order’s address is neither played nor looked for', async () => {
		const order = await tokenOrder();
		await expect(played(order, 'LTC')).rejects.toThrow(/cannot be paid/);
		await expect(looked(order, { network: 'Litecoin' })).rejects.toThrow(/nothing of order/);
		await expect(
			service.current().operator('order/return-stray', { id: order.id, asset: 'USDCERC20', reason }),
		).rejects.toThrow(/no USDCERC20 is known/);
	});

	it('a token that is not listed is found, and goes back whole where the operator asks, as often as it comes', async () => {
		const { operator } = service.current();
		const order = await tokenOrder();
		const listed = String(assetOf('USDCERC20').contract);
		for (const other of ['NOCOIN', listed, listed.toLowerCase()])
			await expect(played(order, other)).rejects.toThrow(/no asset, and no contract of a token on Ethereum/);
		await expect(played(order, TOKEN, '0.5')).rejects.toThrow(/smallest units/);
		for (const times of [1, 2]) {
			await played(order, TOKEN, '77');
			await looked(order);
			const held = { code: null, token: TOKEN, network: 'Ethereum', amount: '77' };
			expect(await strayOf(order)).toMatchObject({ ...held, status: 'HELD' });
			expect(await page(order)).toContain(
				'Nothing sends it back by itself. It is on record, and someone is looking at it',
			);
			await operator('order/return-stray', { id: order.id, asset: TOKEN.toUpperCase().replace('X', 'x'), reason });
			const { back } = await untilStray(order, 'RETURNED');
			expect(back).toMatchObject({ address: REFUND, tx: { id: expect.stringMatching(/^0x/), amount: null } });
			const html = await page(order);
			expect(html).toContain('We sent it back.');
			expect(html).toContain(back.tx.id);
			await eventually('it to be over', async () => {
				await endPauses(service.current());
				return (await looked(order)).unlisted?.[0]?.keptAt;
			});
			const sent = (await payoutsTo(service.current(), 'Ethereum', REFUND)).filter(({ asset }) => asset === TOKEN);
			expect(sent.map(({ amount }) => amount)).toEqual(Array(times).fill('77'));
		}
		expect((await strayOf(order))?.status).toBe('RETURNED');
		await expectEven();
	});

	it('a token that waits behind a return that is stopped says so a day after it was asked for', async () => {
		const { operator, sql } = service.current();
		const order = await tokenOrder();
		await played(order, TOKEN, '77');
		await looked(order);
		const [place] = await sql<{ network: string; address: string; at: number }>(
			'SELECT from_network AS network, pay_in_address AS address, pay_in_index AS at FROM orders WHERE id = ?',
			order.id,
		);
		await sql(
			`INSERT INTO transactions (id, network, kind, asset, sweep_asset, to_address, amount, usd_cents, state, planned_at,
				next_attempt_at, pay_in_address, pay_in_index, blocked_kind, blocked_facts)
			VALUES (?, 'Ethereum', 'stray', 'USDCERC20', 'USDCERC20', ?, '1', 1, 'planned', 0, 9e15, ?, ?, 'signer',
				'{"refusal":{"kind":"order-seal-broken"}}')`,
			`stopped ${order.id}`,
			REFUND,
			place?.address,
			place?.at,
		);
		await operator('order/return-stray', { id: order.id, asset: TOKEN, reason });
		await sql('UPDATE unlisted_tokens SET asked_at = asked_at - 86400001 WHERE order_id = ?', order.id);
		const waits = await eventually(
			'the token to say why',
			async () => {
				const [row] = await sql<{ waits: string | null }>(
					'SELECT waits FROM unlisted_tokens WHERE order_id = ?',
					order.id,
				);
				return row?.waits;
			},
			90_000,
		);
		expect(waits).toBe('too-long');
		await sql('DELETE FROM transactions WHERE id = ?', `stopped ${order.id}`);
	});

	it('the operator sends one back elsewhere, which its seal and the audit log show, and only to an address', async () => {
		const { operator, sql } = service.current();
		const order = await tokenOrder();
		// Too little to go back by itself, so that it waits.
		await played(order, 'USDCERC20', '0.01');
		await looked(order);
		await untilStray(order, 'KEPT');
		const enter = (to: string) => operator('order/return-stray', { id: order.id, asset: 'USDCERC20', to, reason });
		await expect(enter(LTC_REFUND)).rejects.toThrow(/not an address on Ethereum/);
		await expect(enter(order.from.address)).rejects.toThrow(/own deposit address/);
		await enter(ELSEWHERE);
		await played(order, 'USDCERC20');
		await looked(order);
		expect(await untilStray(order, 'RETURNED')).toMatchObject({ back: { address: ELSEWHERE } });
		const [row] = await sql<{ seal: string; at: number }>(
			'SELECT to_seal AS seal, found_at AS at FROM strays WHERE order_id = ?',
			order.id,
		);
		const keys = keyRing(service.current().local.secrets, 'SEAL_KEY');
		const terms = {
			orderId: order.id,
			network: 'Ethereum' as const,
			asset: 'USDCERC20',
			to: ELSEWHERE,
			at: Number(row?.at),
		};
		expect(await straySealHolds(keys, terms, String(row?.seal))).toBe(true);
		expect(await straySealHolds(keys, { ...terms, to: REFUND }, String(row?.seal))).toBe(false);
		const audit = await operator<{ command: string; changes: unknown }[]>('audit/list', { subject: order.id });
		expect(audit).toContainEqual(
			expect.objectContaining({
				command: 'order return-stray',
				changes: { network: 'Ethereum', asset: 'USDCERC20', to: ELSEWHERE, reason },
			}),
		);
		await expect(enter(REFUND)).rejects.toThrow(/has gone back|under way/);
		await expectEven();
	});

	describe('a transaction that the payer names on the order’s page', () => {
		const named = async ({ id, token }: CreatedOrder, tx: string, more: Record<string, string> = {}) => {
			const body = new URLSearchParams({ action: 'named', token: String(token), tx, ...more });
			return withBlanks(await (await fetch(`${service.current().url}/o/${id}`, { method: 'POST', body })).text());
		};
		const paidWith = async (order: CreatedOrder, asset: string) => {
			const [deposit] = await service
				.current()
				.operator<{ txId: string }[]>('sandbox/deposit', { orders: [order.id], asset, amount: '500' });
			return String(deposit?.txId);
		};

		it('is found on another network, said in words without a script, and goes back', async () => {
			const order = await tokenOrder();
			const txId = await paidWith(order, 'USDCBEP20');
			const html = await named(order, ` https://bscscan.com/tx/${txId} `);
			expect(html).toContain('It brought 500 USDC (BSC), which is no payment of this order.');
			expect(html).toContain('You sent 500 USDC (BSC) to an address for USDT (Ethereum)');
			await untilStray(order, 'RETURNED');
			await expectEven();
		});

		it('that is none, is unknown, pays another order, or is this order’s payment, is said so', async () => {
			const [order, other] = [await tokenOrder(), await tokenOrder()];
			expect(await named(order, 'my payment')).toContain('That is not a transaction id of this network.');
			expect(await named(order, `0x${'ab'.repeat(32)}`)).toContain('No such transaction is known on Ethereum, ');
			const foreign = await paidWith(other, 'USDCERC20');
			expect(await named(order, foreign)).toContain('is on Ethereum, but it paid nothing to the address of this order');
			const own = await paidWith(order, 'USDTERC20');
			expect(await named(order, own)).toContain('It brought 500 USDT (Ethereum), a payment of this order.');
			expect(await service.current().sql('SELECT 1 FROM strays WHERE order_id = ?', order.id)).toEqual([]);
			expect(await named(order, own, { token: 'wrong' })).toContain('We can’t show this order');
		});

		it('is looked up twenty times for an order, and the operator goes on', async () => {
			const order = await tokenOrder();
			const unknown = `0x${'cd'.repeat(32)}`;
			for (let asked = 0; asked < 20; asked++) expect(await named(order, unknown)).toContain('No such transaction');
			expect(await named(order, unknown)).toContain('can be looked up for this order');
			expect(await looked(order, { tx: unknown })).toMatchObject({ strays: [] });
		});

		it('is asked for on each network: the operator reads of it, also where nothing can be looked up', async () => {
			const coin = await create(service.current(), partner);
			for (const order of [await tokenOrder(), coin.data])
				expect(await page(order)).toContain('You paid, and it does not show here?');
		});
	});
});
