/**
 * Part five: what does one poll of a chain cost with many addresses open? The poll is the agent's own (`pollChain`),
 * over a D1 with that many orders, at a real node behind a counter. The limits are counts: calls grow with batches of
 * 500 addresses, old addresses cost a hundredth, and on networks whose node knows the addresses the count is constant.
 */
import { bech32 } from '@scure/base';
import { drizzle } from 'drizzle-orm/d1';
import { nativeAsset } from '../../src/catalog/assets.ts';
import { type Network, networkNamed } from '../../src/catalog/networks.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import type { Chain } from '../../src/chains/port.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { pollChain } from '../../src/treasury/deposits/record.ts';
import { startAnvil } from '../support/anvil.ts';
import { startDatabase, type TestDatabase } from '../support/database.ts';
import { keepingOf } from '../support/keeping.ts';
import { startLitecoind } from '../support/litecoind.ts';
import { startLyingNode } from '../support/lying-node.ts';
import { median } from './report.ts';

/** Open addresses; the second is what the service is to bear. */
export const OPEN_ADDRESSES = [1_000, 10_000] as const;
/** Polls of which the median counts. */
const POLLS = 5;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PER_CALL = 500;
/** The most calls of a poll besides the batches of addresses: chain id, heads, lists. */
const FIXED_CALLS = 4;

export interface WatchCost {
	readonly network: string;
	readonly addresses: string;
	/** RPC calls of one poll, and their limit. */
	readonly calls: number;
	readonly limit: number;
	readonly milliseconds: number;
	/** How often the network is polled, seconds. */
	readonly pollSeconds: number;
}

/** A node behind a counter of its calls. */
interface Counted {
	readonly url: string;
	readonly calls: () => number;
	stop(): Promise<void>;
}

async function counted(target: string): Promise<Counted> {
	let calls = 0;
	const relay = await startLyingNode((_, told) => {
		calls += 1;
		return told;
	}, target);
	return { url: relay.url, calls: () => calls, stop: relay.stop };
}

export async function measureWatch(): Promise<WatchCost[]> {
	const database = await startDatabase();
	try {
		return [...(await onEthereum(database)), ...(await onLitecoin(database))];
	} finally {
		await database.stop();
	}
}

async function onEthereum(database: TestDatabase): Promise<WatchCost[]> {
	const network = networkNamed('Ethereum');
	const anvil = await startAnvil({ chainId: 1, automine: false });
	const node = await counted(anvil.url);
	try {
		await anvil.mine(10);
		const chain = evmChain(network, { urls: [node.url], chain: 'main' }, evmAddress(0));
		const costs: WatchCost[] = [];
		const addresses = addressesOf(evmAddress);
		for (const count of OPEN_ADDRESSES) {
			const limit = FIXED_CALLS + Math.ceil(count / PER_CALL);
			const open = { addresses: addresses.slice(0, count), age: -HOUR, label: `${count} open`, limit };
			costs.push(await measure({ database, network, chain, node }, open));
		}
		const limit = FIXED_CALLS + Math.ceil(addresses.length / 100 / PER_CALL);
		const old = { addresses, age: 20 * DAY, label: `${addresses.length}, 20 days old`, limit };
		costs.push(await measure({ database, network, chain, node }, old));
		return costs;
	} finally {
		await node.stop();
		await anvil.stop();
	}
}

async function onLitecoin(database: TestDatabase): Promise<WatchCost[]> {
	const network = networkNamed('Litecoin');
	const litecoind = await startLitecoind();
	const node = await counted(litecoind.url);
	try {
		const chain = utxoChain(network, { urls: [node.url], chain: 'regtest' }, litecoinAddress(0), keepingOf());
		const addresses = addressesOf(litecoinAddress);
		await chain.register(addresses.map((address, index) => ({ index, address })));
		const costs: WatchCost[] = [];
		for (const count of OPEN_ADDRESSES) {
			const open = { addresses: addresses.slice(0, count), age: -HOUR, label: `${count} open`, limit: FIXED_CALLS };
			costs.push(await measure({ database, network, chain, node }, open));
		}
		return costs;
	} finally {
		await node.stop();
		await litecoind.stop();
	}
}

const addressesOf = (at: (index: number) => string): string[] =>
	Array.from({ length: Math.max(...OPEN_ADDRESSES) }, (_, index) => at(index));

/** Random addresses: what a poll costs does not depend on who has the key. */
const bytesOf = (index: number): Uint8Array =>
	new Uint8Array(20)
		.fill(0xee)
		.with(0, index >> 8)
		.with(1, index & 255);

const evmAddress = (index: number): string => `0x${Buffer.from(bytesOf(index)).toString('hex')}`;

const litecoinAddress = (index: number): string => bech32.encode('rltc', [0, ...bech32.toWords(bytesOf(index))]);

interface Watching {
	readonly database: TestDatabase;
	readonly network: Network;
	readonly chain: Chain;
	readonly node: Counted;
}

interface Watched {
	readonly addresses: readonly string[];
	/** Milliseconds since the orders expired. */
	readonly age: number;
	readonly label: string;
	readonly limit: number;
}

async function measure(
	{ database, network, chain, node }: Watching,
	{ addresses, age, label, limit }: Watched,
): Promise<WatchCost> {
	const now = Date.now();
	await database.run('DELETE FROM orders');
	await database.addOrders({
		addresses,
		expiresAt: now - age,
		network: network.name,
		asset: nativeAsset(network.name),
	});
	const db = drizzle(database.d1);
	const times: number[] = [];
	const calls: number[] = [];
	let cursor: string | null = null;
	for (let count = 0; count <= POLLS; count++) {
		const before = node.calls();
		const started = performance.now();
		const poll = {
			db,
			network: network.name,
			chain,
			market: null,
			fees: {},
			now,
			lastPollAt: now,
			unseenSince: {},
			count,
			isIdle: false,
		};
		cursor = (await pollChain(poll, cursor)).cursor;
		times.push(performance.now() - started);
		calls.push(node.calls() - before);
	}
	return {
		network: network.name,
		addresses: label,
		// The first poll is a warm-up, in which a node is asked once whether it is on the right chain.
		calls: Math.max(...calls.slice(1)),
		limit,
		milliseconds: median(times.slice(1)),
		pollSeconds: network.pollSeconds,
	};
}
