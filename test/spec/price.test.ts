/** `POST /api/v1/price` (book: contract, "Quote", "Amounts"). Sandbox prices: LTC 95, ETH 3200. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const REFUSED = '{"code":1,"msg":"INVALID_REQUEST"}';
const VALID = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };

interface Side {
	readonly amount: string;
	readonly rate: string;
	readonly min: string;
	readonly max: string;
	readonly usd: string;
}
interface Quote {
	readonly from: Side;
	readonly to: Side;
	readonly markupBps: number;
}

let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const price = (body: unknown, by = partner): Promise<Answer<Quote>> =>
	signed<Quote>(service.current(), by, '/api/v1/price', body);
const quote = (more: Record<string, unknown> = {}, by = partner): Promise<Answer<Quote>> =>
	price({ ...VALID, ...more }, by);
/** A body with the amount as these JSON characters. */
const written = (amount: string, more: Record<string, unknown> = {}): Promise<Answer<Quote>> =>
	price(JSON.stringify({ ...VALID, ...more, amount: '@' }).replace('"@"', amount));

const setPrice = (coin: string, usd: string) => service.current().operator('sandbox/price', { coin, usd });

async function withSettings(statement: string, undo: string, run: () => Promise<void>): Promise<void> {
	await service.current().sql(statement);
	try {
		await setPrice('LTC', '95');
		await run();
	} finally {
		await service.current().sql(undo);
		await setPrice('LTC', '95');
	}
}

describe('the quote', () => {
	it('has every field of the contract, and no other', async () => {
		const { data, status, headers } = await quote();
		expect(status).toBe(200);
		expect(headers.get('cache-control')).toBe('no-store');
		expect(data).toEqual({
			from: {
				code: 'LTC',
				coin: 'LTC',
				network: 'Litecoin',
				amount: '2',
				// 95 / 3200 × 0.995
				rate: '0.0295390625',
				precision: 8,
				min: '0.42105264',
				max: '526.31578947',
				usd: '190.00',
				btc: '0',
			},
			to: {
				code: 'ETH',
				coin: 'ETH',
				network: 'Ethereum',
				// 2 × 0.0295390625 − 0.00005
				amount: '0.05902812',
				rate: '0.0295390625',
				precision: 8,
				min: '0.0123875',
				max: '15.54682499',
				usd: '188.88',
			},
			errors: [],
			markupBps: 0,
		});
	});

	it('direction from: the deposit is echoed, the receive amount is derived', async () => {
		const { data } = await quote({ amount: '10' });
		expect([data.from.amount, data.to.amount]).toEqual(['10', '0.29534062']);
	});

	it('direction to: the receive amount is echoed, the deposit is derived and rounded up', async () => {
		const { data } = await quote({ direction: 'to', amount: '0.29534062' });
		expect([data.from.amount, data.to.amount]).toEqual(['9.99999984', '0.29534062']);
		expect(data.from.usd).toBe('949.99');
	});

	it('assets of one coin on several networks differ by id', async () => {
		const { data } = await quote({ fromCcy: 'ETHARB', toCcy: 'ETHOP', amount: '1' });
		expect(data.from).toMatchObject({ code: 'ETHARB', coin: 'ETH', network: 'Arbitrum' });
		expect(data.to).toMatchObject({
			code: 'ETHOP',
			coin: 'ETH',
			network: 'Optimism',
			rate: '0.995',
			amount: '0.994995',
		});
	});

	it('to.amount is 0 when the result is not positive', async () => {
		expect((await quote({ amount: '0.00000001' })).data.to).toMatchObject({ amount: '0', usd: '0.00' });
	});

	it.each(['0.00000001', '0.42105263', '526.31578948', '999999999', '9'.repeat(30)])(
		'amounts outside the bounds are not refused: %s',
		async (amount) => {
			for (const direction of ['from', 'to']) {
				const { code, data } = await quote({ amount, direction });
				expect(code).toBe(0);
				expect([data.from.min, data.from.max]).toEqual(['0.42105264', '526.31578947']);
			}
		},
	);
});

describe('amounts', () => {
	it.each(['2', '2.0', '2.50000000', '002', '0.00000001'])('text is echoed as it was written: %s', async (amount) => {
		expect((await quote({ amount })).data.from.amount).toBe(amount);
		expect((await quote({ amount, direction: 'to' })).data.to.amount).toBe(amount);
	});

	it.each([
		['2', '2'],
		['2.50', '2.50'],
		['0.1', '0.1'],
		['1e-7', '0.0000001'],
		['1E-7', '0.0000001'],
		['2.5e+1', '25'],
		['9007199254740993', '9007199254740993'],
		['123456789012345678901234567890', '123456789012345678901234567890'],
		['0.12345678', '0.12345678'],
	])('the JSON number %s is read by its exact decimal text', async (number, text) => {
		const { code, data } = await written(number);
		expect(code).toBe(0);
		expect(data.from.amount).toBe(text);
		expect(data.to.amount).toBe((await quote({ amount: text })).data.to.amount);
	});

	it.each([
		'0',
		'0.0',
		'-1',
		'1.123456789',
		'1e-9',
		'1e30',
		'1e400',
		'-1e-400',
		'0.000000010',
		'"0"',
		'"0.00000000"',
		'"-1"',
		'"+1"',
		'""',
		'" 1"',
		'"1 "',
		'"1."',
		'".5"',
		'"1,5"',
		'"1e3"',
		'"0x1"',
		'"NaN"',
		'"Infinity"',
		'"1.123456789"',
		'"1.000000000"',
		'"1\\u0000"',
		`"${'9'.repeat(31)}"`,
		'null',
		'true',
		'[]',
		'["1"]',
		'{}',
		'{"text":"1"}',
	])('zero, negative, unparseable, or with more decimals than the precision → 1: %s', async (amount) => {
		expect((await written(amount)).text).toBe(REFUSED);
		expect((await written(amount, { direction: 'to' })).text).toBe(REFUSED);
	});
});

describe('the body', () => {
	it.each(['type', 'fromCcy', 'toCcy', 'direction', 'amount'])('without %s → 1', async (field) => {
		const { [field]: _, ...rest } = VALID as Record<string, unknown>;
		expect((await price(rest)).text).toBe(REFUSED);
	});

	it.each([
		['type', 'fixed'],
		['type', 'FLOAT'],
		['type', null],
		['direction', 'both'],
		['direction', 'From'],
		['direction', ''],
		['fromCcy', 'DOGE'],
		['fromCcy', 'ltc'],
		['fromCcy', ''],
		['fromCcy', 7],
		['fromCcy', ['LTC']],
		['fromCcy', '__proto__'],
		['toCcy', 'LTC'],
		['toCcy', 'ETHTRX'],
		['toCcy', null],
	])('%s: %j → 1', async (field, value) => {
		expect((await quote({ [field]: value })).text).toBe(REFUSED);
	});

	it('unknown fields are ignored', async () => {
		expect((await quote({ toAddress: 1, hello: {} })).code).toBe(0);
	});
});

describe('afftax', () => {
	it.each([
		[0, '0.0295390625'],
		[1, '0.02953609375'],
		[100, '0.0292421875'],
		[2000, '0.0236015625'],
	])('%i basis points: markupBps echoes it, and the rate includes it', async (afftax, rate) => {
		const { data } = await quote({ afftax });
		expect(data.markupBps).toBe(afftax);
		expect([data.from.rate, data.to.rate]).toEqual([rate, rate]);
	});

	it('null for an optional field means absent', async () => {
		const { code, data } = await quote({ afftax: null, fromNetwork: null, toNetwork: null });
		expect([code, data.markupBps]).toEqual([0, 0]);
	});

	it.each([-1, 2001, 1.5, '100', true, [], 1e21])('%j → 1, never clamped', async (afftax) => {
		expect((await quote({ afftax })).text).toBe(REFUSED);
		const headers = { 'cf-connecting-ip': '192.0.2.1' };
		expect((await call(service.current(), '/api/v1/price', { ...VALID, afftax }, { headers })).text).toBe(REFUSED);
	});

	it('without one the partner’s default applies', async () => {
		const dear = await createPartner(service.current(), { afftaxBps: 100 });
		expect((await quote({}, dear)).data).toMatchObject({ markupBps: 100, from: { rate: '0.0292421875' } });
		expect((await quote({ afftax: 0 }, dear)).data).toMatchObject({ markupBps: 0, from: { rate: '0.0295390625' } });
	});

	it('bounds do not depend on it', async () => {
		const { data } = await quote({ afftax: 2000 });
		expect([data.from.min, data.from.max]).toEqual(['0.42105264', '526.31578947']);
	});
});

describe('every call uses the latest price snapshot', () => {
	it('a changed price is in the next quote', async () => {
		try {
			await setPrice('ETH', '1600');
			expect((await quote()).data.to).toMatchObject({ rate: '0.059078125', amount: '0.11810625', usd: '188.97' });
		} finally {
			await setPrice('ETH', '3200');
		}
		expect((await quote()).data.to.rate).toBe('0.0295390625');
	});

	it('exact at prices that a float cannot represent', async () => {
		try {
			await setPrice('ETH', '3000.000000000000000001');
			// 95 × 0.995 / 3000.000000000000000001, to 18 significant digits
			expect((await quote()).data.from.rate).toBe('0.0315083333333333333');
		} finally {
			await setPrice('ETH', '3200');
		}
	});

	it('the base fee is the operator’s', async () => {
		const undo = 'UPDATE site SET base_fee_bps = 50';
		await withSettings('UPDATE site SET base_fee_bps = 0', undo, async () => {
			expect((await quote()).data.from.rate).toBe('0.0296875');
		});
		expect((await quote()).data.from.rate).toBe('0.0295390625');
	});

	it('from.min and from.max derive from the pair’s own USD floor and ceiling', async () => {
		const insert =
			"INSERT INTO pair_settings (from_asset, to_asset, active, min_usd, max_usd) VALUES ('LTC', 'ETH', 1, 95, 190)";
		await withSettings(insert, 'DELETE FROM pair_settings', async () => {
			expect((await quote()).data).toMatchObject({
				from: { min: '1', max: '2' },
				// 1 × rate − fee and 2 × rate − fee, down
				to: { min: '0.02948906', max: '0.05902812' },
			});
			expect((await quote({ toCcy: 'BTC' })).data.from.min).toBe('0.42105264');
		});
	});

	it('the floor is never below what covers the network fee', async () => {
		const insert =
			"INSERT INTO pair_settings (from_asset, to_asset, active, min_usd, max_usd) VALUES ('LTC', 'ETH', 1, 0, 190)";
		await withSettings(insert, 'DELETE FROM pair_settings', async () => {
			const { data } = await quote();
			// (0.00005 + 0.00000001) / rate, up
			expect(data.from.min).toBe('0.00169302');
			expect(Number((await quote({ amount: data.from.min })).data.to.amount)).toBeGreaterThan(0);
		});
	});
});

describe('network hints, as on create', () => {
	it('select one asset of a coin on several networks, in any case', async () => {
		for (const toNetwork of ['Tron', 'tron']) {
			const { code, data } = await quote({ toCcy: 'USDT', toNetwork });
			expect([code, (data.to as Side & { code: string }).code]).toEqual([0, 'USDTTRC20']);
		}
		const from = await quote({ fromCcy: 'USDC', fromNetwork: 'Solana', toCcy: 'LTC', amount: '100' });
		expect([from.code, (from.data.from as Side & { code: string }).code]).toEqual([0, 'USDCSOL']);
	});

	it.each([
		['a coin on several networks without one', { toCcy: 'USDT' }],
		['one that contradicts an exact id', { toCcy: 'ETH', toNetwork: 'Arbitrum' }],
		['a network that does not have the coin', { toCcy: 'USDC', toNetwork: 'Tron' }],
		['no text', { toNetwork: 7 }],
	])('%s → 1', async (_, more) => {
		expect((await quote(more)).text).toBe(REFUSED);
	});
});
