/** What partners may ask about assets, pairs and addresses beyond the contract (book: contract, "Beyond the contract"). */
import { beforeAll, describe, expect, it } from 'vitest';
import { createBody, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Answer, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const post = <T = Record<string, unknown>>(path: string, body: unknown = {}): Promise<Answer<T>> =>
	signed<T>(service.current(), partner, `/api/v1/${path}`, body);

describe('validate-address', () => {
	it.each([
		[
			{ ccy: 'LTC', address: LTC_REFUND },
			{ valid: true, code: 'LTC', network: 'Litecoin' },
		],
		[
			{ ccy: 'ETH', address: ETH_RECIPIENT },
			{ valid: true, code: 'ETH', network: 'Ethereum' },
		],
		[
			{ ccy: 'USDT', network: 'tron', address: ETH_RECIPIENT },
			{ valid: false, code: 'USDTTRC20', network: 'Tron' },
		],
		[
			{ ccy: 'LTC', address: `${LTC_REFUND}x` },
			{ valid: false, code: 'LTC', network: 'Litecoin' },
		],
		[
			{ ccy: 'LTC', address: '' },
			{ valid: false, code: 'LTC', network: 'Litecoin' },
		],
		// A token's own contract: create refuses it too.
		[
			{ ccy: 'ETH', address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
			{ valid: false, code: 'ETH', network: 'Ethereum' },
		],
	])('%j is %j', async (body, data) => {
		expect((await post('validate-address', body)).data).toEqual(data);
	});

	it('of an unknown asset → 1', async () => {
		expect((await post('validate-address', { ccy: 'USDT', address: ETH_RECIPIENT })).code).toBe(1);
	});
});

describe('limits', () => {
	interface Limits {
		readonly from: string;
		readonly to: string;
		readonly open: boolean;
	}

	it('has every pair of pairs, and the window that price shows for it', async () => {
		const { data } = await call<Limits[]>(service.current(), '/api/v1/limits', '{}');
		const { data: pairs } = await call<Limits[]>(service.current(), '/api/v1/pairs', '{}');
		expect(data.map(({ from, to }) => [from, to])).toEqual(pairs.map(({ from, to }) => [from, to]));
		const quote = { ...createBody(), fromCcy: 'LTC', toCcy: 'ETH' };
		const { data: price } = await post<Record<'from' | 'to', { min: string; max: string }>>('price', quote);
		expect(data.find(({ from, to }) => from === 'LTC' && to === 'ETH')).toEqual({
			from: 'LTC',
			to: 'ETH',
			open: true,
			fromMin: price.from.min,
			fromMax: price.from.max,
			toMin: price.to.min,
			toMax: price.to.max,
		});
	});
});

describe('currencies', () => {
	it('have their chain and contract where the body asks for it, and every field as ever where it does not', async () => {
		interface Currency {
			readonly code: string;
			readonly chainId?: number | null;
			readonly contract?: string | null;
		}
		const { data } = await post<Currency[]>('currencies', { with: ['chain'] });
		const { data: usual } = await post<Currency[]>('currencies');
		expect(data.map(({ chainId: _, contract: __, ...rest }) => rest)).toEqual(usual);
		const of = (code: string) => data.find((each) => each.code === code);
		expect(of('LTC')).toMatchObject({ chainId: null, contract: null });
		expect(of('ETH')).toMatchObject({ chainId: 1, contract: null });
		expect(of('USDTERC20')).toMatchObject({ chainId: 1, contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' });
		expect(of('USDTTRC20')).toMatchObject({ chainId: null, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' });
	});

	it.each(['{"with":["x"]}', '{"with":["chain"],"x":1}', '{"with":"chain"}', '{ }', '{"x":1}'])(
		'%s → 1',
		async (body) => {
			expect((await post('currencies', body)).code).toBe(1);
		},
	);
});

describe('assets', () => {
	interface Asset {
		readonly code: string;
		readonly asset: string;
		readonly payment: string | null;
	}
	const assets = async () => (await call<Asset[]>(service.current(), '/api/v1/assets', '{}')).data;

	it('have what a wallet needs, without a signature', async () => {
		const all = await assets();
		const { data: currencies } = await post<{ code: string }[]>('currencies');
		expect(all.map(({ code }) => code)).toEqual(currencies.map(({ code }) => code));
		expect(all.find(({ code }) => code === 'USDTARB')).toEqual({
			code: 'USDTARB',
			asset: 'eip155:42161/erc20:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
			coin: 'USDT',
			network: 'Arbitrum',
			name: 'Tether USD (Arbitrum)',
			recv: true,
			send: true,
			chainId: 42161,
			contract: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
			decimals: 6,
			precision: 6,
			confirmations: expect.any(Number),
			minutes: expect.any(Number),
			explorer: 'https://arbiscan.io/tx/{tx}',
			payment: 'ethereum:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9@42161/transfer?address={address}&uint256={units}',
			logo: null,
		});
	});

	it('are taken by chain and contract wherever an id is, and answered by their id', async () => {
		const all = await assets();
		const named = (code: string) => all.find((each) => each.code === code)?.asset ?? '';
		const quote = { ...createBody(), fromCcy: named('USDTERC20').toLowerCase(), toCcy: named('LTC'), amount: '100' };
		expect((await post('price', quote)).data).toMatchObject({ from: { code: 'USDTERC20' }, to: { code: 'LTC' } });
		const body = createBody({ fromCcy: named('LTC'), toCcy: named('ETH') });
		expect((await post('create', body)).data).toMatchObject({ from: { code: 'LTC' }, to: { code: 'ETH' } });
		const checked = await post('validate-address', { ccy: named('LTC'), network: 'litecoin', address: LTC_REFUND });
		expect(checked.data).toMatchObject({ valid: true, code: 'LTC' });
	});

	it.each([
		['eip155:1/erc20:0x0000000000000000000000000000000000000001', undefined],
		['eip155:5/slip44:60', undefined],
		['eip155:1', undefined],
		['EIP155:1/slip44:60', undefined],
		['eip155:1/slip44:60', 'Arbitrum'],
		['__proto__', undefined],
	])('%s with the hint %s → 1', async (ccy, network) => {
		expect((await post('validate-address', { ccy, network, address: ETH_RECIPIENT })).code).toBe(1);
	});
});
