/**
 * Well-formed addresses that no order may pay or refund to: code 1 (book: contract, "POST /api/v1/create").
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { allAssets, nativeAsset } from '../../src/catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../../src/catalog/networks.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { create, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const REFUSED = '{"code":1,"msg":"INVALID_REQUEST"}';
let partner: Credentials;

/** Creates an order that pays `address` on `network`. */
const paying = (network: NetworkName, address: string) => {
	const toCcy = nativeAsset(network);
	const from = toCcy === 'LTC' ? 'BTC' : 'LTC';
	const refundAddress = from === 'BTC' ? ADDRESS_ON.Bitcoin : LTC_REFUND;
	const amount = from === 'BTC' ? '0.01' : '2';
	return create(service.current(), partner, { fromCcy: from, toCcy, toAddress: address, refundAddress, amount });
};

/** Creates an order that refunds to `address` on `network`. Direction `to` needs no amount in its coin. */
const refunding = (network: NetworkName, address: string) => {
	const fromCcy = nativeAsset(network);
	const [toCcy, toAddress, amount] = fromCcy === 'ETH' ? ['LTC', LTC_REFUND, '2'] : ['ETH', ETH_RECIPIENT, '0.06'];
	return create(service.current(), partner, {
		fromCcy,
		toCcy,
		toAddress,
		amount,
		direction: 'to',
		refundAddress: address,
	});
};

/** Tries the address as recipient and refund address, and that an unrelated address of the same form is accepted. */
async function expectRefused(network: NetworkName, address: string): Promise<void> {
	const answers = [await paying(network, address), await refunding(network, address)];
	expect([address, ...answers.map(({ text }) => text)]).toEqual([address, REFUSED, REFUSED]);
}

const payInOf = async (network: NetworkName): Promise<string> => {
	const { data } = await refunding(network, ADDRESS_ON[network]);
	return data.from.address;
};

beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	await eventually('every network to be quoted', async () => {
		const codes = await Promise.all(NETWORK_NAMES.map(async (name) => (await paying(name, ADDRESS_ON[name])).code));
		return codes.every((code) => code === 0);
	});
});

describe('a recipient at which coins would be lost is refused, as toAddress and as refundAddress', () => {
	it.each(NETWORK_NAMES)('our own pay-in address on %s', async (network) => {
		await expectRefused(network, await payInOf(network));
	});

	it.each(NETWORK_NAMES)('our hot wallet on %s', async (network) => {
		await expectRefused(network, await service.current().hotAddress(network));
	});

	it('our own pay-in address on another EVM network, in any case of its letters', async () => {
		const address = await payInOf('Polygon');
		for (const text of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
			await expectRefused('Ethereum', text);
			await expectRefused('Arbitrum', text);
		}
		await expectRefused('BSC', (await service.current().hotAddress('Ethereum')).toLowerCase());
	});

	it('our own bech32 address in capitals', async () => {
		await expectRefused('Bitcoin', (await payInOf('Bitcoin')).toUpperCase());
		await expectRefused('Litecoin', (await service.current().hotAddress('Litecoin')).toUpperCase());
	});

	it('the contract of every token that we list', async () => {
		const tokens = allAssets().filter(({ contract }) => contract !== undefined);
		expect(tokens).toHaveLength(21);
		for (const { network, contract = '' } of tokens) expect((await paying(network, contract)).text).toBe(REFUSED);
		await expectRefused('Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
		await expectRefused('Ethereum', '0xdac17f958d2ee523a2206206994597c13d831ec7');
	});

	it.each<[NetworkName, string]>([
		['Ethereum', '0x000000000000000000000000000000000000dEaD'],
		['Polygon', '0x0000000000000000000000000000000000001010'],
		['Avalanche', '0xffffffffffffffffffffffffffffffffffffffff'],
		['Bitcoin', '1BitcoinEaterAddressDontSendf59kuE'],
		['Bitcoin', '1111111111111111111114oLvT2'],
		['Bitcoin', 'BC1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ9E75RS'],
		['Litecoin', 'LKDxGDJq5fF4FohAB8zJH24mDDNHDNtqsE'],
		['Dash', 'XagqqFetxiDb9wbartKDrXgnqLah6SqX2S'],
		['Tron', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
		['Tron', 'T9yD14Nj9j7xAB4dbGeiX9h8upfCg3PBbY'],
		['Solana', '11111111111111111111111111111111'],
		['Solana', '1nc1nerator11111111111111111111111111111111'],
		['Solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
	])('a burn address or system account: %s %s', async (network, address) => {
		await expectRefused(network, address);
	});

	it('a partner’s earnings cannot be paid there either', async () => {
		const wanted = { id: partner.id, payoutAsset: 'ETH', payoutAddress: '0x000000000000000000000000000000000000dEaD' };
		await expect(service.current().operator('partner/update', wanted)).rejects.toThrow(/not an address/);
	});
});

it('the check uses indexes and scans no orders', async () => {
	const trigger = await service
		.current()
		.sql<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'orders_own_address'");
	const condition = /WHEN([\s\S]*)BEGIN/.exec(trigger[0]?.sql ?? '')?.[1]?.replaceAll(/NEW\.\w+/g, '?1') ?? '';
	const plan = await service.current().sql<{ detail: string }>(`EXPLAIN QUERY PLAN SELECT ${condition}`, 'x');
	const steps = plan.map(({ detail }) => detail).filter((detail) => /orders/.test(detail));
	expect(steps).toHaveLength(3);
	for (const step of steps) expect(step).toMatch(/^SEARCH orders USING .*INDEX/);
	expect(steps.at(-1)).toContain('orders_hexadecimal_pay_in');
	expect(NETWORK_NAMES.filter((name) => networkNamed(name).family === 'evm')).toHaveLength(6);
});
