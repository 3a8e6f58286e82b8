/** Deposits of the coin of an EVM network, on a real node (anvil): what a scan finds, and how deep it is. */
import { describe, expect, it } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { strangers } from '../support/anvil.ts';
import { anvil, COIN, chain, ethereum, hexOf, refOf, relay, useEthereum } from '../support/ethereum.ts';
import { FORWARDER, hesitant, REGRETTER, REVERTING } from '../support/evm-code.ts';
import { type CoinMoves, coinMoves, known, watching } from '../support/evm-coin.ts';

const REGRETTER_HASH = '5e'.repeat(20);
const REGRETTER_ADDRESS = `0x${REGRETTER_HASH}`;
const HESITANT = hesitant(REGRETTER_HASH);

let customer: CoinMoves;

useEthereum(async () => {
	customer = coinMoves(ethereum);
	await anvil.mine(40);
});

describe('scan', () => {
	it('finds a deposit with its transaction, its amount and its depth', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		const txId = await ethereum.pay(address, COIN);
		await anvil.mine(2);
		const scan = await chain.scan(cursor, watching(address));
		const deposit = { txId, position: 'native', address, asset: 'ETH', amount: COIN };
		const depth = { confirmations: 3, irreversible: true, height: (await ethereum.height()) - 2 };
		expect(scan).toEqual({
			deposits: [{ ...deposit, ...depth }],
			cursor: String(await ethereum.height()),
			height: await ethereum.height(),
		});
	});

	it('finds nothing where nothing is new', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await ethereum.pay(address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		await anvil.mine(3);
		const again = await chain.scan(cursor, watching(known(address, deposits)));
		expect(again.deposits).toEqual([]);
	});

	it('tells two deposits to one address apart, in two blocks and in one', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		const sent = [await ethereum.pay(address, 1n), await ethereum.pay(address, 2n)];
		sent.push(
			await customer.submit({ to: address, value: hexOf(3n) }),
			await customer.submit({ to: address, value: hexOf(3n) }),
		);
		await anvil.mine(1);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(({ txId }) => txId).sort()).toEqual(sent.sort());
		expect(deposits.reduce((sum, { amount }) => sum + amount, 0n)).toBe(9n);
	});

	it('finds the next deposit to an address that has one on record', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await ethereum.pay(address, COIN);
		const first = await chain.scan(cursor, watching(address));
		const txId = await ethereum.pay(address, COIN);
		const second = await chain.scan(first.cursor, watching(known(address, first.deposits)));
		expect(second.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('finds deposits far apart among many blocks, to many addresses', async () => {
		const [cursor, sent, addresses] = [await customer.cursorNow(), new Map<string, string>(), [] as string[]];
		for (let count = 0; count < 5; count += 1) {
			const address = ethereum.newAddress();
			addresses.push(address);
			sent.set(await ethereum.pay(address, COIN + BigInt(count)), address);
			await anvil.mine(37);
		}
		const { deposits } = await chain.scan(cursor, watching(...addresses));
		expect(new Map(deposits.map(({ txId, address }) => [txId, address]))).toEqual(sent);
	});

	it('finds what a contract pays, and names the transaction', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		const txId = await customer.payThrough(FORWARDER, address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'ETH', amount: COIN }]);
	});

	it.each(['debug_traceBlockByNumber', 'trace_block'])(
		'counts nothing that a call has reverted, according to %s',
		async (method) => {
			relay.intercept((call) =>
				/^(debug_)?trace/.test(call.method) && call.method !== method
					? { error: { code: -32601, message: 'the method does not exist' } }
					: undefined,
			);
			const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
			await anvil.rpc('anvil_setCode', REGRETTER_ADDRESS, REGRETTER);
			const txId = await customer.payThrough(HESITANT, address, COIN);
			expect(await ethereum.balanceOf(address)).toBe(COIN);
			const { deposits } = await chain.scan(cursor, watching(address));
			expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'ETH', amount: COIN }]);
		},
	);

	it('uses the block and the growth of the balance as evidence where the node cannot trace', async () => {
		relay.intercept(({ method }) =>
			/^(debug_)?trace/.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : undefined,
		);
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		const direct = await ethereum.pay(address, 5n);
		await customer.payThrough(FORWARDER, address, COIN);
		const found = await ethereum.height();
		await anvil.mine(4);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(refOf)).toEqual([
			{ txId: direct, position: 'native', address, asset: 'ETH', amount: 5n },
			{ txId: await customer.blockHash(found), position: 'balance', address, asset: 'ETH', amount: COIN },
		]);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 6 }, { confirmations: 5, height: found }]);
		const again = await chain.scan(cursor, watching(known(address, deposits)));
		expect(again.deposits).toEqual([]);
	});

	it('does not credit the same money a second time when the node can trace later', async () => {
		relay.intercept(({ method }) =>
			/^(debug_)?trace/.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : undefined,
		);
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await customer.payThrough(FORWARDER, address, COIN);
		const first = await chain.scan(cursor, watching(address));
		relay.intercept(() => undefined);
		const txId = await ethereum.pay(address, COIN);
		const second = await chain.scan(cursor, watching(known(address, first.deposits)));
		expect(second.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('finds what a contract paid in many blocks, and asks for few traces', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		for (let count = 0; count < 12; count += 1) await customer.payThrough(FORWARDER, address, COIN);
		const before = relay.calls.length;
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.filter(({ position }) => position === 'internal').length).toBe(10);
		expect(deposits.reduce((sum, { amount }) => sum + amount, 0n)).toBe(12n * COIN);
		expect(relay.calls.slice(before).filter(({ method }) => /trace/.test(method)).length).toBe(10);
	});

	it.each([false, true])(
		'takes no transaction that was reverted, nor one that pays nothing (pruned: %s)',
		async (pruned) => {
			const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
			const txId = await ethereum.pay(address, 7n);
			await ethereum.pay(address, 0n);
			await anvil.rpc('anvil_setCode', address, REVERTING);
			const reverted = await customer.send({ to: address, value: hexOf(3n), gas: hexOf(100_000) });
			await anvil.rpc('anvil_setCode', address, '0x');
			const head = await ethereum.height();
			relay.intercept(({ method, params }) =>
				pruned && method === 'eth_call' && Number(params[1]) < head
					? { error: { code: -32000, message: 'missing trie node' } }
					: undefined,
			);
			expect(await anvil.rpc('eth_getTransactionReceipt', reverted)).toMatchObject({ status: '0x0' });
			const { deposits } = await chain.scan(cursor, watching(address));
			expect(deposits.map((deposit) => [deposit.txId, deposit.amount])).toEqual([[txId, 7n]]);
		},
	);

	it('finds the transaction of a payment that arrived before the first scan', async () => {
		const address = ethereum.newAddress();
		const txId = await ethereum.pay(address, COIN);
		await anvil.mine(100);
		const { deposits } = await chain.scan(null, watching(address));
		expect(deposits).toMatchObject([{ txId, confirmations: 101 }]);
	});

	it('keeps crediting money whose origin is too long ago to be searched for', async () => {
		const address = ethereum.newAddress();
		await ethereum.pay(address, COIN);
		await anvil.mine(700);
		const { deposits } = await chain.scan(null, watching(address));
		expect(deposits.map(({ position, amount }) => [position, amount])).toEqual([['balance', COIN]]);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 301, irreversible: true }]);
	});

	it('finds a deposit that a reorganisation moved to a block below the cursor', async () => {
		const address = ethereum.newAddress();
		await anvil.mine(5);
		const cursor = await customer.cursorNow();
		await anvil.rpc('anvil_rollback', 4);
		const txId = await ethereum.pay(address, COIN);
		await anvil.mine(6);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits).toMatchObject([{ txId, confirmations: 7 }]);
	});

	it('waits where the node is a little behind the cursor, and is unavailable where it is far behind', async () => {
		const address = ethereum.newAddress();
		await ethereum.pay(address, COIN);
		const head = await ethereum.height();
		const behind = await chain.scan(String(head + 3), watching(address));
		expect(behind).toEqual({ deposits: [], cursor: String(head + 3), height: head });
		// Nor is a deposit called dropped that this node may not have seen yet.
		const unseen = { txId: `0x${'7'.repeat(64)}`, position: 'native', address, asset: 'ETH' as const, amount: 1n };
		await expect(chain.depths([unseen])).rejects.toThrow(ChainUnavailable);
		await anvil.mine(3);
		expect(await chain.depths([unseen])).toEqual([null]);
		await expect(chain.scan(String(head + 1_000), watching(address))).rejects.toThrow(ChainUnavailable);
	});

	it('reads block by block where the node has pruned old balances', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		const old = await ethereum.pay(address, COIN);
		await anvil.mine(150);
		const recent = await ethereum.pay(address, COIN);
		const [head, oldest] = [await ethereum.height(), (await ethereum.height()) - 127];
		relay.intercept(({ method, params }) =>
			method === 'eth_call' && Number(params[1]) < oldest
				? { error: { code: -32000, message: 'missing trie node 5f (path ) state 0x5f is not available' } }
				: undefined,
		);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(({ txId, confirmations }) => [txId, confirmations])).toEqual([
			[recent, 1],
			[old, head - Number(cursor)],
		]);
	});

	it('goes on in the next scan where there is more to find than one scan may ask for', async () => {
		const cursor = await customer.cursorNow();
		const addresses = Array.from({ length: 60 }, ethereum.newAddress);
		const sent: string[] = [];
		for (const address of addresses) sent.push(await ethereum.pay(address, COIN));
		const found = new Map<string, DepositRef>();
		let [at, scans] = [cursor, 0];
		while (found.size < sent.length && scans < 10) {
			const open = addresses.map((address) =>
				known(
					address,
					[...found.values()].filter((each) => each.address === address),
				),
			);
			const scan = await chain.scan(at, watching(...open));
			for (const deposit of scan.deposits) {
				expect(found.has(deposit.txId)).toBe(false);
				found.set(deposit.txId, deposit);
			}
			[at, scans] = [scan.cursor, scans + 1];
		}
		expect([...found.keys()].sort()).toEqual(sent.sort());
		expect(scans).toBeGreaterThan(1);
	});

	it('asks for 1 200 addresses in three calls', async () => {
		const addresses = strangers(1_200);
		const paid = addresses[1_100] ?? '';
		const cursor = await customer.cursorNow();
		const quiet = relay.calls.length;
		await chain.scan(cursor, watching(...addresses));
		expect(
			relay.calls
				.slice(quiet)
				.map(({ method }) => method)
				.sort(),
		).toEqual(['eth_call', 'eth_call', 'eth_call', 'eth_getBlockByNumber', 'eth_getBlockByNumber']);
		const txId = await ethereum.pay(paid, COIN);
		const { deposits } = await chain.scan(cursor, watching(...addresses));
		expect(deposits.map((deposit) => [deposit.address, deposit.txId])).toEqual([[paid, txId]]);
	});
});

describe('depths', () => {
	it('says null for a deposit that a reorganisation dropped, and scan no longer finds it', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await ethereum.pay(address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 1, irreversible: false }]);
		await anvil.rpc('anvil_reorg', 1, []);
		expect(await chain.depths(deposits)).toEqual([null]);
		expect((await chain.scan(cursor, watching(address))).deposits).toEqual([]);
	});

	it('follows the finalized block of the node', async () => {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await ethereum.pay(address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		await anvil.mine(1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 2, irreversible: false }]);
		await anvil.mine(1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 3, irreversible: true }]);
	});

	it('knows no irreversible blocks on a node without the finalized tag', async () => {
		relay.intercept(({ params }) =>
			params[0] === 'finalized' ? { error: { code: -32602, message: 'invalid block tag' } } : undefined,
		);
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await ethereum.pay(address, COIN);
		await anvil.mine(40);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits).toMatchObject([{ confirmations: 41, irreversible: false }]);
	});

	it('answers in order, with 0 confirmations for what is in the mempool and null for strangers', async () => {
		const address = ethereum.newAddress();
		const mined = await ethereum.pay(address, COIN);
		const pending = await customer.submit({ to: address, value: hexOf(COIN) });
		const ref = (txId: string): DepositRef => ({ txId, position: 'native', address, asset: 'ETH', amount: COIN });
		const depths = await chain.depths([ref(pending), ref(`0x${'1'.repeat(64)}`), ref(mined), ref('nonsense')]);
		expect(depths).toMatchObject([{ confirmations: 0, height: null }, null, { confirmations: 1 }, null]);
		await anvil.mine(1);
	});
});
