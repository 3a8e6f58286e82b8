/** The Solana family on its virtual machine (litesvm): what is watched, what is believed, what is paid, what it costs. */

import { base58 } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { type Instruction as KitInstruction, address as kitAddress } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { Chain, DepositRef, WatchedAddress } from '../../src/chains/port.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { ChainSigner, Payment, SigningState } from '../../src/chains/signing-port.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/solana/keys.ts';
import { solanaSigner } from '../../src/chains/solana/signing.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { ReservationSet } from '../support/reservations.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import {
	placeTokens,
	type SolanaWallet,
	SYSTEM_PROGRAM,
	solanaWallet,
	tokenAccountOf,
	tokensOf,
} from '../support/solana-wallet.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const SOLANA = networkNamed('Solana');
const COIN = 1_000_000_000n;
const FINALIZED_AFTER = 32;
/** What an account of SOL alone, and one of tokens, must hold. */
const [WALLET_RENT, TOKEN_RENT] = [890_880n, 2_039_280n];
const mint = (code: AssetId): string => assetOf(code).contract ?? '';
const [USDT, USDC] = [mint('USDTSOL'), mint('USDCSOL')];
const FOREIGN_MINT = 'So11111111111111111111111111111111111111112';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

let node: SolanaNode;
let relay: Relay;
let chain: Chain;
let signer: ChainSigner;
let customer: SolanaWallet;
let nextIndex = 0;
/** Calls up to where the present test began. */
let callsBefore = 0;

beforeAll(async () => {
	node = await startSolanaNode({ finalizedAfter: FINALIZED_AFTER });
	relay = await startRelay(node.url);
	chain = solanaChain(SOLANA, { urls: [relay.url], chain: 'regtest' }, HOT);
	signer = solanaSigner(SOLANA, { urls: [relay.url], chain: 'regtest' }, SEED);
	for (const each of [USDT, USDC, FOREIGN_MINT]) node.placeMint(each, 6, HOT);
	await chain.register([]);
});

afterAll(async () => {
	await relay?.stop();
	await node?.stop();
});

beforeEach(async () => {
	node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 100n * COIN });
	await placeTokens(node, USDT, HOT, 1_000_000n);
	customer = await solanaWallet(node, 1_000n * COIN);
	for (const each of [USDT, USDC, FOREIGN_MINT]) await placeTokens(node, each, customer.address, 1_000_000_000n);
	callsBefore = relay.calls.length;
});

afterEach(() => {
	relay.intercept(() => undefined);
	node.setRecentPrices([]);
});

const newIndex = (): number => {
	nextIndex += 1;
	return nextIndex;
};
const newAddress = (): string => payInAddress(SEED, newIndex());
const calls = (method: string): number =>
	relay.calls.slice(callsBefore).filter((call) => call.method === method).length;

const watch = (address: string, asset: AssetId = 'SOL', known: readonly DepositRef[] = [], swept = 0n) => ({
	...{ address, asset, known: known.map(refOf), swept },
});
const watching =
	(...open: WatchedAddress[]) =>
	async () =>
		open;
const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	...{ txId, position, address, asset, amount },
});
const scan = async (...open: WatchedAddress[]) => (await chain.scan(null, watching(...open))).deposits;

const payment = (to: string, amount: bigint, more: Partial<Payment> = {}): Payment => ({
	...{ id: 'payout-1', asset: 'SOL', to, amount },
	...more,
});
const signing = (...spent: Reservation[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});
const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Solana', depth, null);
const lamportsOf = (address: string): bigint => node.accountOf(address)?.lamports ?? 0n;
const finalize = (): void => node.advance(FINALIZED_AFTER);

/** In a hurry. */
const dust = (to: string, amount: bigint): Promise<string> =>
	customer.send([customer.transfer(to, amount)], { skipPreflight: true });

/** An instruction that fails: it takes from the customer what nobody has. */
const failing = (): KitInstruction =>
	getTransferSolInstruction({ source: customer.signer, destination: kitAddress(HOT), amount: 1n << 62n });

describe('scan', () => {
	it('sees a deposit of SOL when it is confirmed, with its transaction, amount and depth', async () => {
		const address = newAddress();
		const txId = await customer.pay(address, COIN);
		const landed = node.slot() - 1;
		const deposit = { txId, position: 'native', address, asset: 'SOL', amount: COIN };
		expect(await chain.scan(null, watching(watch(address)))).toEqual({
			deposits: [{ ...deposit, confirmations: 2, irreversible: false, height: landed }],
			cursor: String(node.slot() - 1),
			height: node.slot() - 1,
		});
		finalize();
		expect(await scan(watch(address))).toMatchObject([{ ...deposit, irreversible: true, height: landed }]);
	});

	it('does not see what is only processed', async () => {
		const slow = await startSolanaNode({ confirmedAfter: 5 });
		try {
			const lagging = solanaChain(SOLANA, { urls: [slow.url], chain: 'regtest' }, HOT);
			const payer = await solanaWallet(slow, COIN);
			const address = newAddress();
			const txId = await payer.pay(address, COIN / 2n);
			expect((await lagging.scan(null, watching(watch(address)))).deposits).toEqual([]);
			expect(await lagging.transactionDepth(txId)).toMatchObject({ confirmations: 0, height: null, fee: null });
			slow.advance(5);
			expect((await lagging.scan(null, watching(watch(address)))).deposits).toMatchObject([{ txId }]);
		} finally {
			await slow.stop();
		}
	});

	it.each(['USDTSOL', 'USDCSOL'] as const)('sees a deposit of %s, whoever opened the account', async (asset) => {
		const address = newAddress();
		const txId = await customer.payTokens(mint(asset), address, 1_234_567n);
		const next = await customer.payTokens(mint(asset), address, 1n);
		const found = await scan(watch(address, asset));
		expect(found.map(refOf)).toEqual([
			{ txId: next, position: 'token', address, asset, amount: 1n },
			{ txId, position: 'token', address, asset, amount: 1_234_567n },
		]);
	});

	it('finds nothing where nothing is new, and then asks for no history', async () => {
		const address = newAddress();
		await customer.pay(address, COIN);
		const found = await scan(watch(address));
		callsBefore = relay.calls.length;
		expect(await scan(watch(address, 'SOL', found))).toEqual([]);
		expect(calls('getSignaturesForAddress') + calls('getTransaction')).toBe(0);
	});

	it('finds the next deposit to an address that has one on record, and none a second time', async () => {
		const address = newAddress();
		await customer.pay(address, COIN);
		const first = await scan(watch(address));
		const txId = await customer.pay(address, COIN);
		const second = await scan(watch(address, 'SOL', first));
		expect(second).toMatchObject([{ txId, amount: COIN }]);
		expect(await scan(watch(address, 'SOL', [...first, ...second]))).toEqual([]);
	});

	it('credits every address that one transaction pays, each with its own part', async () => {
		const [one, other, third] = [newAddress(), newAddress(), newAddress()];
		const tokens = await customer.tokenTransfer(USDT, third, 5n);
		const txId = await customer.send([
			...[customer.transfer(one, COIN), customer.transfer(other, 2n * COIN), customer.transfer(one, 3n)],
			...tokens,
		]);
		const found = await scan(watch(one), watch(other), watch(third, 'USDTSOL'));
		expect(found.map(({ address, amount }) => [address, amount])).toEqual(
			expect.arrayContaining([
				[one, COIN + 3n],
				[other, 2n * COIN],
				[third, 5n],
			]),
		);
		expect(found.every((deposit) => deposit.txId === txId)).toBe(true);
	});

	it('takes no other token, no token for SOL and no SOL for a token', async () => {
		const [wantsSol, wantsUsdt] = [newAddress(), newAddress()];
		await customer.payTokens(FOREIGN_MINT, wantsUsdt, 5_000_000n);
		await customer.payTokens(USDC, wantsUsdt, 5_000_000n);
		await customer.pay(wantsUsdt, COIN);
		await customer.payTokens(USDT, wantsSol, 5_000_000n);
		expect(await scan(watch(wantsSol), watch(wantsUsdt, 'USDTSOL'))).toEqual([]);
	});

	it('takes nothing of Token-2022, nor an account that is somebody else’s', async () => {
		const address = newAddress();
		const account = await tokenAccountOf(address, USDT);
		await placeTokens(node, USDT, address, 77n);
		const { data, lamports } = node.accountOf(account) ?? { data: new Uint8Array(), lamports: 0n };
		node.place(account, { owner: TOKEN_2022, lamports, data: new Uint8Array(data) });
		expect(await scan(watch(address, 'USDTSOL'))).toEqual([]);
		expect(await chain.holdings('USDTSOL', [address])).toBe(1_000_000n);
		const stolen = new Uint8Array(data);
		stolen.set(new Uint8Array(32).fill(9), 32);
		node.place(account, { owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', lamports, data: stolen });
		expect(await chain.holdings('USDTSOL', [address])).toBe(1_000_000n);
	});

	it('takes no transaction that failed', async () => {
		const address = newAddress();
		const good = await customer.pay(address, COIN);
		const bad = await customer.send([customer.transfer(address, 5n * COIN), failing()], { skipPreflight: true });
		expect(await scan(watch(address))).toMatchObject([{ txId: good, amount: COIN }]);
		const ref = { txId: bad, position: 'native', address, asset: 'SOL', amount: 5n * COIN } as const;
		expect(await chain.depths([ref])).toEqual([null]);
		finalize();
		expect(await signer.finalAmount([ref], final, [])).toBe(0n);
	});

	it('takes a deposit whatever version of transaction brought it', async () => {
		relay.intercept(({ method, params }) => {
			const { maxSupportedTransactionVersion = -1 } = (params[1] ?? {}) as { maxSupportedTransactionVersion?: number };
			return method === 'getTransaction' && maxSupportedTransactionVersion < 1
				? { error: { code: -32015, message: 'Transaction version (1) is not supported by the requesting client' } }
				: undefined;
		});
		const address = newAddress();
		const txId = await customer.pay(address, COIN);
		expect(await scan(watch(address))).toMatchObject([{ txId }]);
	});

	it.each([{ error: { code: -32015, message: 'not supported' } }, { result: { slot: 'new' } }])(
		'is held back by no transaction that cannot be read: %j',
		async (answer) => {
			const [address, other] = [newAddress(), newAddress()];
			const strange = await customer.pay(address, COIN);
			const txId = await customer.pay(other, COIN);
			relay.intercept(({ method, params }) =>
				method === 'getTransaction' && params[0] === strange ? answer : undefined,
			);
			expect(await scan(watch(address), watch(other))).toMatchObject([{ txId }]);
			relay.intercept(() => undefined);
			expect(await scan(watch(address))).toMatchObject([{ txId: strange }]);
		},
	);

	it('loses a deposit that a fork takes away, and finds it again where it lands anew', async () => {
		node.advance(10);
		const address = newAddress();
		const wire = await customer.wireOf([customer.transfer(address, COIN)]);
		node.advance(3);
		const txId = node.send(wire);
		const found = await scan(watch(address));
		expect(await chain.depths(found)).toMatchObject([{ confirmations: 2, irreversible: false }]);
		node.fork(2);
		expect(await chain.depths(found)).toEqual([null]);
		expect(await scan(watch(address))).toEqual([]);
		expect(await chain.transactionDepth(txId)).toBeNull();
		expect(node.send(wire)).toBe(txId);
		expect(await scan(watch(address))).toMatchObject([{ txId, amount: COIN }]);
		finalize();
		expect(await signer.finalAmount(found, final, [])).toBe(COIN);
	});

	it('asks a hundred addresses at once, and looks into none that has not grown', async () => {
		const open = Array.from({ length: 350 }, () => watch(newAddress()));
		const paid = open.slice(100, 103);
		for (const { address } of paid) await customer.pay(address, COIN);
		callsBefore = relay.calls.length;
		const found = await scan(...open);
		expect(found.map(({ address }) => address).toSorted()).toEqual(paid.map(({ address }) => address).toSorted());
		expect(calls('getMultipleAccounts')).toBe(4);
		expect(calls('getSignaturesForAddress')).toBe(3);
		expect(calls('getTransaction')).toBe(3);
	});

	it('is not kept busy by a flood of dust, and comes to its end in the scans that follow', async () => {
		const [flooded, other] = [newAddress(), newAddress()];
		const whole = await customer.pay(flooded, COIN);
		for (let count = 0; count < 420; count += 1) await dust(flooded, 1n);
		const late = await customer.pay(other, COIN);
		callsBefore = relay.calls.length;
		const first = await scan(watch(flooded), watch(other));
		expect(calls('getTransaction')).toBeLessThanOrEqual(400);
		expect(calls('getSignaturesForAddress')).toBeLessThanOrEqual(4);
		expect(first.some(({ txId }) => txId === late)).toBe(true);
		const known = first.filter(({ address }) => address === flooded);
		const second = await scan(watch(flooded, 'SOL', known));
		const all = [...known, ...second];
		expect(all.some(({ txId }) => txId === whole)).toBe(true);
		expect(all.reduce((sum, { amount }) => sum + amount, 0n)).toBe(COIN + 420n);
		expect(new Set(all.map(({ txId }) => txId)).size).toBe(421);
		// Whoever does not record the dust comes to the deposit below it all the same.
		const own = solanaChain(SOLANA, { urls: [node.url], chain: 'regtest' }, HOT);
		const scans = [];
		for (let count = 0; count < 4; count += 1)
			scans.push((await own.scan(null, watching(watch(flooded)))).deposits.some(({ txId }) => txId === whole));
		expect(scans.slice(0, 1)).toEqual([false]);
		expect(scans).toContain(true);
	});

	it('comes past transactions that name an address and pay it nothing', async () => {
		const address = newAddress();
		const paid = await customer.pay(address, COIN);
		for (let count = 0; count < 420; count += 1) await dust(address, 0n);
		expect(await scan(watch(address))).toEqual([]);
		expect(await scan(watch(address))).toMatchObject([{ txId: paid }]);
	});

	it('counts what was swept as what was once there', async () => {
		const address = newAddress();
		await customer.pay(address, COIN);
		const first = await scan(watch(address));
		const swept = await signer.sweep?.({ id: 's', asset: 'SOL', index: nextIndex }, signing());
		await chain.broadcast(swept?.raw ?? '');
		expect(await scan(watch(address, 'SOL', first))).toEqual([]);
		const txId = await customer.pay(address, 2n * COIN);
		// Before the sweep is on record as final, no more than the balance bears.
		expect(await scan(watch(address, 'SOL', first))).toEqual([]);
		expect(await scan(watch(address, 'SOL', first, COIN))).toMatchObject([{ txId, amount: 2n * COIN }]);
	});
});

describe('finalAmount', () => {
	it('counts a deposit when it is finalized, and not before', async () => {
		const [one, other] = [newAddress(), newAddress()];
		await customer.pay(one, COIN);
		await customer.payTokens(USDT, other, 25n);
		const sol = await scan(watch(one));
		const usdt = await scan(watch(other, 'USDTSOL'));
		expect(await signer.finalAmount(sol, final, [])).toBe(0n);
		finalize();
		expect(await signer.finalAmount(sol, final, [])).toBe(COIN);
		expect(await signer.finalAmount([...sol, ...sol], final, [])).toBe(COIN);
		expect(await signer.finalAmount(sol, () => false, [])).toBe(0n);
		expect(await signer.finalAmount(usdt, final, [])).toBe(25n);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const address = newAddress();
		await customer.pay(address, COIN);
		const [ref] = (await scan(watch(address))).map(refOf);
		if (!ref) throw new Error('no deposit');
		finalize();
		const forged: DepositRef[] = [
			...[COIN + 1n, COIN - 1n, -COIN, 0n].map((amount) => ({ ...ref, amount })),
			{ ...ref, address: newAddress() },
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
		const address = newAddress();
		await customer.pay(address, COIN);
		const found = await scan(watch(address));
		const swept = await signer.sweep?.({ id: 's', asset: 'SOL', index: nextIndex }, signing());
		await chain.broadcast(swept?.raw ?? '');
		finalize();
		expect(lamportsOf(address)).toBe(0n);
		expect(await signer.finalAmount(found, final, [])).toBe(COIN);
	});
});

describe('a payout', () => {
	it('of SOL arrives to the lamport, and costs what it says', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN / 3n), signing());
		const before = await chain.balance('SOL');
		await chain.broadcast(signed.raw);
		expect(lamportsOf(to)).toBe(COIN + COIN / 3n);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({
			...{ confirmations: 2, irreversible: false, reverted: false, fee: signed.fee },
		});
		expect(before - (await chain.balance('SOL'))).toBe(COIN / 3n + signed.fee);
		finalize();
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ irreversible: true });
		const estimate = await chain.feeEstimate('SOL');
		expect(estimate.asset).toBe('SOL');
		expect(estimate.amount).toBeGreaterThanOrEqual(signed.fee);
	});

	it('of tokens opens the recipient’s account where there is none, and says what that cost', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, 250_000n, { asset: 'USDTSOL' }), signing());
		const before = lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(await tokensOf(node, USDT, to)).toBe(250_000n);
		expect(await chain.balance('USDTSOL')).toBe(750_000n);
		const depth = await chain.transactionDepth(signed.txId);
		expect(depth?.fee).toBe(before - lamportsOf(HOT));
		expect(depth?.fee).toBe(signed.fee);
		expect(signed.fee).toBeGreaterThan(TOKEN_RENT);
		const estimate = await chain.feeEstimate('USDTSOL');
		expect(estimate.asset).toBe('SOL');
		expect(estimate.amount).toBeGreaterThanOrEqual(signed.fee);

		const again = await signer.sign(payment(to, 1n, { id: 'payout-2', asset: 'USDTSOL' }), signing());
		await chain.broadcast(again.raw);
		expect(await tokensOf(node, USDT, to)).toBe(250_001n);
		// The account is there: its rent was set aside and not needed.
		expect((await chain.transactionDepth(again.txId))?.fee).toBeLessThan(10_000n);
	});

	it('opens an account of tokens for somebody who has no account at all', async () => {
		const to = newAddress();
		const signed = await signer.sign(payment(to, 9n, { asset: 'USDTSOL' }), signing());
		await chain.broadcast(signed.raw);
		expect(await tokensOf(node, USDT, to)).toBe(9n);
	});

	it('and its equal are two transactions, also of one blockhash; the same asked twice pays once', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const one = await signer.sign(payment(to, COIN), signing());
		const other = await signer.sign(payment(to, COIN, { id: 'payout-2' }), signing());
		const same = await signer.sign(payment(to, COIN), signing());
		expect(other.txId).not.toBe(one.txId);
		expect(same.txId).toBe(one.txId);
		for (const { raw } of [one, other, same, one]) await chain.broadcast(raw);
		expect(lamportsOf(to)).toBe(3n * COIN);
	});

	it('pays for its place what others pay, between a floor and a ceiling', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const fees: bigint[] = [];
		for (const prices of [[], [1n, 2n, 3n, 4n], [0n, 0n, 1_000_000n, 2_000_000n], [1n << 60n]]) {
			node.setRecentPrices(prices);
			fees.push((await signer.sign(payment(to, COIN), signing())).fee - 5_000n);
		}
		// 540 units, at 0.1, 0.1, 2 and 5 lamports a unit, rounded up.
		expect(fees).toEqual([54n, 54n, 1_080n, 2_700n]);
		const signed = await signer.sign(payment(to, COIN), signing());
		await chain.broadcast(signed.raw);
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(signed.fee);
	});

	it('is refused to a program’s account and to a stolen or frozen token account', async () => {
		const to = newAddress();
		// As large as an account can be: no more of it is read than is looked at.
		node.place(to, { owner: TOKEN_2022, lamports: COIN, data: new Uint8Array(10 * 1024 * 1024) });
		const refused = signer.sign(payment(to, COIN), signing());
		await expect(refused).rejects.toThrow(PaymentImpossible);
		await expect(signer.sign(payment(to, 1n, { asset: 'USDTSOL' }), signing())).rejects.toThrow('is no wallet');

		const { address: wallet } = await solanaWallet(node, COIN);
		const account = await tokenAccountOf(wallet, USDT);
		for (const [offset, bend] of [
			// Frozen.
			[108, () => 2],
			// Another's: whatever the byte is, it becomes another one.
			[32, (byte: number) => byte ^ 0xff],
		] as const) {
			await placeTokens(node, USDT, wallet, 1n);
			const { data, lamports, programAddress } = node.accountOf(account) ?? {};
			const bent = new Uint8Array(data ?? []);
			bent[offset] = bend(bent[offset] ?? 0);
			node.place(account, { owner: programAddress ?? '', lamports: lamports ?? 0n, data: bent });
			const refused = signer.sign(payment(wallet, 1n, { asset: 'USDTSOL' }), signing());
			await expect(refused).rejects.toThrow(PaymentImpossible);
		}
	});

	it('is refused where the recipient’s account could not be afterwards', async () => {
		const to = newAddress();
		await expect(signer.sign(payment(to, WALLET_RENT - 1n), signing())).rejects.toThrow(PaymentImpossible);
		await chain.broadcast((await signer.sign(payment(to, WALLET_RENT), signing())).raw);
		await chain.broadcast((await signer.sign(payment(to, 1n, { id: 'payout-2' }), signing())).raw);
		expect(lamportsOf(to)).toBe(WALLET_RENT + 1n);
	});

	it('is refused for what is no payment', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const wrong: Payment[] = [
			...[0n, -1n, 1n << 64n].map((amount) => payment(to, amount)),
			payment('not an address', COIN),
			// The account of a mint's owner's tokens: off the curve.
			payment(await tokenAccountOf(to, USDT), COIN),
			payment(to, COIN, { asset: 'ETH' }),
		];
		for (const each of wrong) await expect(signer.sign(each, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('waits while the wallet lacks the amount, the fee or its own rent', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { fee } = await signer.sign(payment(to, COIN), signing());
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN + WALLET_RENT + fee - 1n });
		const short = signer.sign(payment(to, COIN), signing());
		await expect(short).rejects.toThrow(InsufficientReserve);
		await expect(short).rejects.toThrow('are free');
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
		const tokens = payment(to, 1_000_001n, { asset: 'USDTSOL' });
		await expect(signer.sign(tokens, signing())).rejects.toThrow('1000000 are free');
		await expect(signer.sign(payment(to, 1n, { asset: 'USDCSOL' }), signing())).rejects.toThrow(InsufficientReserve);
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: TOKEN_RENT + WALLET_RENT });
		const unaffordable = payment(to, 1n, { asset: 'USDTSOL' });
		await expect(signer.sign(unaffordable, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('does not count on coins that an earlier one, signed and not yet sent, will take', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const first = await signer.sign(payment(to, 900_000n, { asset: 'USDTSOL' }), signing());
		const second = payment(to, 200_000n, { id: 'payout-2', asset: 'USDTSOL' });
		await expect(signer.sign(second, signing(...first.spends))).rejects.toThrow('100000 are free');
		await chain.broadcast(first.raw);
		await expect(signer.sign(second, signing(...first.spends))).rejects.toThrow('100000 are free');
		await placeTokens(node, USDT, HOT, 200_000n);
		expect((await signer.sign(second, signing(...first.spends))).txId).toMatch(/^\w{80,90}$/);

		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 3n * COIN });
		const sol = await signer.sign(payment(to, 2n * COIN, { id: 'payout-3' }), signing());
		const more = payment(to, COIN, { id: 'payout-4' });
		await expect(signer.sign(more, signing(...sol.spends))).rejects.toThrow(InsufficientReserve);
		// After its last block it takes nothing any more.
		node.advance(152);
		expect((await signer.sign(more, signing(...sol.spends))).fee).toBeGreaterThan(5_000n);
	});

	it('is refused where the simulation fails', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const account = await tokenAccountOf(HOT, USDT);
		const { data, lamports = 0n, programAddress = '' } = node.accountOf(account) ?? {};
		const frozen = new Uint8Array(data ?? []);
		frozen[108] = 2;
		node.place(account, { owner: programAddress, lamports, data: frozen });
		const refused = signer.sign(payment(to, 1n, { asset: 'USDTSOL' }), signing());
		await expect(refused).rejects.toThrow(PaymentImpossible);
		await expect(refused).rejects.toThrow('Account is frozen');
	});

	it('is sent as it was simulated, and nothing that could be sent is shown to a node before', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		await signer.sign(payment(to, COIN), signing());
		const shown = relay.calls.slice(callsBefore).filter(({ method }) => method === 'simulateTransaction');
		expect(shown).toHaveLength(1);
		expect(() => node.send(String(shown[0]?.params[0]))).toThrow('signature');
		expect(calls('sendTransaction')).toBe(0);
	});
});

describe('broadcast', () => {
	it('that comes too late is for a person, and never becomes a second payment', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN), signing());
		node.advance(151);
		// The blockhash is gone, but no finalized block says yet that nothing took it.
		await expect(chain.broadcast(signed.raw)).rejects.toThrow(ChainUnavailable);
		node.advance(FINALIZED_AFTER);
		await expect(chain.broadcast(signed.raw)).rejects.toThrow(BroadcastRejected);
		expect(lamportsOf(to)).toBe(COIN);
	});

	it('is success where the chain holds it already, however long ago', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN), signing());
		await chain.broadcast(signed.raw);
		await chain.broadcast(signed.raw);
		node.advance(400);
		relay.intercept(({ method }) =>
			method === 'sendTransaction'
				? { error: { code: -32002, message: 'Transaction simulation failed: Blockhash not found' } }
				: undefined,
		);
		await chain.broadcast(signed.raw);
		expect(lamportsOf(to)).toBe(2n * COIN);
	});

	it('is tried again where the node is busy, and ends where the transaction is none', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { raw } = await signer.sign(payment(to, COIN), signing());
		relay.intercept(({ method }) =>
			method === 'sendTransaction' ? { error: { code: -32005, message: 'Node is behind by 42 slots' } } : undefined,
		);
		await expect(chain.broadcast(raw)).rejects.toThrow(ChainUnavailable);
		relay.intercept(() => undefined);
		const bent = `${raw.slice(0, 60)}${raw[60] === 'A' ? 'B' : 'A'}${raw.slice(61)}`;
		for (const wrong of [bent, '0x00', '12:AAAA', `12:${'A'.repeat(100)}`])
			await expect(chain.broadcast(wrong)).rejects.toThrow(BroadcastRejected);
		await chain.broadcast(raw);
		expect(lamportsOf(to)).toBe(2n * COIN);
	});

	it('of what failed on chain is shown as reverted, with its fee', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { raw, txId, fee } = await signer.sign(payment(to, COIN), signing());
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
		await expect(chain.broadcast(raw)).rejects.toThrow(ChainUnavailable);
		node.send(raw.slice(raw.indexOf(':') + 1), { skipPreflight: true });
		await chain.broadcast(raw);
		expect(await chain.transactionDepth(txId)).toMatchObject({ reverted: true, fee });
		expect(lamportsOf(to)).toBe(COIN);
	});
});

describe('a sweep', () => {
	it('of SOL takes everything, and the hot wallet pays for it', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await customer.pay(address, COIN + 7n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'SOL' }])) ?? [];
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'SOL', index }, signing());
		if (!signed || !quote) throw new Error('no sweep');
		expect(signed.amount).toBe(COIN + 7n);
		expect(quote).toMatchObject({ amount: COIN + 7n, gas: 0n });
		expect(quote.fee).toBeGreaterThanOrEqual(signed.fee);
		expect(await chain.houseCosts?.('SOL')).toEqual({ deposit: quote.fee, recipient: 0n });
		const before = lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(node.accountOf(address)).toBeNull();
		expect(lamportsOf(HOT) - before).toBe(signed.amount - signed.fee);
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(signed.fee);
	});

	it('of tokens takes everything, closes the account and gives its rent to the hot wallet', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await customer.payTokens(USDT, address, 321n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'USDTSOL' }])) ?? [];
		expect(quote).toEqual({ amount: 321n, fee: 0n, gas: 0n });
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'USDTSOL', index }, signing());
		if (!signed) throw new Error('no sweep');
		const before = lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(node.accountOf(await tokenAccountOf(address, USDT))).toBeNull();
		expect(await chain.balance('USDTSOL')).toBe(1_000_321n);
		const depth = await chain.transactionDepth(signed.txId);
		expect(depth?.fee).toBe(before - lamportsOf(HOT));
		expect(depth?.fee).toBeLessThan(20_000n - TOKEN_RENT);
	});

	it('of a token that the wallet never held opens the wallet’s account for it', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await customer.payTokens(USDC, address, 321n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'USDCSOL' }])) ?? [];
		expect(quote).toMatchObject({ amount: 321n, gas: 0n });
		expect(quote?.fee).toBeGreaterThan(10_000n);
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'USDCSOL', index }, signing());
		if (!signed) throw new Error('no sweep');
		const before = lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(await chain.balance('USDCSOL')).toBe(321n);
		// One account closed, one opened: what is left is the fee.
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(before - lamportsOf(HOT));
		expect(before - lamportsOf(HOT)).toBe(signed.fee - TOKEN_RENT);
	});

	it('of nothing is quoted as nothing and not signed', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		const targets = [
			{ address, asset: 'SOL' },
			{ address, asset: 'USDTSOL' },
		] as const;
		expect(await chain.sweeping?.quote(targets)).toEqual([
			{ amount: 0n, fee: 0n, gas: 0n },
			{ amount: 0n, fee: 0n, gas: 0n },
		]);
		expect(await chain.sweeping?.quote([])).toEqual([]);
		await expect(signer.sweep?.({ id: 's', asset: 'SOL', index }, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('waits while the hot wallet cannot pay for it', async () => {
		const index = newIndex();
		await customer.pay(payInAddress(SEED, index), COIN);
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: WALLET_RENT + 100n });
		await expect(signer.sweep?.({ id: 's', asset: 'SOL', index }, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('leaves what the wallets hold together as it was, but for the fees', async () => {
		const [sol, usdt] = [newIndex(), newIndex()];
		const [solAddress, usdtAddress] = [payInAddress(SEED, sol), payInAddress(SEED, usdt)];
		await customer.pay(solAddress, COIN);
		await customer.payTokens(USDT, usdtAddress, 40n);
		const held = async () => [
			await chain.holdings('SOL', [solAddress, solAddress]),
			await chain.holdings('USDTSOL', [usdtAddress]),
		];
		const [solBefore = 0n, usdtBefore] = await held();
		let fees = 0n;
		for (const [index, asset] of [
			[sol, 'SOL'],
			[usdt, 'USDTSOL'],
		] as const) {
			const signed = await signer.sweep?.({ id: `sweep-${asset}`, asset, index }, signing());
			await chain.broadcast(signed?.raw ?? '');
			fees += (await chain.transactionDepth(signed?.txId ?? ''))?.fee ?? 0n;
		}
		expect(await held()).toEqual([solBefore - fees, usdtBefore]);
	});
});

describe('a node', () => {
	const chainOn = (urls: readonly string[], which: 'main' | 'regtest') =>
		solanaChain(SOLANA, { urls, chain: which }, HOT);
	const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

	it('of another cluster is unavailable, and the next one is asked', async () => {
		await expect(chainOn([node.url], 'main').scan(null, watching())).rejects.toThrow('genesis');
		const onMain = solanaSigner(SOLANA, { urls: [node.url], chain: 'main' }, SEED);
		await expect(onMain.sign(payment(HOT, 1n), signing())).rejects.toThrow(ChainUnavailable);
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			await expect(chainOn([main.url], 'regtest').register([])).rejects.toThrow(ChainUnavailable);
			for (const each of [USDT, USDC]) main.placeMint(each, 6, HOT);
			expect((await chainOn([node.url, main.url], 'main').scan(null, watching())).height).toBe(main.slot() - 1);
		} finally {
			await main.stop();
		}
	});

	it('of mainnet that does not know our mints as the catalog does is unavailable', async () => {
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			main.placeMint(USDC, 6, HOT);
			await expect(chainOn([main.url], 'main').register([])).rejects.toThrow('USDTSOL');
			main.placeMint(USDT, 9, HOT);
			await expect(chainOn([main.url], 'main').register([])).rejects.toThrow('9 decimals, not the 6 of the catalog');
			main.placeMint(USDT, 6, HOT);
			await chainOn([main.url], 'main').register([]);
		} finally {
			await main.stop();
		}
	});

	it('is checked by what the operator asks: genesis, slots, history, mints and the wallet’s coins', async () => {
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			for (const each of [USDT, USDC]) main.placeMint(each, 6, HOT);
			const found = await chainOn([main.url, node.url], 'main').check();
			expect(found.map(({ ok }) => ok)).toEqual([true, true, true, true, false, false]);
			const details = found.map(({ detail }) => detail);
			for (const part of ['genesis of mainnet', 'since slot 0', '6 decimals', 'holds 0 lamports: fill it'])
				expect(
					details.some((detail) => detail.includes(part)),
					part,
				).toBe(true);
			main.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
			expect((await chainOn([main.url], 'main').check()).every(({ ok }) => ok)).toBe(true);
		} finally {
			await main.stop();
		}
	});

	it('a little behind the last look is waited for, and one far behind is unavailable', async () => {
		const address = newAddress();
		await customer.pay(address, COIN);
		const ahead = String(node.slot() + 20);
		expect(await chain.scan(ahead, watching(watch(address)))).toEqual({
			...{ deposits: [], cursor: ahead, height: node.slot() - 1 },
		});
		// Nor does it call a deposit gone that it may not have seen yet.
		const unseen = { txId: base58.encode(new Uint8Array(64).fill(7)), position: 'native', address, amount: 1n };
		await expect(chain.depths([{ ...unseen, asset: 'SOL' }])).rejects.toThrow(ChainUnavailable);
		await scan(watch(address));
		expect(await chain.depths([{ ...unseen, asset: 'SOL' }])).toEqual([null]);
		await expect(chain.scan(String(node.slot() + 1_000), watching(watch(address)))).rejects.toThrow(ChainUnavailable);
		await expect(chain.scan('nonsense', watching())).rejects.toThrow(TypeError);
	});

	it('that shows a balance without the transactions that made it credits nothing', async () => {
		const address = newAddress();
		const value = [{ lamports: 10n ** 18n, owner: SYSTEM_PROGRAM, data: ['', 'base64'] }];
		const shown = value.map((each) => ({ ...each, lamports: String(each.lamports) }));
		relay.intercept(({ method }) =>
			method === 'getMultipleAccounts' ? { result: { context: { slot: node.slot() }, value: shown } } : undefined,
		);
		expect(await scan(watch(address))).toEqual([]);
	});

	it('that makes a deposit larger than the balance bears is not believed', async () => {
		const address = newAddress();
		const txId = await customer.pay(address, COIN);
		relay.intercept(({ method }) =>
			method === 'getTransaction'
				? {
						result: {
							slot: 1,
							transaction: { signatures: [txId], message: { accountKeys: [customer.address, address] } },
							meta: { err: null, fee: 0, preBalances: [0, 0], postBalances: [0, '18446744073709551615'] },
						},
					}
				: undefined,
		);
		expect(await scan(watch(address))).toEqual([]);
		relay.intercept(() => undefined);
		expect(await scan(watch(address))).toMatchObject([{ txId, amount: COIN }]);
	});

	const nonsense: Record<string, unknown> = {
		nothing: null,
		text: 'hello',
		list: [],
		'a number': 7,
		'an empty context': { context: {}, value: [] },
		'too few accounts': { context: { slot: 1_000_000 }, value: [] },
		'more than 64 bits': {
			context: { slot: 2_000 },
			value: [{ lamports: '99999999999999999999', owner: SYSTEM_PROGRAM, data: ['', 'base64'] }],
		},
		'a slot that is none': { context: { slot: 2 ** 50 }, value: [null] },
	};
	it.each(Object.keys(nonsense))('that answers %s is unavailable, whatever was asked', async (name) => {
		const address = newAddress();
		const txId = await customer.pay(address, COIN);
		relay.intercept(() => ({ result: nonsense[name] }));
		for (const ask of [
			() => scan(watch(address)),
			() => chain.depths([{ txId, position: 'native', address, asset: 'SOL', amount: 1n }]),
			() => chain.transactionDepth(txId),
			() => chain.holdings('SOL', [address]),
			() => signer.sign(payment(customer.address, 1n), signing()),
		])
			await expect(ask(), name).rejects.toThrow(ChainUnavailable);
	});

	it('that gives another transaction than the one it was asked for is unavailable', async () => {
		const [address, other] = [newAddress(), newAddress()];
		const txId = await customer.pay(address, COIN);
		const wrong = await customer.pay(other, 5n * COIN);
		const { result } = (await (
			await fetch(node.url, {
				method: 'POST',
				body: JSON.stringify({ id: 1, method: 'getTransaction', params: [wrong, { commitment: 'confirmed' }] }),
			})
		).json()) as { result: unknown };
		relay.intercept(({ method }) => (method === 'getTransaction' ? { result } : undefined));
		await expect(scan(watch(address))).rejects.toThrow(ChainUnavailable);
		await expect(chain.transactionDepth(txId)).rejects.toThrow(ChainUnavailable);
	});

	it('that is down is unavailable, for every question', async () => {
		const gone = await startRelay(null);
		await gone.stop();
		const down = chainOn([gone.url], 'regtest');
		const address = newAddress();
		const txId = await customer.pay(address, COIN);
		const ref: DepositRef = { txId, position: 'native', address, asset: 'SOL', amount: 1n };
		const { raw } = await signer.sign(payment(customer.address, 1n), signing());
		const questions = {
			register: () => down.register([]),
			scan: () => down.scan(null, watching()),
			depths: () => down.depths([ref]),
			feeEstimate: () => down.feeEstimate('USDTSOL'),
			broadcast: () => down.broadcast(raw),
			transactionDepth: () => down.transactionDepth(txId),
			balance: () => down.balance('SOL'),
			holdings: () => down.holdings('USDTSOL', [HOT]),
			quote: async () => down.sweeping?.quote([{ address, asset: 'SOL' }]),
		};
		for (const [name, ask] of Object.entries(questions)) await expect(ask(), name).rejects.toThrow(ChainUnavailable);
		expect((await down.check()).map(({ ok }) => ok)).toEqual([false]);
	});
});
