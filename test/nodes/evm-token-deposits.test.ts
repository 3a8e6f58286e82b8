/**
 * Deposits of tokens on EVM networks, on a real node (anvil): what a scan finds, and what the signer counts as final.
 */
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { DepositRef, ObservedDeposit, WatchedAddress } from '../../src/chains/port.ts';
import {
	anvil,
	COIN,
	chain,
	ethereum,
	HOT,
	hexOf,
	refOf,
	relay,
	signer,
	startEthereum,
	useEthereum,
} from '../support/ethereum.ts';
import { contractOf, DAI, installPayer, installTokens, PAYER, USDC, USDT } from '../support/evm-token.ts';
import { startLyingNode, truth } from '../support/lying-node.ts';
import { call, callData, installToken } from '../support/tokens.ts';

useEthereum(async () => {
	await installTokens(anvil);
	await installPayer(ethereum);
});

const watching =
	(asset: AssetId, ...open: (string | Partial<WatchedAddress>)[]) =>
	async (): Promise<WatchedAddress[]> =>
		open.map((each) => ({
			address: '',
			asset,
			known: [],
			swept: 0n,
			...(typeof each === 'string' ? { address: each } : each),
		}));

const cursorNow = async (): Promise<string> => (await chain.scan(null, watching(USDC))).cursor;

const found = async (cursor: string, watched: () => Promise<WatchedAddress[]>): Promise<readonly ObservedDeposit[]> =>
	(await chain.scan(cursor, watched)).deposits;

describe('scan', () => {
	it.each([USDT, USDC, DAI] as const)('finds a deposit of %s with its transaction, amount and depth', async (asset) => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		const txId = await ethereum.send(asset, address, 1_234_567n);
		await anvil.mine(2);
		const scan = await chain.scan(cursor, watching(asset, address));
		const height = await ethereum.height();
		const deposit = { txId, position: 'log:0', address, asset, amount: 1_234_567n };
		const depth = { confirmations: 3, irreversible: true, height: height - 2 };
		expect(scan).toEqual({ deposits: [{ ...deposit, ...depth }], cursor: String(height), height });
		expect(await chain.depths(scan.deposits)).toEqual([depth]);
		const again = watching(asset, { address, known: scan.deposits.map(refOf) });
		expect(await found(cursor, again)).toEqual([]);
	});

	it('finds what a contract pays to several orders in one transaction, and tells the payments apart', async () => {
		const [one, other, cursor] = [ethereum.newAddress(), ethereum.newAddress(), await cursorNow()];
		const txId = await call(anvil, PAYER, callData.payAll(DAI, [one, other, one], 7n));
		await anvil.mine(1);
		const deposits = await found(cursor, watching(DAI, one, other));
		expect(deposits.map(refOf)).toEqual([
			{ txId, position: 'log:0', address: one, asset: DAI, amount: 7n },
			{ txId, position: 'log:1', address: other, asset: DAI, amount: 7n },
			{ txId, position: 'log:2', address: one, asset: DAI, amount: 7n },
		]);
		expect(await chain.depths(deposits)).toMatchObject(deposits.map(() => ({ confirmations: 1 })));
	});

	it('finds the next deposit to an address that has one on record, also after a sweep', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		await ethereum.send(USDC, address, 5n);
		const known = (await found(cursor, watching(USDC, address))).map(refOf);
		const txId = await ethereum.send(USDC, address, 6n);
		const next = await found(cursor, watching(USDC, { address, known }));
		expect(next.map((deposit) => [deposit.txId, deposit.amount])).toEqual([[txId, 6n]]);
		await anvil.rpc('anvil_impersonateAccount', address);
		await anvil.rpc('anvil_setBalance', address, hexOf(COIN));
		await call(anvil, contractOf(USDC), callData.transfer(HOT, 11n), address);
		await anvil.mine(1);
		const last = await ethereum.send(USDC, address, 3n);
		const all = [...known, ...next.map(refOf)];
		expect(await found(cursor, watching(USDC, { address, known: all, swept: 0n }))).toEqual([]);
		const after = await found(cursor, watching(USDC, { address, known: all, swept: 11n }));
		expect(after.map((deposit) => [deposit.txId, deposit.amount])).toEqual([[last, 3n]]);
	});

	it('explains a deposit in each of many blocks with few requests', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		const txIds: string[] = [];
		for (let block = 0; block < 12; block++) txIds.push(await ethereum.send(USDC, address, 5n));
		const counted = await startLyingNode(truth, anvil.url);
		const asking = evmChain(networkNamed('Ethereum'), { urls: [counted.url], chain: 'main' }, HOT);
		const { deposits } = await asking.scan(cursor, watching(USDC, address));
		await counted.stop();
		expect(deposits.map(({ txId }) => txId)).toEqual(txIds);
		expect(counted.requests()).toBeLessThan(15);
	});

	it('ignores a foreign token of the same symbol', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		const foreign = '0x00000000000000000000000000000000000fa4e5';
		await installToken(anvil, USDC, { address: foreign });
		await call(anvil, foreign, callData.mint(address, 10n ** 9n));
		await anvil.mine(1);
		expect(await found(cursor, watching(USDC, address))).toEqual([]);
		// Nor does it help to name it beside an honest deposit.
		await ethereum.send(USDC, address, 2n);
		await call(anvil, foreign, callData.mint(address, 2n));
		await anvil.mine(1);
		expect((await found(cursor, watching(USDC, address))).map(({ amount }) => amount)).toEqual([2n]);
	});

	it('credits an asset only to the orders that wait for it', async () => {
		const [waitsForToken, waitsForEther, cursor] = [ethereum.newAddress(), ethereum.newAddress(), await cursorNow()];
		await ethereum.pay(waitsForToken, COIN);
		await ethereum.send(USDC, waitsForEther, 5n);
		await ethereum.send(DAI, waitsForToken, 5n);
		const watched = [await watching(USDC, waitsForToken)(), await watching('ETH', waitsForEther)()].flat();
		expect(await found(cursor, async () => watched)).toEqual([]);
	});

	it('takes no transfer that was reverted, in whole or inside its transaction', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		await call(anvil, contractOf(USDC), callData.transfer(address, 10n ** 30n));
		await call(anvil, PAYER, callData.payAndLetRegret(USDC, address, 9n));
		const txId = await ethereum.send(USDC, address, 4n);
		const deposits = await found(cursor, watching(USDC, address));
		expect(deposits.map((deposit) => [deposit.txId, deposit.amount])).toEqual([[txId, 4n]]);
	});

	it('credits no more than the balance bears, whatever the logs say', async () => {
		const liar = await startEthereum();
		try {
			await installToken(liar.anvil, USDC, { name: 'LyingToken' });
			const address = liar.newAddress();
			const { cursor } = await liar.chain.scan(null, watching(USDC));
			await call(liar.anvil, contractOf(USDC), callData.claim(address, 1_000n));
			await liar.mint(USDC, address, 3n);
			await call(liar.anvil, contractOf(USDC), callData.claim(address, 1n));
			await liar.anvil.mine(1);
			const { deposits } = await liar.chain.scan(cursor, watching(USDC, address));
			expect(deposits.map(({ amount }) => amount)).toEqual([3n]);
		} finally {
			await liar.stop();
		}
	});

	it('no longer finds what a reorganisation dropped, and finds what it moved below the cursor', async () => {
		const address = ethereum.newAddress();
		const before = await cursorNow();
		await ethereum.send(USDC, address, 5n);
		const deposits = await found(before, watching(USDC, address));
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 1 }]);
		await anvil.rpc('anvil_reorg', 1, []);
		expect(await chain.depths(deposits)).toEqual([null]);
		expect(await found(before, watching(USDC, address))).toEqual([]);

		await anvil.mine(5);
		const cursor = await cursorNow();
		await anvil.rpc('anvil_rollback', 4);
		const txId = await ethereum.send(USDC, address, 5n);
		await anvil.mine(6);
		expect(await found(cursor, watching(USDC, address))).toMatchObject([{ txId, confirmations: 7 }]);
	});

	it('finds the transaction of a payment that arrived before the first scan', async () => {
		const address = ethereum.newAddress();
		const txId = await ethereum.send(DAI, address, 5n);
		await anvil.mine(100);
		expect(await found(await cursorNow(), watching(DAI, address))).toMatchObject([{ txId, confirmations: 101 }]);
	});

	it('explains also what came long before, in few questions', async () => {
		const address = ethereum.newAddress();
		const txId = await ethereum.send(DAI, address, 5n);
		await anvil.mine(1_500);
		const before = relay.calls.length;
		expect(await found(await cursorNow(), watching(DAI, address))).toMatchObject([{ txId, confirmations: 1_501 }]);
		expect(relay.calls.slice(before).filter(({ method }) => method === 'eth_getLogs').length).toBeLessThan(12);
	});

	it('asks in halves where the node answers for few blocks only, and is unavailable where it answers for none', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		await anvil.mine(200);
		const txId = await ethereum.send(DAI, address, 5n);
		await anvil.mine(200);
		const refuseAbove = (blocks: number) =>
			relay.intercept(({ method, params }) => {
				const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string };
				const isRefused = method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= blocks;
				return isRefused ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined;
			});
		refuseAbove(50);
		expect(await found(cursor, watching(DAI, address))).toMatchObject([{ txId, confirmations: 201 }]);
		refuseAbove(0);
		await expect(chain.scan(cursor, watching(DAI, address))).rejects.toThrow(ChainUnavailable);
		// A node that answers for three blocks at a time takes several scans, and each gets further.
		refuseAbove(3);
		const cursors = [cursor];
		for (let looks = 0; looks < 4; looks += 1) {
			const scan = await chain.scan(cursors.at(-1) ?? '', watching(DAI, address));
			cursors.push(scan.cursor);
			if (scan.deposits.length > 0) return expect(scan.deposits).toMatchObject([{ txId }]);
		}
		expect(cursors).toEqual([]);
	});

	it('takes a thousand payments of dust in bounded scans, and loses none', async () => {
		const [victim, other, cursor] = [ethereum.newAddress(), ethereum.newAddress(), await cursorNow()];
		const dust = callData.payAll(DAI, [victim, victim, victim, victim], 1n);
		for (let block = 0; block < 10; block += 1) {
			for (let count = 0; count < 25; count += 1) await call(anvil, PAYER, dust);
			await anvil.mine(1);
		}
		const honest = await ethereum.send(DAI, other, 5n);
		const all = new Map<string, DepositRef>();
		const knownOf = (address: string) => [...all.values()].filter((each) => each.address === address);
		let [at, looks] = [cursor, 0];
		while (all.size < 1_001 && looks < 4) {
			const before = relay.calls.length;
			const watched = watching(
				DAI,
				{ address: victim, known: knownOf(victim) },
				{ address: other, known: knownOf(other) },
			);
			const scan = await chain.scan(at, watched);
			for (const deposit of scan.deposits) all.set(`${deposit.txId} ${deposit.position}`, refOf(deposit));
			expect(relay.calls.length - before).toBeLessThan(260);
			[at, looks] = [scan.cursor, looks + 1];
		}
		expect(looks).toBe(2);
		expect(all.size).toBe(1_001);
		expect([...all.values()].reduce((sum, { amount }) => sum + amount, 0n)).toBe(1_005n);
		expect([...all.values()].find(({ address }) => address === other)?.txId).toBe(honest);
	});
});

describe('finalAmount', () => {
	const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Ethereum', depth, 100);

	it('counts a token from its last confirmation on, each log once', async () => {
		const [one, other, cursor] = [ethereum.newAddress(), ethereum.newAddress(), await cursorNow()];
		await call(anvil, PAYER, callData.payAll(DAI, [one, other, one], 7n));
		await anvil.mine(1);
		const refs = (await found(cursor, watching(DAI, one, other))).map(refOf);
		await anvil.mine(10);
		expect(await signer.finalAmount(refs, final, [])).toBe(0n);
		await anvil.mine(1);
		expect(await signer.finalAmount(refs, final, [])).toBe(21n);
		expect(await signer.finalAmount([...refs, ...refs], final, [])).toBe(21n);
		expect(await signer.finalAmount(refs.slice(1, 2), final, [])).toBe(7n);
	});

	it('counts no token that differs from what the chain says', async () => {
		const [address, cursor] = [ethereum.newAddress(), await cursorNow()];
		await ethereum.send(DAI, address, 5n);
		await anvil.mine(20);
		const [ref] = (await found(cursor, watching(DAI, address))).map(refOf);
		if (!ref) throw new Error('no deposit');
		const forged: DepositRef[] = [
			{ ...ref, amount: 6n },
			{ ...ref, amount: 4n },
			{ ...ref, address: ethereum.newAddress() },
			{ ...ref, asset: USDC },
			{ ...ref, asset: 'DAIPOL' },
			{ ...ref, asset: 'ETH' },
			{ ...ref, position: 'log:1' },
			{ ...ref, position: 'internal' },
			{ ...ref, position: 'balance' },
			{ ...ref, txId: `0x${'2'.repeat(64)}` },
		];
		for (const wrong of forged) expect(await signer.finalAmount([wrong], final, [])).toBe(0n);
		expect(await signer.finalAmount([...forged, ref], final, [])).toBe(5n);
	});

	it('counts a token also after it was swept, and nothing after a reorganisation dropped it', async () => {
		const index = ethereum.newIndex();
		const [address, cursor] = [signer.payInAddress(index), await cursorNow()];
		await ethereum.send(DAI, address, 5n);
		const refs = (await found(cursor, watching(DAI, address))).map(refOf);
		await ethereum.pay(address, COIN);
		await ethereum.take(await ethereum.sweep(index, DAI));
		await anvil.mine(12);
		expect(await signer.finalAmount(refs, final, [])).toBe(5n);
		await anvil.rpc('anvil_reorg', 20, []);
		await anvil.mine(20);
		expect(await signer.finalAmount(refs, final, [])).toBe(0n);
	});

	it('counts the coin also after it was swept, by what the sweeps in blocks took', async () => {
		const index = ethereum.newIndex();
		const [address, cursor] = [signer.payInAddress(index), await cursorNow()];
		await ethereum.pay(address, COIN);
		const first = (await found(cursor, watching('ETH', address))).map(refOf);
		await anvil.mine(12);
		const swept = await ethereum.sweep(index, 'ETH');
		const sweep = { kind: 'sweep' as const, txId: swept.txId, address, asset: 'ETH' as const, amount: swept.amount };
		await ethereum.take(swept);
		await anvil.mine(12);
		expect(await signer.finalAmount(first, final, [])).toBe(0n);
		expect(await signer.finalAmount(first, final, [sweep])).toBe(COIN);
		expect(await signer.finalAmount(first, final, [sweep, sweep])).toBe(COIN);
		// Another address's transaction took nothing from here, and what was swept is no second deposit.
		expect(await signer.finalAmount(first, final, [{ ...sweep, address: ethereum.newAddress() }])).toBe(0n);
		const claimed = { ...(first[0] as DepositRef), position: 'internal', amount: COIN };
		expect(await signer.finalAmount([...first, claimed], final, [sweep])).toBe(COIN);

		await ethereum.pay(address, 3n * COIN);
		const known = watching('ETH', { address, known: first, swept: swept.amount + swept.fee });
		const second = (await found(cursor, known)).map(refOf);
		expect(second.map(({ amount }) => amount)).toEqual([3n * COIN]);
		await anvil.mine(11);
		expect(await signer.finalAmount([...first, ...second], final, [sweep])).toBe(4n * COIN);
	});

	it('ignores a sweep that is signed and not mined: otherwise one coin would count twice', async () => {
		const index = ethereum.newIndex();
		const [address, cursor] = [signer.payInAddress(index), await cursorNow()];
		await ethereum.pay(address, COIN);
		const refs = (await found(cursor, watching('ETH', address))).map(refOf);
		await anvil.mine(12);
		const swept = await ethereum.sweep(index, 'ETH');
		const sweep = { kind: 'sweep' as const, txId: swept.txId, address, asset: 'ETH' as const, amount: swept.amount };
		const invented = { ...(refs[0] as DepositRef), position: 'internal' };
		expect(await signer.finalAmount([...refs, invented], final, [sweep])).toBe(COIN);
		// In the mempool as little, and in a block that is not final yet.
		await chain.broadcast(swept.raw);
		expect(await signer.finalAmount([...refs, invented], final, [sweep])).toBe(COIN);
		await anvil.mine(1);
		expect(await signer.finalAmount([...refs, invented], final, [sweep])).toBe(COIN);
	});

	it('finds a deposit of the coin that came with a sweep and left the balance as it was', async () => {
		const index = ethereum.newIndex();
		const address = signer.payInAddress(index);
		const cursor = await cursorNow();
		await ethereum.pay(address, COIN);
		const known = (await found(cursor, watching('ETH', address))).map(refOf);
		const at = await cursorNow();
		const swept = await ethereum.sweep(index, 'ETH');
		await ethereum.take(swept);
		const txId = await ethereum.pay(address, COIN);
		const after = await found(at, watching('ETH', { address, known, swept: swept.amount + swept.fee }));
		expect(after.map(refOf)).toEqual([{ txId, position: 'native', address, asset: 'ETH', amount: COIN }]);
	});
});
