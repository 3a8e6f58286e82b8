/**
 * Signed promises (book: verify): the signer signs which order a pay-in address belongs to, on which terms, and what was paid
 * for it. Who has the API Worker and SEAL_KEY shows no false address to a client that checks.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type ClientOptions, createClient, type PromiseError, verifyPromise } from '../../src/sdk/index.ts';
import { payoutsTo } from '../support/earnings.ts';
import { type CreatedOrder, create, createBody, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sealOrderAnew } from '../support/seals.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const KEYS = '/.well-known/partner-exchange-keys.json';

const file = serviceForFile();
let partner: Credentials;
let trusted: string;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
	const published = await fetch(file.current().url + KEYS);
	expect([published.status, published.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
	const { keys } = (await published.json()) as { readonly keys: readonly { readonly publicKey: string }[] };
	trusted = keys[0]?.publicKey ?? '';
});

interface Promised {
	readonly promise: { readonly key: string; readonly statement: string; readonly signature: string } | null;
}

const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	file.current().sql<T>(statement, ...values);

async function newOrder(more: Record<string, unknown> = {}): Promise<CreatedOrder & Partial<Promised>> {
	const { data, text } = await create(file.current(), partner, more);
	expect(data?.id, text).toBeTruthy();
	return data;
}

async function promiseOf({ id, token }: Pick<CreatedOrder, 'id' | 'token'>): Promise<Promised['promise']> {
	const asked = { id, token, with: ['promise'] };
	const { data, text } = await signed<Promised>(file.current(), partner, '/api/v1/order', asked);
	expect(data, text).toHaveProperty('promise');
	return data.promise;
}

/** Why the signer refuses it: its log has it a moment after the answer. */
const refusalOf = ({ id }: Pick<CreatedOrder, 'id'>) =>
	eventually('the refusal in the log', async () =>
		file
			.current()
			.logged('promise_refused')
			.find(({ orderId }) => orderId === id),
	);

describe('the signed promise', () => {
	it('has the address with the order’s terms, where create or order asks for it, and later what was paid', async () => {
		const order = await newOrder({ with: ['promise'], afftax: 50 });
		const statement = await verifyPromise(order.promise, { trusted });
		expect(statement).toEqual({
			at: expect.any(Number),
			back: { address: LTC_REFUND },
			from: { address: order.from.address, code: 'LTC', network: order.from.network },
			id: order.id,
			marginBps: expect.any(Number),
			payments: [],
			to: { address: ETH_RECIPIENT, code: 'ETH', network: order.to.network },
			type: 'partner-exchange/promise/1',
		});
		expect(statement.marginBps).toBeGreaterThan(50);
		const floored = await newOrder({ with: ['promise'], minToAmount: '0.01' });
		const floor = { fromAmount: floored.from.amount, minToAmount: '0.01' };
		expect((await verifyPromise(floored.promise, { trusted, expected: { floor } })).floor).toEqual(floor);
		await file.current().operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(file.current(), partner, order, 'DONE');
		const { payments } = await verifyPromise(await promiseOf(order), { trusted, expected: { id: order.id } });
		const { id: deposit, amount: received } = done.from.tx;
		const { id: txId, amount } = done.to.tx;
		expect(payments).toEqual([
			{ amount, code: 'ETH', deposits: [{ amount: received, txId: deposit }], kind: 'payout', txId },
		]);
	});

	it('is in no answer that does not ask for it', async () => {
		const order = await newOrder();
		const asked = { id: order.id, token: order.token };
		const { data } = await signed<object>(file.current(), partner, '/api/v1/order', asked);
		expect([order, data].some((each) => 'promise' in each)).toBe(false);
		const list = await signed<object>(file.current(), partner, '/api/v1/orders', { with: ['promise'] });
		expect(list.code).toBe(1);
	});

	it('is written as RFC 8785 has it, so that who knows the terms can make the same bytes', async () => {
		const { statement = '' } = (await newOrder({ with: ['promise'] })).promise ?? {};
		const sorted = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(sorted);
			if (typeof value !== 'object' || value === null) return value;
			const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
			return Object.fromEntries(fields.map(([name, each]) => [name, sorted(each)]));
		};
		expect(statement).toBe(JSON.stringify(sorted(JSON.parse(statement))));
	});
});

describe('who has SEAL_KEY and writes any row of D1', () => {
	it('gets no second promise for an address: not on other terms, nor for another order', async () => {
		const order = await newOrder({ with: ['promise'] });
		const second = await newOrder();
		await sql('UPDATE orders SET to_address = ? WHERE id = ?', ATTACKER, order.id);
		await sealOrderAnew(file.current(), order.id);
		expect(await promiseOf(order)).toBeNull();
		await sql("UPDATE orders SET pay_in_address = 'aside' WHERE id = ?", order.id);
		await sql(
			'UPDATE orders SET pay_in_address = ?, pay_in_index = (SELECT pay_in_index FROM orders WHERE id = ?) WHERE id = ?',
			...[order.from.address, order.id, second.id],
		);
		await sealOrderAnew(file.current(), second.id);
		expect(await promiseOf(second)).toBeNull();
		for (const each of [order, second]) expect(await refusalOf(each)).toMatchObject({ kind: 'promised-otherwise' });
	});

	it('gets none for an address of their own, and one without the key none at all', async () => {
		const [theirs, unsealed] = [await newOrder(), await newOrder()];
		await sql('UPDATE orders SET pay_in_address = ? WHERE id = ?', `${theirs.from.address}x`, theirs.id);
		await sealOrderAnew(file.current(), theirs.id);
		expect(await promiseOf(theirs)).toBeNull();
		expect(await refusalOf(theirs)).toMatchObject({ kind: 'pay-in-address-not-ours' });
		await sql('UPDATE orders SET to_address = ? WHERE id = ?', ATTACKER, unsealed.id);
		const asked = { id: unsealed.id, token: unsealed.token, with: ['promise'] };
		expect((await signed(file.current(), partner, '/api/v1/order', asked)).code).toBe(99);
	});

	it('has nothing paid to themselves of a deposit to an address that was promised', async () => {
		const order = await newOrder({ with: ['promise'] });
		await sql('UPDATE orders SET to_address = ?, refund_address = ? WHERE id = ?', ATTACKER, LTC_REFUND, order.id);
		await sealOrderAnew(file.current(), order.id);
		await file.current().operator('sandbox/deposit', { orders: [order.id] });
		const refused = await eventually('the payout to be refused', async () => {
			const [row] = await sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
			return (
				row &&
				file
					.current()
					.logged('signing_refused')
					.find(({ payoutId }) => payoutId === row.id)
			);
		});
		expect(refused).toMatchObject({ kind: 'promised-otherwise', again: false });
		expect(await payoutsTo(file.current(), 'Ethereum', ATTACKER)).toEqual([]);
	});
});

/** The order that is shown instead. */
type Changed = (order: CreatedOrder & Promised) => unknown;

/** The library of a partner who trusts the key, and an API Worker that changes what goes through it. */
function clientBehind(change: Changed, options: Partial<ClientOptions> = {}) {
	const through: ClientOptions['fetch'] = async (url, init) => {
		const answer = await fetch(url, init);
		if (url.endsWith(KEYS)) return answer;
		const { code, data, ...rest } = (await answer.json()) as { code: number; data: CreatedOrder & Promised };
		return Response.json({ code, ...rest, data: code === 0 ? await change(data) : data });
	};
	const { apiKey, apiSecret } = partner;
	return createClient({ url: file.current().url, apiKey, apiSecret, promiseKeys: trusted, fetch: through, ...options });
}

const reasonOf = (work: Promise<unknown>): Promise<string> =>
	work.then(
		() => 'taken',
		({ reason, message }: PromiseError) => reason ?? message,
	);

describe('a client that trusts the key', () => {
	const body = createBody() as unknown as Parameters<ReturnType<typeof createClient>['create']>[0];
	const elsewhere = (order: CreatedOrder & Promised) => ({ ...order, from: { ...order.from, address: LTC_REFUND } });
	const refused: Record<string, readonly [reason: string, change: Changed]> = {
		'another pay-in address in the answer': ['other-terms', elsewhere],
		'another pay-in address in answer and statement': [
			'signature-wrong',
			({ promise, ...order }) => {
				const statement = promise?.statement.replace(order.from.address, LTC_REFUND);
				return { ...elsewhere({ ...order, promise }), promise: { ...promise, statement } };
			},
		],
		'no promise': ['missing', (order) => ({ ...order, promise: null })],
		'an order of the attacker’s, with its true promise': [
			'other-terms',
			() => newOrder({ toAddress: ATTACKER, with: ['promise'] }),
		],
		'the promise of another order': [
			'other-terms',
			async (order) => ({ ...order, promise: (await newOrder({ with: ['promise'] })).promise }),
		],
	};

	it.each(Object.entries(refused))('refuses %s', async (_, [reason, change]) => {
		expect(await reasonOf(clientBehind(change).create(body))).toBe(reason);
	});

	it('takes what is true, and refuses all of an instance whose key it does not trust', async () => {
		const order = await clientBehind((order) => order).create(body);
		expect(order.to.address).toBe(ETH_RECIPIENT);
		const other = clientBehind((order) => order, { promiseKeys: Buffer.alloc(32, 7).toString('base64') });
		expect(await reasonOf(other.create(body))).toBe('key-unknown');
	});
});
