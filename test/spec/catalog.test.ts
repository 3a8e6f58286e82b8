/** `currencies` and `pairs` (book: contract, "Currency", "Pair", "Assets"). */
import { beforeAll, describe, expect, it } from 'vitest';
import { create } from '../support/orders.ts';
import { type Answer, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();

/** Tokens by coin: the suffixes of their ids and the networks they stand for (book: contract, "Assets"). */
const TOKEN_NETWORKS = {
	ERC20: 'Ethereum',
	BEP20: 'BSC',
	ARB: 'Arbitrum',
	POL: 'Polygon',
	AVAX: 'Avalanche',
	OP: 'Optimism',
	SOL: 'Solana',
	TRC20: 'Tron',
} as const;
const tokens = (
	coin: string,
	suffixes: readonly (keyof typeof TOKEN_NETWORKS)[],
	precision: (suffix: string) => number,
) => suffixes.map((suffix) => [`${coin}${suffix}`, coin, TOKEN_NETWORKS[suffix], precision(suffix)] as const);
/** Six decimals, except on BSC; quotes have at most eight. */
const dollar = (suffix: string): number => (suffix === 'BEP20' ? 8 : 6);

/** code, coin, network, precision. */
const ASSETS = [
	['BTC', 'BTC', 'Bitcoin', 8],
	['ETH', 'ETH', 'Ethereum', 8],
	['BNB', 'BNB', 'BSC', 8],
	['SOL', 'SOL', 'Solana', 8],
	['TRX', 'TRX', 'Tron', 6],
	['XMR', 'XMR', 'Monero', 8],
	['LTC', 'LTC', 'Litecoin', 8],
	['ETHARB', 'ETH', 'Arbitrum', 8],
	['POL', 'POL', 'Polygon', 8],
	['AVAX', 'AVAX', 'Avalanche', 8],
	['DASH', 'DASH', 'Dash', 8],
	['ETHOP', 'ETH', 'Optimism', 8],
	...tokens('USDT', ['ERC20', 'BEP20', 'ARB', 'POL', 'AVAX', 'OP', 'SOL', 'TRC20'], dollar),
	...tokens('USDC', ['ERC20', 'BEP20', 'ARB', 'POL', 'AVAX', 'OP', 'SOL'], dollar),
	...tokens('DAI', ['ERC20', 'BEP20', 'ARB', 'POL', 'AVAX', 'OP'], () => 8),
] as const;
const CODES: readonly string[] = ASSETS.map(([code]) => code);

interface Currency {
	readonly code: string;
	readonly network: string;
	readonly send: boolean;
}
interface Pair {
	readonly from: string;
	readonly to: string;
}

let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const list = <T>(path: 'currencies' | 'pairs', body = '{}'): Promise<Answer<T[]>> =>
	signed<T[]>(service.current(), partner, `/api/v1/${path}`, body);
const codes = async (): Promise<string[]> => (await list<Currency>('currencies')).data.map(({ code }) => code);
const pairs = async (): Promise<string[]> => (await list<Pair>('pairs')).data.map(({ from, to }) => `${from}>${to}`);

/** Settings are read again for each snapshot. Setting a sandbox price makes a snapshot. */
const reload = () => service.current().operator('sandbox/price', { coin: 'LTC', usd: '95' });

/** Runs with these rows of settings, and removes them afterwards. */
async function withSettings(insert: string, table: string, run: () => Promise<void>): Promise<void> {
	await service.current().sql(insert);
	try {
		await reload();
		await run();
	} finally {
		await service.current().sql(`DELETE FROM ${table}`);
		await reload();
	}
}

describe('currencies', () => {
	it('lists every asset with every field of the contract, and no other', async () => {
		const { data, status } = await list('currencies');
		expect(status).toBe(200);
		expect(data).toEqual(
			ASSETS.map(([code, coin, network, precision]) => ({
				code,
				coin,
				network,
				name: expect.any(String),
				recv: true,
				send: true,
				tag: null,
				logo: null,
				color: null,
				minAmount: null,
				maxAmount: null,
				precision,
			})),
		);
	});

	it('send is false when payouts are not enabled on the asset’s network', async () => {
		const insert = "INSERT INTO network_settings (name, send, receive) VALUES ('Dash', 0, 1)";
		await withSettings(insert, 'network_settings', async () => {
			const { data } = await list<Currency>('currencies');
			expect(data.filter(({ send }) => !send).map(({ code }) => code)).toEqual(['DASH']);
			expect((await pairs()).filter((pair) => pair.includes('DASH'))).toEqual(
				CODES.filter((code) => code !== 'DASH').map((code) => `DASH>${code}`),
			);
		});
	});

	it('holds only what is accepted as deposit', async () => {
		const insert = "INSERT INTO network_settings (name, send, receive) VALUES ('Dash', 1, 0)";
		await withSettings(insert, 'network_settings', async () => {
			expect(await codes()).toEqual(CODES.filter((code) => code !== 'DASH'));
			expect((await pairs()).filter((pair) => pair.includes('DASH'))).toEqual(
				CODES.filter((code) => code !== 'DASH').map((code) => `${code}>DASH`),
			);
		});
	});

	it('a deactivated asset is in neither list, and can be neither quoted nor ordered', async () => {
		const insert = "INSERT INTO asset_settings (code, active) VALUES ('LTC', 0)";
		await withSettings(insert, 'asset_settings', async () => {
			expect(await codes()).toEqual(CODES.filter((code) => code !== 'LTC'));
			const listed = await pairs();
			expect(listed).toHaveLength(32 * 31);
			expect(listed.filter((pair) => pair.includes('LTC'))).toEqual([]);
			expect((await quote('LTC', 'ETH')).text).toBe('{"code":1,"msg":"INVALID_REQUEST"}');
			expect((await quote('ETH', 'LTC')).text).toBe('{"code":1,"msg":"INVALID_REQUEST"}');
			expect((await create(service.current(), partner)).text).toBe('{"code":1,"msg":"INVALID_REQUEST"}');
		});
	});
});

const quote = (fromCcy: string, toCcy: string) =>
	signed(service.current(), partner, '/api/v1/price', {
		type: 'float',
		fromCcy,
		toCcy,
		direction: 'from',
		amount: '1',
	});

describe('pairs', () => {
	it('lists every pair with every field of the contract, and no other', async () => {
		const expected = ASSETS.flatMap(([from, , fromNetwork]) =>
			ASSETS.filter(([to]) => to !== from).map(([to, , toNetwork]) => ({
				from,
				to,
				fromNetwork,
				toNetwork,
				rateTypes: ['FLOAT'],
			})),
		);
		const { data } = await list('pairs');
		expect(data).toHaveLength(33 * 32);
		expect(data).toEqual(expected);
	});

	it('every listed pair is quotable', async () => {
		const answers = await Promise.all(
			(await list<Pair>('pairs')).data.map(async ({ from, to }) => [from, to, (await quote(from, to)).code]),
		);
		expect(answers.filter(([, , code]) => code !== 0)).toEqual([]);
	});

	it('a deactivated pair is left out, but not its opposite direction', async () => {
		const insert =
			"INSERT INTO pair_settings (from_asset, to_asset, active, min_usd, max_usd) VALUES ('LTC', 'ETH', 0, 40, 50000)";
		await withSettings(insert, 'pair_settings', async () => {
			const listed = await pairs();
			expect(listed).not.toContain('LTC>ETH');
			expect(listed).toContain('ETH>LTC');
			expect((await quote('LTC', 'ETH')).code).toBe(1);
			expect((await create(service.current(), partner)).code).toBe(1);
		});
	});
});

describe.each(['currencies', 'pairs'] as const)('%s', (path) => {
	it('carries Cache-Control: no-store', async () => {
		expect((await list(path)).headers.get('cache-control')).toBe('no-store');
	});

	it('accepts {} or zero bytes only', async () => {
		expect((await list(path, '')).code).toBe(0);
		expect((await list(path, '{}')).code).toBe(0);
		for (const body of ['{ }', ' {}', '{}\n', '[]', 'null', '{"a":1}', '{"network":"Bitcoin"}', '{}{}', '{', '0']) {
			const answer = await list(path, body);
			expect([body, answer.text]).toEqual([body, '{"code":1,"msg":"INVALID_REQUEST"}']);
		}
	});

	it('unsigned callers may omit the auth headers, and see the same', async () => {
		const headers = { 'cf-connecting-ip': '192.0.2.1' };
		const unsigned = await call(service.current(), `/api/v1/${path}`, '{}', { headers });
		expect(unsigned.text).toBe((await list(path)).text);
		expect((await call(service.current(), `/api/v1/${path}`, undefined, { headers })).text).toBe(unsigned.text);
	});
});

describe('both lists', () => {
	it('are at most 30 s behind the settings', async () => {
		await service.current().sql("INSERT INTO asset_settings (code, active) VALUES ('DASH', 0)");
		try {
			const isGone = async () => ![...(await codes()), ...(await pairs())].join().includes('DASH');
			await eventually('DASH to be left out', isGone, 30_000);
		} finally {
			await service.current().sql('DELETE FROM asset_settings');
			await reload();
		}
	});
});
