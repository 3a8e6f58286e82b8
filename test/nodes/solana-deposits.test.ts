/** Deposits on Solana, on its virtual machine (litesvm): what a scan finds, and what the signer counts as final. */
import { type Instruction as KitInstruction, address as kitAddress } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect, it } from 'vitest';
import type { DepositRef } from '../../src/chains/port.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import {
	addressOf,
	COIN,
	chain,
	customer,
	FOREIGN_MINT,
	final,
	HOT,
	mintOf,
	node,
	refOf,
	relay,
	SOLANA,
	signer,
	signing,
	solana,
	TOKEN_2022,
	USDC,
	USDT,
	useSolana,
	watch,
	watching,
} from '../support/solana.ts';
import { startSolanaNode } from '../support/solana-node.ts';
import { placeTokens, solanaWallet, tokenAccountOf } from '../support/solana-wallet.ts';

useSolana();

/** Sends without waiting for the simulation, to be fast. */
const dust = (to: string, amount: bigint): Promise<string> =>
	customer.send([customer.transfer(to, amount)], { skipPreflight: true });

/** An instruction that fails: it takes more from the customer than they have. */
const failing = (): KitInstruction =>
	getTransferSolInstruction({ source: customer.signer, destination: kitAddress(HOT), amount: 1n << 62n });

describe('scan', () => {
	it('sees a deposit of SOL when it is confirmed, with its transaction, amount and depth', async () => {
		const address = solana.newAddress();
		const txId = await customer.pay(address, COIN);
		const landed = node.slot() - 1;
		const deposit = { txId, position: 'native', address, asset: 'SOL', amount: COIN };
		expect(await chain.scan(null, watching(watch(address)))).toEqual({
			deposits: [{ ...deposit, confirmations: 2, irreversible: false, height: landed }],
			cursor: String(node.slot() - 1),
			height: node.slot() - 1,
		});
		solana.finalize();
		expect(await solana.scan(watch(address))).toMatchObject([{ ...deposit, irreversible: true, height: landed }]);
	});

	it('does not see what is only processed', async () => {
		const slow = await startSolanaNode({ confirmedAfter: 5 });
		try {
			const lagging = solanaChain(SOLANA, { urls: [slow.url], chain: 'regtest' }, HOT);
			const payer = await solanaWallet(slow, COIN);
			const address = solana.newAddress();
			const txId = await payer.pay(address, COIN / 2n);
			expect((await lagging.scan(null, watching(watch(address)))).deposits).toEqual([]);
			expect(await lagging.transactionDepth(txId)).toMatchObject({ confirmations: 0, height: null, fee: null });
			slow.advance(5);
			expect((await lagging.scan(null, watching(watch(address)))).deposits).toMatchObject([{ txId }]);
		} finally {
			await slow.stop();
		}
	});

	it.each(['USDTSOL', 'USDCSOL'] as const)('sees a deposit of %s, no matter who opened the account', async (asset) => {
		const address = solana.newAddress();
		const txId = await customer.payTokens(mintOf(asset), address, 1_234_567n);
		const next = await customer.payTokens(mintOf(asset), address, 1n);
		const found = await solana.scan(watch(address, asset));
		expect(found.map(refOf)).toEqual([
			{ txId: next, position: 'token', address, asset, amount: 1n },
			{ txId, position: 'token', address, asset, amount: 1_234_567n },
		]);
	});

	it('finds nothing where nothing is new, and then asks for no history', async () => {
		const address = solana.newAddress();
		await customer.pay(address, COIN);
		const found = await solana.scan(watch(address));
		solana.startCounting();
		expect(await solana.scan(watch(address, 'SOL', found))).toEqual([]);
		expect(solana.calls('getSignaturesForAddress') + solana.calls('getTransaction')).toBe(0);
	});

	it('finds the next deposit to an address that has one on record, and none a second time', async () => {
		const address = solana.newAddress();
		await customer.pay(address, COIN);
		const first = await solana.scan(watch(address));
		const txId = await customer.pay(address, COIN);
		const second = await solana.scan(watch(address, 'SOL', first));
		expect(second).toMatchObject([{ txId, amount: COIN }]);
		expect(await solana.scan(watch(address, 'SOL', [...first, ...second]))).toEqual([]);
	});

	it('credits every address that one transaction pays, each with its own part', async () => {
		const [one, other, third] = [solana.newAddress(), solana.newAddress(), solana.newAddress()];
		const tokens = await customer.tokenTransfer(USDT, third, 5n);
		const txId = await customer.send([
			customer.transfer(one, COIN),
			customer.transfer(other, 2n * COIN),
			customer.transfer(one, 3n),
			...tokens,
		]);
		const found = await solana.scan(watch(one), watch(other), watch(third, 'USDTSOL'));
		expect(found.map(({ address, amount }) => [address, amount])).toEqual(
			expect.arrayContaining([
				[one, COIN + 3n],
				[other, 2n * COIN],
				[third, 5n],
			]),
		);
		expect(found.every((deposit) => deposit.txId === txId)).toBe(true);
	});

	it('credits no other token, no token as SOL and no SOL as a token', async () => {
		const [wantsSol, wantsUsdt] = [solana.newAddress(), solana.newAddress()];
		await customer.payTokens(FOREIGN_MINT, wantsUsdt, 5_000_000n);
		await customer.payTokens(USDC, wantsUsdt, 5_000_000n);
		await customer.pay(wantsUsdt, COIN);
		await customer.payTokens(USDT, wantsSol, 5_000_000n);
		expect(await solana.scan(watch(wantsSol), watch(wantsUsdt, 'USDTSOL'))).toEqual([]);
	});

	it('credits nothing of Token-2022, and no account of another owner', async () => {
		const address = solana.newAddress();
		const account = await tokenAccountOf(address, USDT);
		await placeTokens(node, USDT, address, 77n);
		expect(await chain.sweeping?.balances('USDTSOL', [solana.newAddress(), address])).toEqual([0n, 77n]);
		const { data, lamports } = node.accountOf(account) ?? { data: new Uint8Array(), lamports: 0n };
		node.place(account, { owner: TOKEN_2022, lamports, data: new Uint8Array(data) });
		expect(await solana.scan(watch(address, 'USDTSOL'))).toEqual([]);
		expect(await chain.holdings('USDTSOL', [address])).toBe(1_000_000n);
		const stolen = new Uint8Array(data);
		stolen.set(new Uint8Array(32).fill(9), 32);
		node.place(account, { owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', lamports, data: stolen });
		expect(await chain.holdings('USDTSOL', [address])).toBe(1_000_000n);
	});

	it('credits no transaction that failed', async () => {
		const address = solana.newAddress();
		const good = await customer.pay(address, COIN);
		const bad = await customer.send([customer.transfer(address, 5n * COIN), failing()], { skipPreflight: true });
		expect(await solana.scan(watch(address))).toMatchObject([{ txId: good, amount: COIN }]);
		const ref = { txId: bad, position: 'native', address, asset: 'SOL', amount: 5n * COIN } as const;
		expect(await chain.depths([ref])).toEqual([null]);
		solana.finalize();
		expect(await signer.finalAmount([ref], final, [])).toBe(0n);
	});

	it('takes a deposit of any transaction version', async () => {
		relay.intercept(({ method, params }) => {
			const { maxSupportedTransactionVersion = -1 } = (params[1] ?? {}) as { maxSupportedTransactionVersion?: number };
			return method === 'getTransaction' && maxSupportedTransactionVersion < 1
				? { error: { code: -32015, message: 'Transaction version (1) is not supported by the requesting client' } }
				: undefined;
		});
		const address = solana.newAddress();
		const txId = await customer.pay(address, COIN);
		expect(await solana.scan(watch(address))).toMatchObject([{ txId }]);
	});

	it.each([{ error: { code: -32015, message: 'not supported' } }, { result: { slot: 'new' } }])(
		'is not blocked by a transaction that cannot be read: %j',
		async (answer) => {
			const [address, other] = [solana.newAddress(), solana.newAddress()];
			const strange = await customer.pay(address, COIN);
			const txId = await customer.pay(other, COIN);
			relay.intercept(({ method, params }) =>
				method === 'getTransaction' && params[0] === strange ? answer : undefined,
			);
			expect(await solana.scan(watch(address), watch(other))).toMatchObject([{ txId }]);
			relay.intercept(() => undefined);
			expect(await solana.scan(watch(address))).toMatchObject([{ txId: strange }]);
		},
	);

	it('drops a deposit that a fork removes, and finds it where it lands again', async () => {
		node.advance(10);
		const address = solana.newAddress();
		const wire = await customer.wireOf([customer.transfer(address, COIN)]);
		node.advance(3);
		const txId = node.send(wire);
		const found = await solana.scan(watch(address));
		expect(await chain.depths(found)).toMatchObject([{ confirmations: 2, irreversible: false }]);
		node.fork(2);
		expect(await chain.depths(found)).toEqual([null]);
		expect(await solana.scan(watch(address))).toEqual([]);
		expect(await chain.transactionDepth(txId)).toBeNull();
		expect(node.send(wire)).toBe(txId);
		expect(await solana.scan(watch(address))).toMatchObject([{ txId, amount: COIN }]);
		solana.finalize();
		expect(await signer.finalAmount(found, final, [])).toBe(COIN);
	});

	it('asks for a hundred addresses at once, and reads the history only of those that have grown', async () => {
		const open = Array.from({ length: 350 }, () => watch(solana.newAddress()));
		const paid = open.slice(100, 103);
		for (const { address } of paid) await customer.pay(address, COIN);
		solana.startCounting();
		const found = await solana.scan(...open);
		expect(found.map(({ address }) => address).toSorted()).toEqual(paid.map(({ address }) => address).toSorted());
		expect(solana.calls('getMultipleAccounts')).toBe(4);
		expect(solana.calls('getSignaturesForAddress')).toBe(3);
		expect(solana.calls('getTransaction')).toBe(3);
	});

	it('reads a flood of dust in bounded scans, and reaches its end in later scans', async () => {
		const [flooded, other] = [solana.newAddress(), solana.newAddress()];
		const whole = await customer.pay(flooded, COIN);
		for (let count = 0; count < 420; count += 1) await dust(flooded, 1n);
		const late = await customer.pay(other, COIN);
		solana.startCounting();
		const first = await solana.scan(watch(flooded), watch(other));
		expect(solana.calls('getTransaction')).toBeLessThanOrEqual(400);
		expect(solana.calls('getSignaturesForAddress')).toBeLessThanOrEqual(4);
		expect(first.some(({ txId }) => txId === late)).toBe(true);
		const known = first.filter(({ address }) => address === flooded);
		const second = await solana.scan(watch(flooded, 'SOL', known));
		const all = [...known, ...second];
		expect(all.some(({ txId }) => txId === whole)).toBe(true);
		expect(all.reduce((sum, { amount }) => sum + amount, 0n)).toBe(COIN + 420n);
		expect(new Set(all.map(({ txId }) => txId)).size).toBe(421);
		// A scan that is not told of the recorded dust reaches the deposit below it too.
		const own = solanaChain(SOLANA, { urls: [node.url], chain: 'regtest' }, HOT);
		const scans = [];
		for (let count = 0; count < 4; count += 1)
			scans.push((await own.scan(null, watching(watch(flooded)))).deposits.some(({ txId }) => txId === whole));
		expect(scans.slice(0, 1)).toEqual([false]);
		expect(scans).toContain(true);
	});

	it('gets past transactions that name an address and pay it nothing', async () => {
		const address = solana.newAddress();
		const paid = await customer.pay(address, COIN);
		for (let count = 0; count < 420; count += 1) await dust(address, 0n);
		expect(await solana.scan(watch(address))).toEqual([]);
		expect(await solana.scan(watch(address))).toMatchObject([{ txId: paid }]);
	});

	it('counts what was swept as once received', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.pay(address, COIN);
		const first = await solana.scan(watch(address));
		const swept = await signer.sweep?.({ id: 's', asset: 'SOL', index }, signing());
		await chain.broadcast(swept?.raw ?? '');
		expect(await solana.scan(watch(address, 'SOL', first))).toEqual([]);
		const txId = await customer.pay(address, 2n * COIN);
		// Until the sweep is on record as final, no more is credited than the balance covers.
		expect(await solana.scan(watch(address, 'SOL', first))).toEqual([]);
		expect(await solana.scan(watch(address, 'SOL', first, COIN))).toMatchObject([{ txId, amount: 2n * COIN }]);
	});
});

describe('finalAmount', () => {
	it('counts a deposit when it is finalized, and not before', async () => {
		const [one, other] = [solana.newAddress(), solana.newAddress()];
		await customer.pay(one, COIN);
		await customer.payTokens(USDT, other, 25n);
		const sol = await solana.scan(watch(one));
		const usdt = await solana.scan(watch(other, 'USDTSOL'));
		expect(await signer.finalAmount(sol, final, [])).toBe(0n);
		solana.finalize();
		expect(await signer.finalAmount(sol, final, [])).toBe(COIN);
		expect(await signer.finalAmount([...sol, ...sol], final, [])).toBe(COIN);
		expect(await signer.finalAmount(sol, () => false, [])).toBe(0n);
		expect(await signer.finalAmount(usdt, final, [])).toBe(25n);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const address = solana.newAddress();
		await customer.pay(address, COIN);
		const [ref] = (await solana.scan(watch(address))).map(refOf);
		if (!ref) throw new Error('no deposit');
		solana.finalize();
		const forged: DepositRef[] = [
			...[COIN + 1n, COIN - 1n, -COIN, 0n].map((amount) => ({ ...ref, amount })),
			{ ...ref, address: solana.newAddress() },
			{ ...ref, address: customer.address },
			{ ...ref, asset: 'USDTSOL', position: 'token' },
			{ ...ref, asset: 'BNB' },
			{ ...ref, position: '0' },
			{ ...ref, txId: `${ref.txId.slice(0, -1)}${ref.txId.endsWith('1') ? '2' : '1'}` },
			{ ...ref, txId: 'nonsense' },
		];
		for (const wrong of forged) expect(await signer.finalAmount([wrong], final, [])).toBe(0n);
		expect(await signer.finalAmount([ref, ...forged], final, [])).toBe(COIN);
	});

	it('still proves a deposit that was swept', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.pay(address, COIN);
		const found = await solana.scan(watch(address));
		const swept = await signer.sweep?.({ id: 's', asset: 'SOL', index }, signing());
		await chain.broadcast(swept?.raw ?? '');
		solana.finalize();
		expect(solana.lamportsOf(address)).toBe(0n);
		expect(await signer.finalAmount(found, final, [])).toBe(COIN);
	});
});
