import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { BroadcastRejected, InsufficientReserve, PaymentImpossible } from '../../src/chains/errors.ts';
import type { ObservedDeposit } from '../../src/chains/port.ts';
import type { SignedTransaction } from '../../src/chains/signing-port.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { textsOf } from '../support/reservations.ts';
import { newWorld, type World } from '../support/utxo-world.ts';

const COIN = 100_000_000n;
/** Litecoin's finality; the deepest of the three networks too. */
const FINAL = 6;

let node: Litecoind;
let miner = '';

beforeAll(async () => {
	node = await startLitecoind();
	miner = String(await node.rpc('getnewaddress'));
});
afterAll(() => node.stop());

async function pay(address: string, amount: bigint): Promise<string> {
	const txId = String(await node.rpc('sendtoaddress', address, fromBaseUnits(amount, 8)));
	// The node tells its other wallets in its own time.
	await node.rpc('syncwithvalidationinterfacequeue');
	return txId;
}

/** What the miner received at one of their addresses, mempool included. */
const received = async (address: string) => String(await node.rpc('getreceivedbyaddress', address, 0));
const minerAddress = async () => String(await node.rpc('getnewaddress'));

/** Double-spends the input of the miner's unconfirmed payment: back to the miner, at a higher fee. */
async function replace(txId: string): Promise<void> {
	const { decoded } = (await node.rpc('gettransaction', txId, true, true)) as {
		decoded: { vin: { txid: string; vout: number }[] };
	};
	const coins = decoded.vin.map(({ txid, vout }) => ({ txid, vout }));
	const raw = await node.rpc('createrawtransaction', coins, [{ [miner]: '0.5' }]);
	const { hex } = (await node.rpc('signrawtransactionwithwallet', raw)) as { hex: string };
	await node.rpc('sendrawtransaction', hex, 0);
}

let world: World;
beforeEach(async () => {
	world = await newWorld(node);
});

describe('a deposit', () => {
	test('is seen in the mempool, and becomes deeper with each block', async () => {
		const { cursor } = await world.chain.scan(null, async () => []);
		const txId = await pay(world.address(0), 123_456_789n);
		const inMempool = await world.deposits(cursor);
		expect(inMempool).toEqual([
			{
				txId,
				position: expect.stringMatching(/^\d+$/),
				address: world.address(0),
				asset: 'LTC',
				amount: 123_456_789n,
				confirmations: 0,
				height: null,
				irreversible: false,
			},
		]);
		expect(await world.chain.depths(inMempool)).toEqual([{ confirmations: 0, height: null, irreversible: false }]);

		await node.mine(1);
		const { deposits, height } = await world.chain.scan(cursor, async () => []);
		expect(deposits).toMatchObject([{ txId, confirmations: 1, height }]);
		await node.mine(2);
		expect(await world.chain.depths(deposits)).toEqual([{ confirmations: 3, height, irreversible: false }]);
	});

	test('is listed again by each scan until it is final', async () => {
		await pay(world.address(0), COIN);
		let { cursor } = await world.chain.scan(null, async () => []);
		for (let confirmations = 1; confirmations <= FINAL; confirmations++) {
			await node.mine(1);
			const scan = await world.chain.scan(cursor, async () => []);
			expect(scan.deposits).toMatchObject([{ confirmations }]);
			cursor = scan.cursor;
		}
	});

	test('that came between two polls is found from the old cursor', async () => {
		const { cursor } = await world.chain.scan(null, async () => []);
		const txId = await pay(world.address(0), COIN);
		await node.mine(20);
		expect(await world.deposits(cursor)).toMatchObject([{ txId, confirmations: 20 }]);
	});

	test('of two outputs in one transaction is two deposits', async () => {
		const amounts = { [world.address(0)]: '1', [world.address(1)]: '0.00012345' };
		const txId = await node.rpc('sendmany', '', amounts);
		// The node answers before its watching wallet has seen the transaction.
		await node.rpc('syncwithvalidationinterfacequeue');
		const deposits = await world.deposits();
		expect(deposits.map(({ address, amount }) => [address, amount])).toEqual(
			expect.arrayContaining([
				[world.address(0), COIN],
				[world.address(1), 12_345n],
			]),
		);
		expect(new Set(deposits.map(({ position }) => position)).size).toBe(2);
		expect(deposits.every((deposit) => deposit.txId === txId)).toBe(true);
	});

	test('goes back to the mempool when its block is reorganised away', async () => {
		const txId = await pay(world.address(0), COIN);
		const [block] = await node.mine(1);
		const { deposits, cursor } = await world.chain.scan(null, async () => []);
		// The first scan lists everything that the wallet has ever seen.
		expect(deposits).toMatchObject([{ txId, confirmations: 1 }]);
		await node.rpc('invalidateblock', block);
		// Its node is on a shorter branch now, as one that is a block behind: that is no reorganisation yet.
		expect(await world.deposits(cursor)).toMatchObject([{ confirmations: 1 }]);
		await node.rpc('generateblock', miner, []);
		const [again] = await world.deposits(cursor);
		expect(again).toMatchObject({ confirmations: 0, height: null });
		expect(again && (await world.chain.depths([again]))).toMatchObject([{ confirmations: 0 }]);
		await node.mine(1);
		expect(await world.deposits(cursor)).toMatchObject([{ confirmations: 1 }]);
	});

	test('is found after a reorganisation of the very block that the cursor names', async () => {
		const [block] = await node.mine(1);
		const { cursor } = await world.chain.scan(null, async () => []);
		await node.rpc('invalidateblock', block);
		await pay(world.address(0), COIN);
		await node.mine(2);
		expect(await world.deposits(cursor)).toMatchObject([{ confirmations: 2 }]);
	});

	test('that is double-spent is dropped, while in the mempool and after its block too', async () => {
		const txId = String(await node.rpc('sendtoaddress', world.address(0), '0.25', '', '', false, true));
		// The node tells its wallets of its mempool a moment later.
		await node.rpc('syncwithvalidationinterfacequeue');
		const { cursor, deposits } = await world.chain.scan(null, async () => []);
		expect(deposits).toMatchObject([{ txId, confirmations: 0 }]);
		await replace(txId);
		expect(await world.chain.depths(deposits)).toEqual([null]);
		expect(await world.deposits(cursor)).toEqual([]);
		await node.mine(1);
		expect(await world.chain.depths(deposits)).toEqual([null]);
		expect(await world.deposits(cursor)).toEqual([]);
	});
});

describe('registering', () => {
	test('is safe to repeat, and sees payments once', async () => {
		const again = [{ index: 0, address: world.address(0) }];
		await world.chain.register(again);
		await world.chain.register(again);
		await pay(world.address(0), COIN);
		expect(await world.deposits()).toHaveLength(1);
	});

	test('takes more addresses than fit into one call', async () => {
		const many = Array.from({ length: 230 }, (_, at) => ({ index: at, address: world.signer.payInAddress(at + 100) }));
		await world.chain.register(many);
		await pay(many[229]?.address ?? '', COIN);
		expect(await world.deposits()).toHaveLength(1);
	});

	test('of an address of another network fails', async () => {
		const foreign = [{ index: 0, address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh' }];
		await expect(world.chain.register(foreign)).rejects.toThrow(TypeError);
	});
});

describe('the signer', () => {
	const isFinal = ({ confirmations }: { confirmations: number }) => confirmations >= FINAL;

	test('counts a deposit when it is deep enough on the signer’s own node, and not one block before', async () => {
		await pay(world.address(0), COIN);
		await node.mine(1);
		const { cursor } = await world.chain.scan(null, async () => []);
		await pay(world.address(0), 2n * COIN);
		await node.mine(FINAL - 1);
		const deposits: readonly ObservedDeposit[] = await world.deposits(cursor);
		const second = deposits.filter(({ amount }) => amount === 2n * COIN);
		expect(second).toHaveLength(1);
		expect(await world.signer.finalAmount(second, isFinal, [])).toBe(0n);
		await node.mine(1);
		expect(await world.signer.finalAmount(second, isFinal, [])).toBe(2n * COIN);
		const lies = second.map((deposit) => ({ ...deposit, amount: 3n * COIN }));
		expect(await world.signer.finalAmount(lies, isFinal, [])).toBe(0n);
	});

	test('pays the exact amount out of final deposits, and the next payment out of the change', async () => {
		await pay(world.address(0), COIN);
		await pay(world.address(1), COIN);
		await node.mine(FINAL);
		expect(await world.chain.balance('LTC')).toBe(2n * COIN);

		const to = await minerAddress();
		const first = await world.sign({ to, amount: 150_000_001n });
		expect(first.spends).toHaveLength(2);
		await world.chain.broadcast(first.raw);
		expect(await received(to)).toBe('1.50000001');
		expect(await world.chain.transactionDepth(first.txId)).toMatchObject({ confirmations: 0, height: null });
		expect(await world.chain.balance('LTC')).toBe(2n * COIN - 150_000_001n - first.fee);

		const other = await minerAddress();
		const second = await world.sign({ to: other, amount: 10_000_000n });
		expect(textsOf(second.spends)).toEqual([expect.stringMatching(`^${first.txId}:`)]);
		await world.chain.broadcast(second.raw);
		expect(await received(other)).toBe('0.10000000');
		await node.mine(1);
		expect(await world.chain.transactionDepth(second.txId)).toMatchObject({ confirmations: 1 });
	});

	test('finds a payment that it has sent by its recipient, in the mempool and in a block', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const to = await minerAddress();
		const find = (recipient = to) => world.chain.paymentsTo?.('LTC', [recipient], 0);
		const signed = await world.sign({ to, amount: COIN / 4n });
		const paid = { txId: signed.txId, to, amount: COIN / 4n };
		expect(await find()).toEqual([]);
		await world.chain.broadcast(signed.raw);
		await node.rpc('syncwithvalidationinterfacequeue');
		expect(await find()).toEqual([paid]);
		await node.mine(1);
		expect(await find()).toEqual([paid]);
		expect(await find(await minerAddress())).toEqual([]);
		const hasPaid = (recipient: string, amount: bigint) =>
			world.signer.hasPaid(signed.txId, { asset: 'LTC', to: recipient, amount });
		expect([await hasPaid(to, COIN / 4n), await hasPaid(to, 1n)]).toEqual([true, false]);
		expect(await hasPaid(await minerAddress(), COIN / 4n)).toBe(false);
	});

	test('the node accepts its transactions to every kind of address, and sees the fee that it named', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const kinds = ['legacy', 'p2sh-segwit', 'bech32'].map((kind) => node.rpc('getnewaddress', '', kind));
		for (const to of (await Promise.all(kinds)).map(String)) {
			const signed = await world.sign({ to, amount: 10_000_000n });
			await world.chain.broadcast(signed.raw);
			const entry = (await node.rpc('getmempoolentry', signed.txId)) as { fees: { base: string }; vsize: number };
			expect(entry.fees.base).toBe(fromBaseUnits(signed.fee, 8).padEnd(10, '0'));
			expect(signed.fee).toBeGreaterThanOrEqual(2n * BigInt(entry.vsize));
			expect(await received(to)).toBe('0.10000000');
		}
	});

	test('leaves deposits that are not final, and strangers’ payments to the hot wallet, alone', async () => {
		await pay(world.address(0), COIN);
		await pay(world.signer.hotAddress(), COIN);
		await node.mine(FINAL - 1);
		expect(await world.chain.balance('LTC')).toBe(0n);
		await expect(world.sign({ to: miner, amount: 1_000_000n })).rejects.toThrow(InsufficientReserve);
		await node.mine(1);
		expect(await world.chain.balance('LTC')).toBe(2n * COIN);
		expect((await world.sign({ to: miner, amount: 150_000_000n })).spends).toHaveLength(2);
	});

	test('never spends again what a stored transaction spends, broadcast or not', async () => {
		await pay(world.address(0), COIN);
		await pay(world.address(1), COIN);
		await node.mine(FINAL);
		const first = await world.sign({ to: miner, amount: 50_000_000n });
		const second = await world.sign({ to: miner, amount: 50_000_000n });
		expect(second.spends).not.toEqual(first.spends);
		await expect(world.sign({ to: miner, amount: 50_000_000n })).rejects.toThrow(InsufficientReserve);
	});

	test('asked twice with the same state, signs the same transaction', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const first = await world.sign({ to: miner, amount: 50_000_000n });
		world.spent.clear();
		expect(await world.sign({ to: miner, amount: 50_000_000n })).toEqual(first);
	});

	test('says when the reserve is too small, and when a payment is impossible', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		await expect(world.sign({ to: miner, amount: COIN })).rejects.toThrow(InsufficientReserve);
		await expect(world.sign({ to: miner, amount: 5_459n })).rejects.toThrow(PaymentImpossible);
		await expect(world.sign({ to: 'nonsense', amount: 50_000n })).rejects.toThrow(PaymentImpossible);
		expect(await world.sign({ to: miner, amount: 5_460n })).toMatchObject({ spends: [{ kind: 'coin' }] });
	});

	test('chains unconfirmed change as far as nodes relay it, then waits for a block', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		let last: SignedTransaction | undefined;
		for (let payments = 0; payments < 21; payments++) {
			last = await world.sign({ to: miner, amount: 1_000_000n });
			await world.chain.broadcast(last.raw);
		}
		await expect(world.sign({ to: miner, amount: 1_000_000n })).rejects.toThrow(InsufficientReserve);
		await node.mine(1);
		expect(textsOf((await world.sign({ to: miner, amount: 1_000_000n })).spends)[0]).toMatch(`${last?.txId}:`);
	});
});

describe('a broadcast', () => {
	test('repeated in the mempool, in the chain and after all its outputs are spent, is success', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const first = await world.sign({ to: miner, amount: 10_000_000n });
		await world.chain.broadcast(first.raw);
		await world.chain.broadcast(first.raw);
		await node.mine(1);
		await world.chain.broadcast(first.raw);
		const everything = await node.rpc('getbalance');
		await node.rpc('sendtoaddress', await minerAddress(), everything, '', '', true);
		const second = await world.sign({ to: miner, amount: 80_000_000n });
		await world.chain.broadcast(second.raw);
		await node.mine(1);
		await world.chain.broadcast(first.raw);
	});

	test('of a transaction whose coin another one took is rejected', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const first = await world.sign({ to: miner, amount: 10_000_000n });
		world.spent.clear();
		const rival = await world.sign({ to: miner, amount: 20_000_000n });
		await world.chain.broadcast(rival.raw);
		await node.mine(1);
		await expect(world.chain.broadcast(first.raw)).rejects.toThrow(BroadcastRejected);
		expect(await world.chain.transactionDepth(first.txId)).toBeNull();
	});

	test('of a transaction with a broken signature is rejected', async () => {
		await pay(world.address(0), COIN);
		await node.mine(FINAL);
		const { raw, txId } = await world.sign({ to: miner, amount: 10_000_000n });
		// Before the end come the lock time (8 digits), the public key with its length (68), and then the signature.
		const inSignature = raw.length - 100;
		const flipped = raw[inSignature] === '0' ? '1' : '0';
		const broken = raw.slice(0, inSignature) + flipped + raw.slice(inSignature + 1);
		await expect(world.chain.broadcast(broken)).rejects.toThrow(BroadcastRejected);
		await expect(world.chain.broadcast('00')).rejects.toThrow(BroadcastRejected);
		expect(await world.chain.transactionDepth(txId)).toBeNull();
	});
});

describe('the other networks, on a node that stands in for theirs', () => {
	const LITECOIN = utxoParams(NETWORKS.Litecoin, 'regtest');

	test('Bitcoin: a deposit final after three blocks pays a payout', async () => {
		const bitcoin = await newWorld(node, NETWORKS.Bitcoin, {
			...utxoParams(NETWORKS.Bitcoin, 'regtest'),
			hrp: LITECOIN.hrp,
		});
		await pay(bitcoin.address(0), COIN);
		await node.mine(3);
		const to = await minerAddress();
		await bitcoin.chain.broadcast((await bitcoin.sign({ to, amount: 10_000_000n })).raw);
		expect(await received(to)).toBe('0.10000000');
	});

	test('Dash: legacy deposits and legacy change pay payouts', async () => {
		const params = { ...utxoParams(NETWORKS.Dash, 'regtest'), p2pkh: LITECOIN.p2pkh, p2sh: LITECOIN.p2sh };
		const dash = await newWorld(node, NETWORKS.Dash, params);
		await pay(dash.address(0), COIN);
		await pay(dash.address(1), COIN);
		await node.mine(FINAL);
		const to = String(await node.rpc('getnewaddress', '', 'legacy'));
		const first = await dash.sign({ to, amount: 150_000_000n });
		await dash.chain.broadcast(first.raw);
		const second = await dash.sign({ to, amount: 10_000_000n });
		expect(textsOf(second.spends)).toEqual([expect.stringMatching(`^${first.txId}:`)]);
		await dash.chain.broadcast(second.raw);
		expect(await received(to)).toBe('1.60000000');
	});
});
