/**
 * Anyone who knows a pay-in address can send it tens of thousands of outputs, at cents a hundred. On a real node: no
 * other deposit waits for them, no balance is wrong, and payments are signed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import type { ObservedDeposit } from '../../src/chains/port.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { textsOf } from '../support/reservations.ts';
import { flood } from '../support/utxo-flood.ts';
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

let node: Litecoind;
let world: World;

beforeAll(async () => {
	node = await startLitecoind();
	// What the miner's own wallet pays by default: the node's estimate is then the lowest rate.
	world = await newWorld(node, NETWORKS.Litecoin, { ...utxoParams(NETWORKS.Litecoin, 'regtest'), minFeeRate: 10_000n });
});
afterAll(() => node.stop());

const pay = async (address: string, amount: bigint) =>
	String(await node.rpc('sendtoaddress', address, fromBaseUnits(amount, 8)));

describe('a flood of 23 200 small outputs in one block', () => {
	const seen = new Map<string, ObservedDeposit>();
	let cursor: string | null = null;
	let notes: readonly string[] = [];

	/** One poll of the service. */
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
		await flood(node, world.address(0), { transactions: TRANSACTIONS, outputs: OUTPUTS, amount: SMALLEST });
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

	test('is joined, hundreds of outputs at a time and for a small part of their worth; what they prove stays proven', async () => {
		const before = await world.chain.balance('LTC');
		const quote = await world.chain.consolidation?.();
		const joined = await world.consolidate();
		expect(joined).toMatchObject({ amount: quote?.amount, fee: quote?.fee });
		expect(joined.spends).toHaveLength(300);
		expect(quote?.coins).toBe(300);
		expect(joined.fee * 3n).toBeLessThanOrEqual(300n * SMALLEST);
		expect(joined.amount + joined.fee).toBe(300n * SMALLEST);
		await world.chain.broadcast(joined.raw);
		await node.mine(FINAL);
		expect(await world.chain.balance('LTC')).toBe(before - joined.fee);
		expect(await world.chain.holdings('LTC', [])).toBe(before - joined.fee);
		const { vout } = (await node.rpc('decoderawtransaction', joined.raw)) as {
			vout: { scriptPubKey: { addresses: string[] } }[];
		};
		expect(vout.map(({ scriptPubKey }) => scriptPubKey.addresses)).toEqual([[world.signer.hotAddress()]]);
		const refs = textsOf(joined.spends)
			.map((spend) => seen.get(spend))
			.filter((ref) => ref !== undefined);
		expect(refs).toHaveLength(300);
		const proven = await world.signer.finalAmount(refs, ({ confirmations }) => confirmations >= FINAL, []);
		expect(proven).toBe(300n * SMALLEST);
		// Others each time, and never what was joined before.
		const next = await world.consolidate();
		expect(textsOf(next.spends).some((spend) => textsOf(joined.spends).includes(spend))).toBe(false);
	});
});
