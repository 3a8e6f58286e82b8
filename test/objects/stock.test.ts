/** The stock of free pay-in addresses, in the storage of a Durable Object. */
import { evictDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import type { SealedAddress } from '../../src/orders/seal.ts';
import { AddressStock } from '../../src/treasury/addresses/stock.ts';
import { bareObject } from './bindings.ts';

const address = (derivationIndex: number): SealedAddress => ({
	network: 'Litecoin',
	derivationIndex,
	address: `address ${derivationIndex}`,
	seal: `seal ${derivationIndex}`,
});
const addresses = (from: number, count: number) => Array.from({ length: count }, (_, i) => address(from + i));

it('gives each address once, the lowest index first, also after a restart', async () => {
	const agent = bareObject('drawn');
	await agent.run((state) => {
		const stock = new AddressStock(state.storage);
		stock.add(addresses(0, 5));
		expect(stock.draw('Litecoin', 2)).toEqual(addresses(0, 2));
	});
	await evictDurableObject(agent.stub);
	await agent.run((state) => {
		const stock = new AddressStock(state.storage);
		expect(stock.free()).toBe(3);
		expect(stock.draw('Litecoin', 10)).toEqual(addresses(2, 3));
		expect(stock.draw('Litecoin', 1)).toEqual([]);
	});
});

it('knows the next index when no address remains, also after a restart', async () => {
	const agent = bareObject('next index');
	await agent.run((state) => {
		const stock = new AddressStock(state.storage);
		expect(stock.nextIndex()).toBe(0);
		stock.add(addresses(0, 3));
		stock.draw('Litecoin', 3);
	});
	await evictDurableObject(agent.stub);
	await agent.run((state) => expect(new AddressStock(state.storage).nextIndex()).toBe(3));
});

it.each([
	['an index that it received before', [3, 2]],
	['an index twice in one answer', [3, 3]],
])('refuses %s and then adds no address of that answer', async (name, indexes) => {
	await bareObject(name).run((state) => {
		const stock = new AddressStock(state.storage);
		stock.add(addresses(0, 3));
		stock.draw('Litecoin', 3);
		expect(() => stock.add(indexes.map(address))).toThrow();
		expect([stock.free(), stock.nextIndex()]).toEqual([0, 3]);
	});
});
