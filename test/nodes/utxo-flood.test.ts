/**
 * Whoever knows a pay-in address may send it outputs by the ten thousand, for cents each hundred. On a real node: nobody
 * else's deposit waits for that, no balance is wrong, and payments are signed.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import type { ObservedDeposit } from '../../src/chains/port.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { hotKey } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { signedTransaction } from '../../src/chains/utxo/transaction.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { newWorld, type World } from '../support/utxo-world.ts';

const COIN = 100_000_000n;
const FINAL = 6;
/** The smallest output that Litecoin's nodes relay. */
const SMALLEST = 2_940n;
/** As many as fit one standard transaction; eight of these fit one block. */
const OUTPUTS = 2_900;
const TRANSACTIONS = 8;
const FLOOD = BigInt(OUTPUTS * TRANSACTIONS) * SMALLEST;
const DEPOSIT = 20_000_000n;

const params = utxoParams(NETWORKS.Litecoin, 'regtest');
const attacker = hotKey(createHash('sha512').update('attacker').digest(), params);

let node: Litecoind;
let world: World;

beforeAll(async () => {
	node = await startLitecoind();
	world = await newWorld(node);
});
afterAll(() => node.stop());

const pay = async (address: string, amount: bigint) =>
	String(await node.rpc('sendtoaddress', address, fromBaseUnits(amount, 8)));

/** A coin of the attacker's for each transaction, and the transactions. */
async function flood(address: string): Promise<void> {
	const fee = 200_000n;
	const amount = BigInt(OUTPUTS) * SMALLEST + fee;
	const funding = [];
	for (let i = 0; i < TRANSACTIONS; i++) funding.push(await pay(attacker.address, amount));
	await node.mine(1);
	for (const txId of funding) {
		const { details } = (await node.rpc('gettransaction', txId)) as { details: { vout: number; address: string }[] };
		const vout = details.find((detail) => detail.address === attacker.address)?.vout ?? -1;
		const script = scriptOf(address, params);
		if (!script) throw new TypeError(address);
		const outputs = Array.from({ length: OUTPUTS }, () => ({ script, amount: SMALLEST }));
		const { raw } = signedTransaction([{ txId, vout, amount, key: attacker }], outputs, false);
		await node.rpc('sendrawtransaction', raw);
	}
	await node.rpc('syncwithvalidationinterfacequeue');
}

describe('a flood of 23 200 small outputs in one block', () => {
	const seen = new Map<string, ObservedDeposit>();
	let cursor: string | null = null;
	let notes: readonly string[] = [];

	/** One look of the service. */
	async function look(): Promise<readonly ObservedDeposit[]> {
		const scan = await world.chain.scan(cursor, async () => []);
		cursor = scan.cursor;
		notes = scan.unread ?? [];
		for (const deposit of scan.deposits) seen.set(`${deposit.txId}:${deposit.position}`, deposit);
		return scan.deposits;
	}
	const floodSeen = () => [...seen.values()].filter(({ amount }) => amount === SMALLEST).length;

	beforeAll(async () => {
		await pay(world.address(2), COIN);
		await node.mine(FINAL);
		await look();
		await flood(world.address(0));
	});

	test('in the mempool hides no deposit that a block holds, and what is not read is said', async () => {
		const txId = await pay(world.address(1), DEPOSIT);
		await node.rpc('generateblock', await node.rpc('getnewaddress'), [txId]);
		expect(await look()).toEqual(expect.arrayContaining([expect.objectContaining({ txId, confirmations: 1 })]));
		expect(notes).toEqual([expect.stringContaining('the mempool holds more payments to us than can be read')]);
	});

	test('in a block is itself seen to the last output, and keeps the scan from nothing that comes later', async () => {
		await node.mine(1);
		for (let looks = 0; looks < 3 && floodSeen() < OUTPUTS * TRANSACTIONS; looks++) await look();
		expect(floodSeen()).toBe(OUTPUTS * TRANSACTIONS);
		expect([...seen.values()].filter(({ amount }) => amount === SMALLEST)).toSatisfy((all: ObservedDeposit[]) =>
			all.every(({ confirmations, height }) => confirmations === 1 && height !== null),
		);
		const txId = await pay(world.address(1), DEPOSIT);
		await node.rpc('syncwithvalidationinterfacequeue');
		expect(await look()).toEqual(expect.arrayContaining([expect.objectContaining({ txId, confirmations: 0 })]));
		await node.mine(FINAL);
		const later = await look();
		expect(later).toEqual(expect.arrayContaining([expect.objectContaining({ txId, confirmations: FINAL })]));
		// The flood is behind the cursor, which never returns to it.
		expect(later.length).toBeLessThan(10);
		expect(notes).toEqual([]);
	});

	test('is in the balance to the last base unit, and in what the ledger check compares', async () => {
		const all = COIN + 2n * DEPOSIT + FLOOD;
		expect(await world.chain.balance('LTC')).toBe(all);
		expect(await world.chain.holdings('LTC', [])).toBe(all);
	});

	test('keeps no payment from being signed, from the largest coins', async () => {
		const to = String(await node.rpc('getnewaddress', '', 'bech32'));
		const amount = COIN + DEPOSIT;
		const signed = await world.sign({ to, amount });
		expect(signed.spends).toHaveLength(3);
		await world.chain.broadcast(signed.raw);
		await node.mine(1);
		const change = COIN + 2n * DEPOSIT - amount - signed.fee;
		expect(await world.chain.balance('LTC')).toBe(FLOOD + change);
	});
});
