/** All assets on the sandbox: listed, paid in to real addresses, swapped across families (book: contract, "Assets"). */
import { beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, allAssets, assetOf, type Coin, nativeAsset } from '../../src/catalog/assets.ts';
import { type Family, NETWORK_NAMES, type Network, networkNamed } from '../../src/catalog/networks.ts';
import { isEvmAddress } from '../../src/chains/evm/address.ts';
import { isMoneroAddress } from '../../src/chains/monero/address.ts';
import { isSolanaAddress } from '../../src/chains/solana/address.ts';
import { isTronAddress } from '../../src/chains/tron/address.ts';
import { isUtxoAddress } from '../../src/chains/utxo/address.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { configuredVariables } from '../../src/local/environment.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const IDS = [
	'BTC',
	'ETH',
	'BNB',
	'SOL',
	'TRX',
	'XMR',
	'LTC',
	'ETHARB',
	'POL',
	'AVAX',
	'DASH',
	'ETHOP',
	'USDTERC20',
	'USDTBEP20',
	'USDTARB',
	'USDTPOL',
	'USDTAVAX',
	'USDTOP',
	'USDTSOL',
	'USDTTRC20',
	'USDCERC20',
	'USDCBEP20',
	'USDCARB',
	'USDCPOL',
	'USDCAVAX',
	'USDCOP',
	'USDCSOL',
	'DAIERC20',
	'DAIBEP20',
	'DAIARB',
	'DAIPOL',
	'DAIAVAX',
	'DAIOP',
];

/** Amounts worth 150 to 300 USD at the sandbox's default prices. */
const AMOUNT: Readonly<Record<Coin, string>> = {
	BTC: '0.002',
	ETH: '0.06',
	BNB: '0.2',
	SOL: '1.5',
	TRX: '700',
	XMR: '0.5',
	LTC: '2',
	POL: '800',
	AVAX: '10',
	DASH: '4',
	USDT: '150',
	USDC: '150',
	DAI: '150',
};

const ACCEPTED: Readonly<Record<Family, (text: string, network: Network) => boolean>> = {
	utxo: (text, network) => network.family === 'utxo' && isUtxoAddress(text, utxoParams(network, 'main')),
	evm: isEvmAddress,
	solana: isSolanaAddress,
	tron: isTronAddress,
	monero: isMoneroAddress,
};

const TRANSACTION_ID: Readonly<Record<Family, RegExp>> = {
	utxo: /^[0-9a-f]{64}$/,
	evm: /^0x[0-9a-f]{64}$/,
	solana: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
	tron: /^[0-9a-f]{64}$/,
	monero: /^[0-9a-f]{64}$/,
};

const familyOf = (asset: AssetId): Family => networkNamed(assetOf(asset).network).family;

const orderOf = (from: AssetId, to: AssetId, more: Record<string, unknown> = {}) => ({
	fromCcy: from,
	toCcy: to,
	amount: AMOUNT[assetOf(from).coin],
	toAddress: ADDRESS_ON[assetOf(to).network],
	refundAddress: ADDRESS_ON[assetOf(from).network],
	...more,
});

describe('the catalog', () => {
	it('lists exactly the 33 assets of the book, all of them received and sent', async () => {
		const { data } = await call<{ code: string; recv: boolean; send: boolean; precision: number }[]>(
			service.current(),
			'/api/v1/currencies',
			{},
		);
		expect(data.map(({ code }) => code)).toEqual(IDS);
		expect(data.every(({ recv, send }) => recv && send)).toBe(true);
		expect(data.find(({ code }) => code === 'USDTBEP20')?.precision).toBe(8);
		expect(data.find(({ code }) => code === 'USDTERC20')?.precision).toBe(6);
	});

	it('pairs each of them with each other one', async () => {
		const { data } = await call<{ from: string; to: string }[]>(service.current(), '/api/v1/pairs', {});
		expect(data).toHaveLength(33 * 32);
		expect(new Set(data.map(({ from, to }) => `${from} ${to}`)).size).toBe(33 * 32);
	});
});

describe('every asset as a source', () => {
	it.each(allAssets())('$code: a pay-in address of $network, another one for each order', async ({ code, network }) => {
		const to = code === 'LTC' ? 'ETH' : 'LTC';
		const orders = await Promise.all([1, 2].map(() => create(service.current(), partner, orderOf(code, to))));
		expect(orders.map((order) => order.code)).toEqual([0, 0]);
		const addresses = orders.map(({ data }) => data.from.address);
		expect(new Set(addresses).size).toBe(2);
		for (const address of addresses)
			expect(ACCEPTED[networkNamed(network).family](address, networkNamed(network))).toBe(true);
		expect(orders.map(({ data }) => [data.from.code, data.from.network])).toEqual([
			[code, network],
			[code, network],
		]);
	});
});

describe('a swap across families', () => {
	it.each([
		['XMR', 'USDTTRC20'],
		['SOL', 'LTC'],
		['USDTERC20', 'XMR'],
		['DAIBEP20', 'USDCSOL'],
	] as const)('%s to %s goes to DONE', async (from, to) => {
		const { data } = await create(service.current(), partner, orderOf(from, to));
		await service.current().operator('sandbox/deposit', { orders: [data.id] });
		const done = await untilStatus(service.current(), partner, data, 'DONE');
		expect(done.from.tx.id).toMatch(TRANSACTION_ID[familyOf(from)]);
		expect(done.from.tx.amount).toBe(AMOUNT[assetOf(from).coin]);
		expect(done.to.tx.id).toMatch(TRANSACTION_ID[familyOf(to)]);
		expect(done.to.tx.amount).toBe(done.to.amount);
	});
});

describe('a coin with a network hint', () => {
	it.each([
		['tron', 0],
		['ETHEREUM', 0],
		['Monero', 1],
		[undefined, 1],
	])('USDT with the hint %s: code %d', async (fromNetwork, code) => {
		const refundAddress = fromNetwork === 'tron' ? ADDRESS_ON.Tron : ADDRESS_ON.Ethereum;
		const body = orderOf('USDTTRC20', 'LTC', { fromCcy: 'USDT', fromNetwork, refundAddress });
		expect((await create(service.current(), partner, body)).code).toBe(code);
	});
});

describe('a token deposit worth less than its own network fee', () => {
	it('is recorded and changes no status, whatever the fee in the network’s native coin', async () => {
		const { data } = await create(service.current(), partner, orderOf('USDTTRC20', 'LTC'));
		await service.current().operator('sandbox/deposit', { orders: [data.id], amount: '1.9' });
		const [row] = await eventually('the deposit to be recorded', async () => {
			const rows = await service
				.current()
				.sql<{ dust: number; state: string }>('SELECT dust, state FROM deposits WHERE order_id = ?', data.id);
			return rows.length > 0 && rows;
		});
		expect(row).toEqual({ dust: 1, state: 'final' });
		expect((await readOrder(service.current(), partner, data)).status).toBe('NEW');
	});
});

describe('addresses', () => {
	const foreign = NETWORK_NAMES.flatMap((network) =>
		NETWORK_NAMES.filter((other) => ADDRESS_ON[other] !== ADDRESS_ON[network]).map(
			(other) => [network, other] as const,
		),
	);

	it.each(NETWORK_NAMES)('%s takes its own', async (network) => {
		const to = nativeAsset(network);
		const from = to === 'LTC' ? 'ETH' : 'LTC';
		expect((await create(service.current(), partner, orderOf(from, to))).code).toBe(0);
	});

	it.each(foreign)('%s refuses those of %s, for payouts and refunds', async (network, other) => {
		const asset = nativeAsset(network);
		const partnerAsset = asset === 'LTC' ? 'ETH' : 'LTC';
		const payout = orderOf(partnerAsset, asset, { toAddress: ADDRESS_ON[other] });
		const refund = orderOf(asset, partnerAsset, { refundAddress: ADDRESS_ON[other] });
		expect((await create(service.current(), partner, payout)).code).toBe(1);
		expect((await create(service.current(), partner, refund)).code).toBe(1);
	});
});

describe('networks on real nodes', () => {
	it('start only with a valid configuration', () => {
		const variables = {
			NODE_URL_MONERO: 'http://127.0.0.1:9',
			NODE_CHAIN_MONERO: 'regtest',
			NODE_POLL_SECONDS_MONERO: 'often',
		};
		expect(() => configuredVariables(variables)).toThrow('NODE_POLL_SECONDS_MONERO is no whole number');
	});
});
