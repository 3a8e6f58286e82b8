/** Fee bumps (BIP125) on a real node: "fee bumps spend the same inputs", and at most one version ever confirms. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { BroadcastRejected, InsufficientReserve, PaymentImpossible } from '../../src/chains/errors.ts';
import { decodeReservation } from '../../src/chains/reservations.ts';
import type { SignedTransaction } from '../../src/chains/signing-port.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { freeLosers } from '../../src/signer/payouts/decided.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { textsOf } from '../support/reservations.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';
import { newWorld, type World } from '../support/utxo-world.ts';

const COIN = 100_000_000n;
const FINAL = 6;
const AMOUNT = 10_000_000n;
/** The lowest rate of Litecoin's parameters, base units per vB; the node estimates none on this chain. */
const FLOOR = 2;

let node: Litecoind;
let world: World;
let to = '';

beforeAll(async () => {
	node = await startLitecoind();
});
afterAll(() => node.stop());
beforeEach(async () => {
	world = await newWorld(node);
	to = String(await node.rpc('getnewaddress', '', 'bech32'));
	await deposit(0);
});

async function deposit(index: number, coins = '1'): Promise<void> {
	await node.rpc('sendtoaddress', world.address(index), coins);
	await node.mine(FINAL);
}

interface Entry {
	readonly vsize: number;
	readonly fees: { readonly base: string; readonly ancestor: string };
	readonly ancestorsize: number;
}

const entryOf = async (txId: string) => (await node.rpc('getmempoolentry', txId)) as Entry;
const mempool = async () => (await node.rpc('getrawmempool')) as string[];
const received = async () => String(await node.rpc('getreceivedbyaddress', to, 0));
/** A block with these transactions and no others. */
const mineOnly = async (...raws: string[]) => node.rpc('generateblock', await node.rpc('getnewaddress'), raws);
const baseUnits = (coins: string | number): bigint => BigInt(Math.round(Number(coins) * Number(COIN)));

interface Decoded {
	readonly vin: { readonly txid: string; readonly vout: number; readonly sequence: number }[];
	readonly vout: { readonly value: string; readonly scriptPubKey: { readonly addresses: string[] } }[];
}
const decode = async (raw: string) => (await node.rpc('decoderawtransaction', raw)) as Decoded;

describe('a payment that no block takes', () => {
	test('is replaced by the same payment from the same coins at a higher fee, and again', async () => {
		const first = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(first.raw);
		await mineOnly();
		expect(await world.chain.transactionDepth(first.txId)).toMatchObject({ confirmations: 0 });

		const second = await world.replace(first, { to, amount: AMOUNT });
		await world.chain.broadcast(second.raw);
		expect(await mempool()).toEqual([second.txId]);
		expect(await world.chain.transactionDepth(first.txId)).toBeNull();
		const third = await world.replace(second, { to, amount: AMOUNT });
		await world.chain.broadcast(third.raw);
		expect(await mempool()).toEqual([third.txId]);

		const [before, after] = [await decode(first.raw), await decode(third.raw)];
		expect(after.vin.map(({ txid, vout }) => `${txid}:${vout}`)).toEqual(textsOf(first.spends));
		expect(after.vout[0]).toEqual(before.vout[0]);
		expect(after.vout[1]?.scriptPubKey.addresses).toEqual([world.signer.hotAddress()]);
		const { fees, vsize } = await entryOf(third.txId);
		expect(baseUnits(fees.base)).toBe(third.fee);
		expect(Number(third.fee - second.fee)).toBeGreaterThanOrEqual(FLOOR * vsize);
		expect(Number(second.fee - first.fee)).toBeGreaterThanOrEqual(FLOOR * vsize);

		await node.mine(1);
		expect(await received()).toBe('0.10000000');
		expect(await world.chain.transactionDepth(third.txId)).toMatchObject({ confirmations: 1, fee: third.fee });
		for (const { txId, raw } of [first, second]) {
			expect(await world.chain.transactionDepth(txId)).toBeNull();
			await expect(world.chain.broadcast(raw)).rejects.toMatchObject({ taken: true });
		}
	});

	test('pays once also where a miner takes the version that was replaced', async () => {
		const first = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(first.raw);
		const second = await world.replace(first, { to, amount: AMOUNT });
		await world.chain.broadcast(second.raw);
		await mineOnly(first.raw);
		expect(await world.chain.transactionDepth(first.txId)).toMatchObject({ confirmations: 1 });
		expect(await world.chain.transactionDepth(second.txId)).toBeNull();
		await expect(world.chain.broadcast(second.raw)).rejects.toThrow(BroadcastRejected);
		expect(await received()).toBe('0.10000000');
	});

	test('lends its change to nothing until all its versions are decided for good', async () => {
		const first = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(first.raw);
		const second = await world.replace(first, { to, amount: AMOUNT });
		await expect(world.sign({ to, amount: AMOUNT })).rejects.toThrow(InsufficientReserve);
		await world.chain.broadcast(second.raw);
		await node.mine(FINAL - 1);
		await expect(world.sign({ to, amount: AMOUNT })).rejects.toThrow(InsufficientReserve);
		await node.mine(1);
		expect(textsOf((await world.sign({ to, amount: AMOUNT })).spends)).toEqual([`${second.txId}:1`]);
	});

	test('lends its change to another only where no coin in a block is left', async () => {
		await deposit(1, '0.2');
		const first = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(first.raw);
		const second = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(second.raw);
		expect(textsOf(second.spends)).not.toContain(`${first.txId}:1`);
		expect(textsOf((await world.sign({ to, amount: AMOUNT * 3n })).spends)).toEqual([`${first.txId}:1`]);
	});

	test('is left alone where a later one spends its change; that one pays for both', async () => {
		const parent = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(parent.raw);
		const child = await world.sign({ to, amount: AMOUNT });
		await world.chain.broadcast(child.raw);
		await expect(world.replace(parent, { to, amount: AMOUNT })).rejects.toThrow(PaymentImpossible);
		const raised = await world.replace(child, { to, amount: AMOUNT });
		await world.chain.broadcast(raised.raw);
		expect((await mempool()).toSorted()).toEqual([parent.txId, raised.txId].toSorted());
		const { fees, ancestorsize } = await entryOf(raised.txId);
		expect(baseUnits(fees.ancestor)).toBe(parent.fee + raised.fee);
		expect(Number(parent.fee + raised.fee)).toBeGreaterThanOrEqual(FLOOR * ancestorsize);
		await node.mine(1);
		expect(await received()).toBe('0.20000000');
	});

	test('without change takes one more deep coin, and where there is none stays as it is', async () => {
		// All but the fee of one input and one output at the floor.
		const amount = COIN - 220n;
		const first = await world.sign({ to, amount });
		expect((await decode(first.raw)).vout).toHaveLength(1);
		await world.chain.broadcast(first.raw);
		await expect(world.replace(first, { to, amount })).rejects.toThrow(PaymentImpossible);
		await node.rpc('sendtoaddress', world.address(1), '0.5');
		await expect(world.replace(first, { to, amount })).rejects.toThrow(PaymentImpossible);
		for (let blocks = 0; blocks < FINAL; blocks++) {
			const others = (await mempool()).filter((txId) => txId !== first.txId);
			await mineOnly(...others);
		}
		const second = await world.replace(first, { to, amount });
		await world.chain.broadcast(second.raw);
		const { vin } = await decode(second.raw);
		expect(vin).toHaveLength(2);
		expect(second.spends).toEqual(expect.arrayContaining([...first.spends]));
		await node.mine(1);
		expect(await world.chain.transactionDepth(second.txId)).toMatchObject({ confirmations: 1 });
	});

	test('gives back the coin that only a later version took, once the earlier one is final and not before', async () => {
		const journal = new Journal(sqliteStorage());
		const record = (payoutId: string, transaction: SignedTransaction, amount: bigint) =>
			journal.record({
				payoutId,
				orderId: payoutId,
				kind: 'payout',
				network: 'Litecoin',
				transaction,
				deposits: [],
				payment: { id: payoutId, asset: 'LTC', to, amount },
				fromNetwork: 'Litecoin',
				day: '2026-11-20',
				usdCents: 0,
				now: Date.now(),
			});
		const { takenBy = () => [] } = world.signer;
		const free = () => freeLosers({ network: 'Litecoin', takenBy, chain: world.chain, versions: journal.versions });
		const known = new Set<string>();
		const locked = () => {
			const spends = journal.spends({ network: 'Litecoin', payIn: null, now: Date.now() });
			return [...known].filter((spend) => spends.has(decodeReservation(spend)));
		};
		const amount = COIN - 220n;
		const first = await world.sign({ to, amount });
		record('one', first, amount);
		await deposit(1, '0.5');
		const second = await world.replace(first, { to, amount });
		const version = { payoutId: 'one', network: 'Litecoin', version: 1, transaction: second } as const;
		journal.recordVersion({ ...version, day: '2026-11-20', usdCents: 0, now: Date.now() });
		const [extra = ''] = textsOf(second.spends).filter((spend) => !textsOf(first.spends).includes(spend));
		for (const spend of textsOf([...first.spends, ...second.spends])) known.add(spend);
		await free();
		expect(locked()).toContain(extra);
		await mineOnly(first.raw);
		await node.mine(FINAL - 2);
		await free();
		expect(locked()).toContain(extra);
		await node.mine(1);
		await free();
		expect(new Set(locked())).toEqual(new Set(textsOf(first.spends)));

		world.spent.clear();
		for (const spend of locked()) world.spent.add(decodeReservation(spend));
		const next = await world.sign({ to, amount: AMOUNT });
		expect(textsOf(next.spends)).toEqual([extra]);
		record('two', next, AMOUNT);
		expect(locked()).toContain(extra);
	});

	test.each([
		['another amount', async () => ({ to, amount: AMOUNT + 1n })],
		['another recipient', async () => ({ to: String(await node.rpc('getnewaddress')), amount: AMOUNT })],
	])('is never replaced by a payment of %s', async (_, terms) => {
		const first = await world.sign({ to, amount: AMOUNT });
		await expect(world.replace(first, await terms())).rejects.toThrow(PaymentImpossible);
		const other = await world.replace(first, { to, amount: AMOUNT });
		// The bytes of one version under the id of another prove nothing.
		await expect(world.replace({ ...first, raw: other.raw }, { to, amount: AMOUNT })).rejects.toThrow(
			PaymentImpossible,
		);
	});
});

describe('replacing', () => {
	test('ends at the ceiling of the network’s fees', async () => {
		const cheap = { ...utxoParams(NETWORKS.Litecoin, 'regtest'), maxFee: 800n };
		world = await newWorld(node, NETWORKS.Litecoin, cheap);
		await deposit(0);
		const first = await world.sign({ to, amount: AMOUNT });
		const second = await world.replace(first, { to, amount: AMOUNT });
		expect(second.fee).toBeLessThanOrEqual(800n);
		await expect(world.replace(second, { to, amount: AMOUNT })).rejects.toThrow(PaymentImpossible);
	});

	test('is signalled on Bitcoin and Litecoin, and on Dash done only where no node holds the payment: those replace none', async () => {
		const litecoin = utxoParams(NETWORKS.Litecoin, 'regtest');
		const bitcoin = { ...utxoParams(NETWORKS.Bitcoin, 'regtest'), hrp: litecoin.hrp };
		const dash = { ...utxoParams(NETWORKS.Dash, 'regtest'), p2pkh: litecoin.p2pkh, p2sh: litecoin.p2sh };
		const sequences = [];
		for (const [network, params] of [
			[NETWORKS.Litecoin, litecoin],
			[NETWORKS.Bitcoin, bitcoin],
			[NETWORKS.Dash, dash],
		] as const) {
			world = await newWorld(node, network, params);
			await deposit(0);
			const legacy = String(await node.rpc('getnewaddress', '', 'legacy'));
			const first = await world.sign({ to: legacy, amount: AMOUNT });
			sequences.push((await decode(first.raw)).vin[0]?.sequence);
			if (network.name !== 'Dash') continue;
			const second = await world.replace(first, { to: legacy, amount: AMOUNT });
			const inputs = async ({ raw }: SignedTransaction) =>
				(await decode(raw)).vin.map(({ txid, vout }) => [txid, vout]);
			expect(await inputs(second)).toEqual(await inputs(first));
			await world.chain.broadcast(second.raw);
			await expect(world.replace(second, { to: legacy, amount: AMOUNT })).rejects.toThrow('replace nothing');
			await expect(world.chain.broadcast(first.raw)).rejects.toThrow(BroadcastRejected);
		}
		expect(sequences).toEqual([0xfffffffd, 0xfffffffd, 0xfffffffe]);
	});
});
