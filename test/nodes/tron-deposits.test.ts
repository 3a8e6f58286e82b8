/**
 * Deposits on Tron, on the stand-in for a full node (test/support/tron-stand-in.ts): what a scan finds, how deep it is,
 * and what the signer counts as final.
 */
import { hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { tronAddress } from '../../src/chains/tron/address.ts';
import { FORWARDER, hesitant, payerOf, REGRETTER, tokenPayerOf } from '../support/evm-code.ts';
import {
	chain,
	closed,
	FOREIGN_TOKEN,
	node,
	REGRETTER_ADDRESS,
	REGRETTER_HASH,
	refOf,
	SOLID,
	signer,
	signing,
	TRX,
	tron,
	useTron,
	watching,
} from '../support/tron.ts';
import { callData } from '../support/tron-abi.ts';
import { USDT } from '../support/tron-stand-in.ts';

useTron();

describe('scan', () => {
	it('finds a TRX deposit with its transaction, its amount and its depth', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		const txId = await tron.mined(() => node.pay(address, 5n * TRX));
		await node.mine(2);
		const scan = await chain.scan(cursor, watching('TRX', address));
		const height = await node.height();
		expect(scan.deposits).toEqual([
			{
				txId,
				position: 'native',
				address,
				asset: 'TRX',
				amount: 5n * TRX,
				confirmations: 3,
				irreversible: false,
				height: height - 2,
			},
		]);
		expect(scan.height).toBe(height);
	});

	it('finds a USDT deposit, though the contract answers false', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		const txId = await tron.mined(() => node.payToken(address, 12_345_678n));
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', address));
		expect(deposits.map(refOf)).toEqual([
			{ txId, position: 'log:0', address, asset: 'USDTTRC20', amount: 12_345_678n },
		]);
	});

	it('tells several deposits apart, in one transaction and in several', async () => {
		const [one, other, cursor] = [tron.newAddress(), tron.newAddress(), await tron.cursorNow()];
		const both = await node.call(USDT, callData('transferToTwo(address,address,uint256)', one, other, 7n));
		const twice = await tron.mined(() =>
			node.call(USDT, callData('transferToTwo(address,address,uint256)', one, one, 8n)),
		);
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', one, other));
		expect(deposits.map(({ txId, position, address, amount }) => [txId, position, address, amount])).toEqual([
			[both, 'log:0', one, 7n],
			[both, 'log:1', other, 7n],
			[twice, 'log:0', one, 8n],
			[twice, 'log:1', one, 8n],
		]);
	});

	it('finds what a contract pays, and counts nothing that a call has reverted', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await node.setCode(REGRETTER_ADDRESS, REGRETTER);
		const txId = await tron.payThrough(hesitant(REGRETTER_HASH), address, 3n * TRX);
		expect(await node.balanceOf(address)).toBe(3n * TRX);
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'TRX', amount: 3n * TRX }]);
	});

	it('takes energy that a contract lends to the address for no deposit, nor TRC-10 tokens', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await tron.payThrough(FORWARDER, tron.newAddress(), TRX);
		const lent = (note: string, callValueInfo: unknown) => ({
			transferTo_address: `41${callData('x', address).slice(-40)}`,
			callValueInfo,
			note: Buffer.from(note).toString('hex'),
		});
		node.intercept(async (path, _body, honest) => {
			if (path !== '/wallet/gettransactioninfobyblocknum') return undefined;
			const [info] = (await honest()) as Record<string, unknown>[];
			const internals = [
				lent('delegateResourceOfEnergy', [{ callValue: 50_000_000 }]),
				lent('call', [{}, { callValue: 50_000_000, tokenId: '1002000' }]),
			];
			return [{ ...info, internal_transactions: internals }];
		});
		expect((await chain.scan(cursor, watching('TRX', address))).deposits).toEqual([]);
	});

	it('takes a token of the same symbol, another asset of the order, and a failed transaction for nothing', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await node.payToken(address, 5n, FOREIGN_TOKEN);
		await node.pay(address, TRX);
		await node.payToken(address, 10n ** 30n);
		await tron.payThrough(REGRETTER, address, TRX);
		expect((await chain.scan(cursor, watching('USDTTRC20', address))).deposits).toEqual([]);
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		expect(deposits.map(({ position, amount }) => [position, amount])).toEqual([['native', TRX]]);
	});

	it('catches up after a long outage in bounded steps, and misses nothing', async () => {
		const [addresses, cursor] = [[tron.newAddress(), tron.newAddress(), tron.newAddress()], await tron.cursorNow()];
		for (const address of addresses) {
			await tron.mined(() => node.pay(address, TRX));
			await node.mine(59);
		}
		let [at, scans] = [cursor, 0];
		const found: string[] = [];
		while (found.length < addresses.length && scans < 10) {
			const before = node.calls.length;
			const scan = await chain.scan(at, watching('TRX', ...addresses));
			expect(node.calls.length - before).toBeLessThan(20);
			found.push(...scan.deposits.map(({ address }) => address));
			[at, scans] = [scan.cursor, scans + 1];
		}
		expect(found).toEqual(addresses);
		expect(scans).toBeGreaterThan(2);
	});

	it('keeps what a slow node answered before it refused, and so catches up', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		for (let block = 0; block < 14; block++) await tron.mined(() => node.payToken(address, 5n));
		let [at, scans] = [cursor, 0];
		const found = new Set<string>();
		while (found.size < 14 && scans < 10) {
			let left = 6;
			node.intercept((path) => {
				if (path !== '/wallet/gettransactioninfobyblocknum') return undefined;
				left -= 1;
				return left < 0 ? { Error: 'request rate exceeded' } : undefined;
			});
			const scan = await chain.scan(at, watching('USDTTRC20', address));
			for (const { txId } of scan.deposits) found.add(txId);
			[at, scans] = [scan.cursor, scans + 1];
		}
		expect([found.size, scans]).toEqual([14, 3]);
	});

	it('asks for single blocks where several are more than one answer holds', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await tron.mined(() => node.pay(address, TRX));
		const txId = await tron.mined(() => node.pay(address, TRX));
		node.intercept((path, body) => {
			const { startNum, endNum } = body as { startNum: number; endNum: number };
			return path === '/wallet/getblockbylimitnext' && endNum - startNum > 1 ? `[${'0,'.repeat(300_000)}0]` : undefined;
		});
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		expect([deposits.length, deposits.at(-1)?.txId]).toEqual([2, txId]);
	});

	it('asks no more for 10 000 open addresses than for one', async () => {
		const addresses = Array.from({ length: 10_000 }, (_, at) =>
			tronAddress(hex.decode(at.toString(16).padStart(40, 'a'))),
		);
		const cursor = await tron.cursorNow();
		const txId = await tron.mined(() => node.pay(addresses[7_777] ?? '', TRX));
		const before = node.calls.length;
		const { deposits } = await chain.scan(cursor, watching('TRX', ...addresses));
		expect(deposits.map((deposit) => [deposit.txId, deposit.address])).toEqual([[txId, addresses[7_777]]]);
		expect(node.calls.length - before).toBe(2);
	});

	/** More values than are read of one answer. */
	const HUGE = `[${'0,'.repeat(300_000)}0]`;

	it('asks for receipts one by one where those of a block are too large together', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		const txId = await tron.mined(() => node.payToken(address, 5n));
		const later = await tron.mined(() => node.pay(address, TRX));
		node.intercept((path) => (path === '/wallet/gettransactioninfobyblocknum' ? HUGE : undefined));
		const watched = [...(await watching('USDTTRC20', address)()), ...(await watching('TRX', address)())];
		const { deposits, unread } = await chain.scan(cursor, async () => watched);
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId, later]);
		expect(unread).toBeUndefined();
	});

	it('leaves out and names a transaction whose receipt is too large by itself, and goes on', async () => {
		const [attacker, victim, cursor] = [tron.newAddress(), tron.newAddress(), await tron.cursorNow()];
		const poison = await node.payToken(attacker, 5n);
		const txId = await tron.mined(() => node.payToken(victim, 5n));
		node.intercept((path, body) => {
			if (path === '/wallet/gettransactioninfobyblocknum') return HUGE;
			return path === '/wallet/gettransactioninfobyid' && body['value'] === poison ? HUGE : undefined;
		});
		const scan = await chain.scan(cursor, watching('USDTTRC20', attacker, victim));
		expect(scan.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
		expect(scan.height).toBe(await node.height());
		expect(scan.unread).toEqual([expect.stringContaining(poison)]);
		expect((await chain.scan(scan.cursor, watching('USDTTRC20', attacker, victim))).unread).toBeUndefined();
		const hidden = { txId: poison, position: 'log:0', address: attacker, asset: 'USDTTRC20', amount: 5n } as const;
		expect(await chain.depths([hidden, ...scan.deposits])).toMatchObject(['unknown', { confirmations: 1 }]);
	});

	it('passes a block that is too large by itself, and names it', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await tron.mined(() => node.pay(tron.newAddress(), TRX));
		const fat = await node.height();
		const txId = await tron.mined(() => node.pay(address, TRX));
		node.intercept((path, body) => {
			const { startNum, endNum } = body as { startNum: number; endNum: number };
			return path === '/wallet/getblockbylimitnext' && startNum <= fat && fat < endNum ? HUGE : undefined;
		});
		const scan = await chain.scan(cursor, watching('TRX', address));
		expect(scan.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
		expect(scan.unread).toEqual([expect.stringContaining(`block ${fat}`)]);
	});

	it('begins with what is not irreversible yet', async () => {
		const [old, fresh] = [tron.newAddress(), tron.newAddress()];
		await tron.mined(() => node.pay(old, TRX));
		await node.mine(SOLID - 1);
		const txId = await tron.mined(() => node.pay(fresh, TRX));
		await node.mine(SOLID - 1);
		const { deposits } = await chain.scan(null, watching('TRX', old, fresh));
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('reads again what a reorganisation has replaced, below the cursor too', async () => {
		const [lost, moved] = [tron.newAddress(), tron.newAddress()];
		await node.mine(2);
		await tron.mined(() => node.pay(lost, TRX));
		await node.mine(3);
		const cursor = await tron.cursorNow();
		await node.rollback(5);
		const txId = await tron.mined(() => node.pay(moved, 2n * TRX));
		await node.mine(6);
		const { deposits } = await chain.scan(cursor, watching('TRX', lost, moved));
		expect(deposits.map((deposit) => [deposit.txId, deposit.confirmations])).toEqual([[txId, 7]]);
	});

	it('waits where the node is a little behind the cursor, and is unavailable where it is far behind', async () => {
		const cursor = await tron.cursorNow();
		const height = await node.height();
		await node.rollback(2);
		expect(await chain.scan(cursor, watching('TRX'))).toEqual({ deposits: [], cursor, height: height - 2 });
		await node.rollback(SOLID);
		await expect(chain.scan(cursor, watching('TRX'))).rejects.toThrow(ChainUnavailable);
		await node.mine(40);
	});

	it.each([
		['in another order', (blocks: readonly unknown[]) => blocks.toReversed()],
		['with one left out', (blocks: readonly unknown[]) => blocks.toSpliced(1, 1)],
		['twice', (blocks: readonly unknown[]) => blocks.flatMap((block) => [block, block])],
	])('passes no block that the node shows %s, and finds what is in them', async (_, shown) => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await node.mine(2);
		const txId = await tron.mined(() => node.pay(address, TRX));
		await node.mine(2);
		node.intercept(async (path, _body, honest) => {
			if (path !== '/wallet/getblockbylimitnext') return undefined;
			return { block: shown(((await honest()) as { block: unknown[] }).block) };
		});
		const wrong = await chain.scan(cursor, watching('TRX', address)).catch((error: unknown) => {
			expect(error).toBeInstanceOf(ChainUnavailable);
			return { cursor };
		});
		node.intercept(() => undefined);
		const { deposits } = await chain.scan(wrong.cursor, watching('TRX', address));
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('does not pass a block whose receipts the node does not have yet', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		const txId = await tron.mined(() => node.payToken(address, 5n));
		node.intercept((path) => (path === '/wallet/gettransactioninfobyblocknum' ? [] : undefined));
		await expect(chain.scan(cursor, watching('USDTTRC20', address))).rejects.toThrow(ChainUnavailable);
		node.intercept(() => undefined);
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', address));
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});
});

describe('a scan with nothing open', () => {
	const USDT_HASH = callData('x', USDT).slice(-40);
	const hashOf = (address: string) => callData('x', address).slice(-40);
	/** Where such a scan begins. */
	const quietCursor = async () => (await chain.scan(null, closed('TRX'), true)).cursor;
	const receiptsOf = (from: number) =>
		node.calls.slice(from).filter(({ path }) => path === '/wallet/gettransactioninfobyblocknum').length;

	it('finds what the usual one finds, and reads the receipts of no block that names none of ours', async () => {
		const [address, contract] = [tron.newAddress(), tron.newAddress()];
		const cursor = await quietCursor();
		await node.setCode(contract, tokenPayerOf(USDT_HASH, hashOf(address)));
		await node.issue(contract, 100n);
		for (let block = 0; block < 5; block++) await tron.mined(() => node.payToken(tron.newAddress(), 9n));
		const direct = await tron.mined(() => node.payToken(address, 7n));
		const unnamed = await tron.mined(() => node.call(contract, ''));
		await node.mine(SOLID);
		const before = node.calls.length;
		const found = await chain.scan(cursor, closed('USDTTRC20', address), true);
		expect(receiptsOf(before)).toBe(2);
		const usual = await chain.scan(cursor, watching('USDTTRC20', address));
		expect(found.deposits.map(({ txId }) => txId)).toEqual([direct, unnamed]);
		expect(found.deposits.map(refOf)).toEqual(usual.deposits.map(refOf));
		expect(found.deposits.every(({ irreversible }) => irreversible)).toBe(true);
	});

	it('finds coins, by a transfer and by a contract that its caller tells whom to pay', async () => {
		const address = await tron.existing(tron.newAddress());
		const cursor = await quietCursor();
		const plain = await tron.mined(() => node.pay(address, 2n * TRX));
		const paid = await tron.payThrough(FORWARDER, address, 3n * TRX);
		await node.mine(SOLID);
		const { deposits } = await chain.scan(cursor, closed('TRX', address), true);
		expect(deposits.map(refOf)).toMatchObject([
			{ txId: plain, position: 'native', amount: 2n * TRX },
			{ txId: paid, position: 'internal', amount: 3n * TRX },
		]);
	});

	it('reads every receipt while an order in coins is watched, which a contract may pay that nobody tells whom', async () => {
		const [address, contract] = [tron.newAddress(), tron.newAddress()];
		const cursor = await quietCursor();
		await node.setCode(contract, payerOf(hashOf(address)));
		const txId = await tron.mined(() => node.call(contract, '', 4n * TRX));
		await node.mine(SOLID);
		const { deposits } = await chain.scan(cursor, watching('TRX', address), true);
		expect(deposits.map(refOf)).toMatchObject([{ txId, position: 'internal', amount: 4n * TRX }]);
	});

	it('waits until a block is irreversible', async () => {
		const [address, cursor] = [tron.newAddress(), await quietCursor()];
		await tron.mined(() => node.payToken(address, 7n));
		await node.mine(SOLID - 1);
		const early = await chain.scan(cursor, closed('USDTTRC20', address), true);
		expect(early.deposits).toEqual([]);
		await node.mine(1);
		expect((await chain.scan(early.cursor, closed('USDTTRC20', address), true)).deposits).toHaveLength(1);
	});

	it('begins where the usual one has ended, and on the branch that won', async () => {
		const [lost, moved] = [tron.newAddress(), tron.newAddress()];
		await tron.mined(() => node.payToken(lost, 7n));
		await node.mine(3);
		const cursor = await tron.cursorNow();
		const both = closed('USDTTRC20', lost, moved);
		expect(await chain.scan(cursor, both, true)).toMatchObject({ deposits: [], cursor });
		await node.rollback(4);
		const txId = await tron.mined(() => node.payToken(moved, 8n));
		await node.mine(SOLID + 5);
		const { deposits } = await chain.scan(cursor, both, true);
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it.each([
		['has no index of logs', () => ({ Error: 'no such path' })],
		['refuses so many logs', () => ({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'too many results' } })],
		['leaves logs out', () => ({ jsonrpc: '2.0', id: 1, result: [] })],
	])('finds the same where the node %s', async (_, answer) => {
		const [address, cursor] = [tron.newAddress(), await quietCursor()];
		const txId = await tron.mined(() => node.payToken(address, 7n));
		await node.mine(SOLID);
		node.intercept((path) => (path === '/jsonrpc' ? answer() : undefined));
		const { deposits } = await chain.scan(cursor, closed('USDTTRC20', address), true);
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});
});

describe('depths', () => {
	it('calls a deposit irreversible when its block is solidified, and dropped after a fork without it', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await tron.mined(() => node.pay(address, TRX));
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		await node.mine(SOLID - 1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: SOLID, irreversible: false }]);
		await node.mine(1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: SOLID + 1, irreversible: true }]);
		await node.rollback(SOLID + 2);
		await node.mine(SOLID + 5);
		const fresh = await chain.scan(null, watching('TRX', address));
		expect(fresh.deposits).toEqual([]);
		const stranger = { txId: '1'.repeat(64), position: 'native', address, asset: 'TRX', amount: TRX } as const;
		expect(await chain.depths([...deposits, stranger, { ...stranger, txId: 'nonsense' }])).toEqual([null, null, null]);
	});

	it('calls a token deposit dropped when its transaction pays another amount after a fork', async () => {
		const [address, other, cursor] = [tron.newAddress(), tron.newAddress(), await tron.cursorNow()];
		const txId = await tron.mined(() => node.payToken(address, 5n));
		const native = await tron.mined(() => node.pay(address, TRX));
		const watched = watching('USDTTRC20', address, other);
		const { deposits } = await chain.scan(cursor, watched);
		const plain = { txId: native, position: 'native', address, asset: 'TRX', amount: TRX } as const;
		expect(await chain.depths([...deposits, plain])).toMatchObject([{ confirmations: 2 }, { confirmations: 1 }]);
		const [deposit] = deposits;
		if (!deposit) throw new Error('no deposit');
		const wrong = [{ address: other }, { position: 'log:1' }, { address: 'nonsense' }];
		expect(await chain.depths(wrong.map((each) => ({ ...deposit, ...each })))).toEqual([null, null, null]);
		node.intercept(async (path, _body, honest) => {
			if (!path.startsWith('/wallet/gettransactioninfoby')) return undefined;
			return JSON.stringify(await honest()).replace(/"data":"0{63}5"/, `"data":"${'0'.repeat(63)}3"`);
		});
		const before = node.calls.length;
		expect(await chain.depths([...deposits, plain])).toMatchObject([null, { confirmations: 1 }]);
		// Both tips, a receipt of each transaction, and the branch of what is missing.
		expect(node.calls.length - before).toBe(5);
		const again = await chain.scan(cursor, watched);
		expect(again.deposits.map(refOf)).toEqual([{ ...refOf(deposit), txId, amount: 3n }]);
		expect(await chain.depths(again.deposits)).toMatchObject([{ confirmations: 2 }]);
	});

	it('does not call a deposit dropped when the node is behind, or on a branch that was not read yet', async () => {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await node.mine(2);
		await tron.mined(() => node.pay(address, TRX));
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		await node.rollback(1);
		await expect(chain.depths(deposits)).rejects.toThrow(ChainUnavailable);
		await tron.mined(() => node.pay(tron.newAddress(), TRX));
		await expect(chain.depths(deposits)).rejects.toThrow(/another branch/);
		await chain.scan(cursor, watching('TRX', address));
		expect(await chain.depths(deposits)).toEqual([null]);
	});
});

describe('finalAmount', () => {
	const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Tron', depth, 100);
	const believed = (...refs: DepositRef[]): Promise<bigint> => signer.finalAmount(refs, final, []);

	async function deposited(asset: AssetId, send: (address: string) => Promise<unknown>): Promise<DepositRef> {
		const [address, cursor] = [tron.newAddress(), await tron.cursorNow()];
		await tron.mined(() => send(address));
		const [deposit] = (await chain.scan(cursor, watching(asset, address))).deposits.map(refOf);
		if (!deposit) throw new Error('no deposit');
		return deposit;
	}

	it('is nothing for coins that the hot wallet sent, which are gas, and no scan calls them a deposit', async () => {
		const [address, cursor] = [await tron.existing(tron.newAddress()), await tron.cursorNow()];
		const gas = await signer.sign(tron.payment(address, 20n * TRX), signing());
		await tron.sent(gas.raw);
		await node.mine(SOLID);
		expect((await chain.scan(cursor, watching('TRX', address))).deposits).toEqual([]);
		expect(await believed({ txId: gas.txId, position: 'native', address, asset: 'TRX', amount: 20n * TRX })).toBe(0n);
		const deposit = await deposited('TRX', (to) => node.pay(to, 20n * TRX));
		await node.mine(SOLID);
		expect(await believed(deposit)).toBe(20n * TRX);
	});

	it('counts each kind of deposit from the moment when it is solidified, and each once', async () => {
		const refs = [
			await deposited('TRX', (address) => node.pay(address, 5n)),
			await deposited('USDTTRC20', (address) => node.payToken(address, 7n)),
			await deposited('TRX', (address) => tron.payThrough(FORWARDER, address, 11n)),
		];
		await node.mine(SOLID - 3);
		expect(await believed(...refs)).toBe(5n);
		await node.mine(3);
		expect(await believed(...refs)).toBe(23n);
		expect(await believed(...refs, ...refs)).toBe(23n);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const coin = await deposited('TRX', (address) => node.pay(address, 5n));
		const token = await deposited('USDTTRC20', (address) => node.payToken(address, 7n));
		const foreign = await tron.mined(() => node.payToken(token.address, 7n, FOREIGN_TOKEN));
		const failed = await tron.mined(() => node.payToken(token.address, 10n ** 30n));
		await node.mine(25);
		const forged: DepositRef[] = [
			{ ...coin, amount: 6n },
			{ ...coin, amount: -5n },
			{ ...coin, address: token.address },
			{ ...coin, position: 'internal' },
			{ ...coin, asset: 'USDTTRC20' as const },
			{ ...coin, address: 'x' },
			{ ...coin, txId: '2'.repeat(64) },
			{ ...coin, txId: coin.txId.toUpperCase() },
			{ ...token, position: 'log:1' },
			{ ...token, txId: foreign },
			{ ...token, txId: coin.txId },
			{ ...token, txId: failed },
			{ ...token, asset: 'TRX' as const },
		];
		for (const wrong of forged) expect(await believed(wrong), JSON.stringify({ ...wrong, amount: '' })).toBe(0n);
		expect(await believed(coin, token)).toBe(12n);
	});

	it('counts nothing after a fork has dropped it', async () => {
		const ref = await deposited('TRX', (address) => node.pay(address, 5n));
		await node.mine(25);
		expect(await believed(ref)).toBe(5n);
		await node.rollback(26);
		await node.mine(40);
		expect(await believed(ref)).toBe(0n);
	});
});
