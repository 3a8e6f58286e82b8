/**
 * `POST /api/v1/create`: the order, its token, and replays (book: contract, "Orders"). Sandbox prices: LTC 95, ETH
 * 3200.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createsForFile, REFUSED } from '../support/creates.ts';
import {
	type CreatedOrder,
	create,
	createBody,
	ETH_RECIPIENT,
	LTC_REFUND,
	readOrder,
	untilStatus,
} from '../support/orders.ts';
import { type Answer, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { LIMIT_MAX, LIMIT_MIN, MAINTENANCE, settingsOf } from '../support/site-settings.ts';

const service = sharedService();
const { partner, order, ordersCount } = createsForFile(service);
const { reload, withSql, withCap, withMaintenance } = settingsOf(service);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const keyed = (key: string, more: Record<string, unknown> = {}, by = partner()): Promise<Answer<CreatedOrder>> =>
	create(service.current(), by, more, { headers: { 'idempotency-key': key } });
describe('the order', () => {
	it('has every field of the contract, and no other', async () => {
		const before = Math.floor(Date.now() / 1000);
		const { data, status } = await order({ afftax: 100 });
		expect(status).toBe(200);
		expect(data).toEqual({
			id: expect.stringMatching(UUID),
			type: 'float',
			status: 'NEW',
			time: {
				reg: expect.any(Number),
				expiration: data.time.reg + 3600,
				left: 3600,
				update: data.time.reg,
				finish: null,
			},
			from: {
				code: 'LTC',
				network: 'Litecoin',
				amount: '2',
				address: expect.stringMatching(/^ltc1q[a-z0-9]{38}$/),
				tx: { id: null, amount: null },
			},
			to: {
				code: 'ETH',
				network: 'Ethereum',
				// 2 × 95 / 3200 × 0.985 − 0.00005
				amount: '0.05843437',
				address: ETH_RECIPIENT,
				tx: { id: null, amount: null },
			},
			back: { address: LTC_REFUND, tx: { id: null } },
			emergency: { status: [], choice: 'NONE' },
			rate: '0.0292421875',
			networkFee: '0.00005',
			markupBps: 100,
			token: expect.stringMatching(TOKEN),
		});
		expect(data.time.reg).toBeGreaterThanOrEqual(before);
		expect(data.time.reg).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
	});

	it('direction to: the recipient gets the named amount, the deposit is derived and rounded up', async () => {
		const { data } = await order({ direction: 'to', amount: '0.29534062' });
		expect(data.to.amount).toBe('0.29534062');
		expect(data.from.amount).toBe('9.99999984');
	});

	it('an amount may be a JSON number, read by its exact decimal text', async () => {
		const body = JSON.stringify(createBody({ toCcy: 'POL', amount: '@' })).replace('"@"', '50e-1');
		const { data } = await signed<CreatedOrder>(service.current(), partner(), '/api/v1/create', body);
		expect(data.from.amount).toBe('5');
		const tiny = JSON.stringify(createBody({ amount: '@' })).replace('"@"', '1e-7');
		expect((await signed(service.current(), partner(), '/api/v1/create', tiny)).text).toBe(LIMIT_MIN);
	});

	it.each([
		['from', '0002.50', '2.5'],
		['to', '00.10', '0.1'],
	] as const)('stores and shows its amount normalised: direction %s, %s', async (direction, amount, shown) => {
		const made = (await order({ direction, amount })).data;
		expect(made[direction].amount).toBe(shown);
		expect((await readOrder(service.current(), partner(), made))[direction].amount).toBe(shown);
	});

	it('has the amounts that price quotes at the same rate', async () => {
		const pairs = [
			['BTC', 'POL', '0.01', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', ETH_RECIPIENT],
			['AVAX', 'DASH', '100', ETH_RECIPIENT, 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5'],
			['ETHOP', 'LTC', '0.5', ETH_RECIPIENT, LTC_REFUND],
		] as const;
		for (const [fromCcy, toCcy, amount, refundAddress, toAddress] of pairs) {
			const terms = { type: 'float', fromCcy, toCcy, amount, direction: 'from', afftax: 30 };
			const { data } = await order({ ...terms, refundAddress, toAddress });
			const quoted = await signed<{ to: { amount: string; rate: string } }>(
				service.current(),
				partner(),
				'/api/v1/price',
				terms,
			);
			expect([data.to.amount, data.rate]).toEqual([quoted.data.to.amount, quoted.data.to.rate]);
		}
	});

	it('if the rate moved since a quote, it reflects the new rate', async () => {
		try {
			await service.current().operator('sandbox/price', { coin: 'ETH', usd: '1600' });
			expect((await order()).data.rate).toBe('0.059078125');
		} finally {
			await service.current().operator('sandbox/price', { coin: 'ETH', usd: '3200' });
		}
	});

	it('30 at once have 30 ids, tokens and pay-in addresses', async () => {
		const created = await Promise.all(Array.from({ length: 30 }, () => order()));
		expect(created.filter(({ code }) => code !== 0)).toEqual([]);
		for (const values of [
			created.map(({ data }) => data.id),
			created.map(({ data }) => data.token),
			created.map(({ data }) => data.from.address),
		]) {
			expect(new Set(values).size).toBe(30);
		}
	});

	it('takes the deposit window that the operator set', async () => {
		const undo = 'UPDATE site SET deposit_window_seconds = 3600';
		await withSql('UPDATE site SET deposit_window_seconds = 600', undo, async () => {
			await reload();
			const { time } = (await order()).data;
			expect([time.expiration - time.reg, time.left]).toEqual([600, 600]);
		});
	});
});

describe('the token', () => {
	it('is shown once; only its SHA-256 is stored', async () => {
		const { data } = await order();
		const token = data.token ?? '';
		const rows = await service.current().sql('SELECT * FROM orders WHERE id = ?', data.id);
		const events = await service.current().sql('SELECT * FROM webhook_events WHERE order_id = ?', data.id);
		expect(rows).toHaveLength(1);
		expect(rows[0]?.['token_hash']).toBe(createHash('sha256').update(token).digest('hex'));
		expect(JSON.stringify([rows, events])).not.toContain(token);
		expect(await readOrder(service.current(), partner(), data)).not.toHaveProperty('token');
	});

	it('is in no log line', async () => {
		const created = [await order(), await order({ amount: '3' })];
		const requestId = (await order({ amount: 'x' })).headers.get('x-request-id') ?? 'no id';
		const log = await eventually('the refusal in the log', async () => {
			const lines = JSON.stringify(service.current().logged('refused'));
			return lines.includes(requestId) && lines;
		});
		for (const { data } of created) expect(log).not.toContain(data.token);
	});
});

describe('Idempotency-Key', () => {
	it('a replay with the same body returns the existing order with token null and creates no duplicate', async () => {
		const key = newNonce();
		const first = await keyed(key);
		const before = await ordersCount();
		const replay = await keyed(key);
		expect(replay.status).toBe(200);
		expect(replay.data).toEqual({
			...first.data,
			token: null,
			time: { ...first.data.time, left: replay.data.time.left },
		});
		expect(first.data.token).toMatch(TOKEN);
		expect(await ordersCount()).toBe(before);
	});

	it('“same body” compares the parsed, normalised fields', async () => {
		const key = newNonce();
		const { data } = await keyed(key);
		const body = createBody();
		const reordered = Object.fromEntries(Object.entries(body).reverse());
		const same = [
			JSON.stringify(reordered),
			JSON.stringify(body, null, 2),
			JSON.stringify({ ...body, unknown: 1 }),
			JSON.stringify({ ...body, amount: '2.0' }),
			JSON.stringify({ ...body, amount: '002' }),
			JSON.stringify({ ...body, amount: 2 }),
			JSON.stringify({ ...body, amount: '@' }).replace('"@"', '20e-1'),
			JSON.stringify({ ...body, tag: null }),
			JSON.stringify({ ...body, fromNetwork: 'litecoin', toNetwork: 'Ethereum' }),
		];
		for (const raw of same) {
			const headers = { 'idempotency-key': key };
			const replay = await signed<CreatedOrder>(service.current(), partner(), '/api/v1/create', raw, { headers });
			expect([raw, replay.data?.id]).toEqual([raw, data.id]);
			expect(replay.data.token).toBeNull();
		}
	});

	it.each([
		['amount', '3'],
		['direction', 'to'],
		['fromCcy', 'BTC'],
		['toCcy', 'POL'],
		['toAddress', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
		['refundAddress', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
		['tag', 'a memo'],
		['afftax', 1],
	])('a replay with another body → code 1 with HTTP 409: %s', async (field, value) => {
		const key = newNonce();
		const first = await keyed(key);
		expect(first.code).toBe(0);
		const before = await ordersCount();
		const more = field === 'fromCcy' ? { refundAddress: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' } : {};
		const other = await keyed(key, { [field]: value, ...more });
		expect([other.text, other.status]).toEqual([REFUSED, 409]);
		expect(await ordersCount()).toBe(before);
		expect((await keyed(key)).data.id).toBe(first.data.id);
	});

	it('is per partner', async () => {
		const [key, other] = [newNonce(), await createPartner(service.current())];
		const mine = await keyed(key);
		// Another partner's key gives no access to my order, also when their create is refused.
		await withMaintenance(async () => expect((await keyed(key, {}, other)).text).toBe(MAINTENANCE));
		const theirs = await keyed(key, { amount: '3' }, other);
		expect(theirs.code).toBe(0);
		expect(theirs.data.id).not.toBe(mine.data.id);
		expect(theirs.data.token).toMatch(TOKEN);
		expect((await keyed(key)).data.id).toBe(mine.data.id);
	});

	it('without one every create makes a new order', async () => {
		const unkeyed = { headers: { 'idempotency-key': null } };
		const [first, second] = [await order({}, unkeyed), await order({}, unkeyed)];
		expect(first.data.token).toMatch(TOKEN);
		expect(second.data.token).toMatch(TOKEN);
		expect(second.data.id).not.toBe(first.data.id);
	});

	it.each([8, 36, 128])('of %i characters is accepted', async (length) => {
		const key = newNonce().repeat(4).slice(0, length);
		expect((await keyed(key)).data.token).toMatch(TOKEN);
		expect((await keyed(key)).data.token).toBeNull();
	});

	it.each([0, 1, 7, 129, 500])('of %i characters → 1', async (length) => {
		expect((await keyed('k'.repeat(length))).text).toBe(REFUSED);
	});

	it('of 20 concurrent creates with one key, one makes an order, and exactly one shows a token', async () => {
		const key = newNonce();
		const before = await ordersCount();
		const answers = await Promise.all(Array.from({ length: 20 }, () => keyed(key)));
		expect(answers.map(({ code }) => code)).toEqual(Array(20).fill(0));
		expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
		const tokens = answers.flatMap(({ data }) => data.token ?? []);
		expect(tokens).toHaveLength(1);
		expect(await ordersCount()).toBe(before + 1);
		const [shown] = answers.filter(({ data }) => data.token !== null);
		if (!shown) throw new Error('no token');
		expect((await readOrder(service.current(), partner(), shown.data)).id).toBe(shown.data.id);
	});

	it('of concurrent creates with one key and different bodies, one makes an order and the others get 409', async () => {
		const key = newNonce();
		const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => keyed(key, { amount: `${i + 1}` })));
		expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
		for (const { code, status, text } of answers) if (code !== 0) expect([text, status]).toEqual([REFUSED, 409]);
	});

	it('a refused create does not use up the key', async () => {
		const key = newNonce();
		expect((await keyed(key, { amount: '0.1' })).text).toBe(LIMIT_MIN);
		expect((await keyed(key, { amount: '100000' })).text).toBe(LIMIT_MAX);
		expect((await keyed(key, { toAddress: 'nowhere at all' })).text).toBe(REFUSED);
		await withMaintenance(async () => expect((await keyed(key)).text).toBe(MAINTENANCE));
		expect((await keyed(key)).data.token).toMatch(TOKEN);
	});

	it('a replay is answered also during maintenance', async () => {
		const key = newNonce();
		const { data } = await keyed(key);
		await withMaintenance(async () => {
			expect((await keyed(key)).data.id).toBe(data.id);
			await reload();
			expect((await keyed(key)).data.id).toBe(data.id);
			expect([(await keyed(key, { amount: '3' })).status]).toEqual([409]);
		});
	});

	it('a replay is answered whatever the limits', async () => {
		const key = newNonce();
		const { data } = await keyed(key);
		const insert =
			"INSERT INTO pair_settings (from_asset, to_asset, active, min_usd, max_usd) VALUES ('LTC', 'ETH', 1, 1000, 2000)";
		await withSql(insert, 'DELETE FROM pair_settings', async () => {
			await reload();
			expect((await order()).text).toBe(LIMIT_MIN);
			expect((await keyed(key)).data.id).toBe(data.id);
		});
		await withCap(0, async () => {
			expect((await order()).text).toBe(LIMIT_MAX);
			expect((await keyed(key)).data.id).toBe(data.id);
		});
	});

	it('a replay is answered also when the pair is no longer offered', async () => {
		const key = newNonce();
		const { data } = await keyed(key);
		await withSql(
			"INSERT INTO asset_settings (code, active) VALUES ('LTC', 0)",
			'DELETE FROM asset_settings',
			async () => {
				await reload();
				expect((await order()).text).toBe(REFUSED);
				expect((await keyed(key)).data.id).toBe(data.id);
			},
		);
	});

	it('a replay shows the current order, with the rate that it was made at', async () => {
		const key = newNonce();
		const { data } = await keyed(key);
		await service.current().operator('sandbox/deposit', { orders: [data.id] });
		await untilStatus(service.current(), partner(), data, 'DONE');
		const replay = await keyed(key);
		expect(replay.data).toMatchObject({ id: data.id, status: 'DONE', token: null, rate: data.rate });
	});

	it('a lost token makes the order unreachable: a replay never shows it again', async () => {
		const key = newNonce();
		await keyed(key);
		const replays = await Promise.all(Array.from({ length: 5 }, () => keyed(key)));
		expect(replays.map(({ data }) => data.token)).toEqual(Array(5).fill(null));
	});
});

describe('a unique externalId', () => {
	it('is answered in maintenance, like a replay by key', async () => {
		const unkeyed = { headers: { 'idempotency-key': null } };
		const unique = (externalId: string) => order({ externalId, externalIdUnique: true }, unkeyed);
		const { id } = (await unique('kept')).data;
		await withMaintenance(async () => {
			const [again, fresh] = [await unique('kept'), await unique('not kept')];
			expect([again.data, fresh.code]).toEqual([expect.objectContaining({ id, token: null }), 10]);
		});
	});
});
