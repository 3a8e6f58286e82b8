/** The coin of EVM networks, on real nodes (anvil): what the signer counts as final, and what it pays. */
import { describe, expect, it } from 'vitest';
import { type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { DepositRef, Depth } from '../../src/chains/port.ts';
import type { ChainSigner, Payment } from '../../src/chains/signing-port.ts';
import { startAnvil, startRelay } from '../support/anvil.ts';
import { feeOf } from '../support/chain-costs.ts';
import {
	anvil,
	COIN,
	CUSTOMER,
	chain,
	ethereum,
	HOT,
	hexOf,
	refOf,
	relay,
	SEED,
	signing,
	useEthereum,
} from '../support/ethereum.ts';
import { ENDLESS, FORWARDER, REVERTING } from '../support/evm-code.ts';
import { type CoinMoves, coinMoves, payment, watching } from '../support/evm-coin.ts';
import { textsOf } from '../support/reservations.ts';

let signer: ChainSigner;
let customer: CoinMoves;

useEthereum(async () => {
	// Unlike the signer of `ethereum`, this one asks through the relay, so that tests can intercept its calls.
	signer = evmSigner(networkNamed('Ethereum'), { urls: [relay.url], chain: 'main' }, SEED);
	customer = coinMoves(ethereum);
	await anvil.mine(40);
});

describe('paying', () => {
	it('pays exactly the amount, and broadcasting again and again is one payment', async () => {
		const to = ethereum.newAddress();
		const before = await ethereum.balanceOf(HOT);
		const signed = await signer.sign(payment(to, 123_456_789n), signing());
		expect(await chain.transactionDepth(signed.txId)).toBeNull();
		await chain.broadcast(signed.raw);
		expect(await chain.transactionDepth(signed.txId)).toEqual({
			confirmations: 0,
			irreversible: false,
			height: null,
			reverted: false,
			fee: null,
		});
		await chain.broadcast(signed.raw);
		await anvil.mine(1);
		await chain.broadcast(signed.raw);
		expect(await ethereum.balanceOf(to)).toBe(123_456_789n);
		const paid = before - (await ethereum.balanceOf(HOT)) - 123_456_789n;
		expect(paid > 0n && paid <= signed.fee).toBe(true);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1, fee: paid });
	});

	it('knows by the chain which nonces are used, also those of payments that it does not remember', async () => {
		const before = (await signer.spentByChain?.()) ?? [];
		const used = before.flatMap((spent) => (spent.kind === 'nonce' ? spent.nonce : []))[0] ?? -1;
		const signed = await signer.sign(payment(ethereum.newAddress(), 1n), signing());
		await chain.broadcast(signed.raw);
		await anvil.mine(1);
		expect(await signer.spentByChain?.()).toEqual([{ kind: 'nonce', account: null, nonce: used + 1 }]);
		expect(textsOf(signed.spends)[0]).toBe(`nonce:${used + 1}`);
	});

	it('finds a payment that it has sent by recipient and amount, also on a node that has pruned old states', async () => {
		const now = async () => {
			const { timestamp } = (await anvil.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
			return Number(timestamp) * 1000;
		};
		const mineSlowly = (blocks: number) => anvil.rpc('anvil_mine', hexOf(blocks), hexOf(12));
		const longAgo = await now();
		await mineSlowly(420);
		const since = await now();
		const [to, other] = [ethereum.newAddress(), ethereum.newAddress()];
		const signed = await signer.sign(payment(to, 5n), signing());
		await chain.broadcast(signed.raw);
		await expect(signer.look?.paymentsTo?.('ETH', [to], longAgo)).rejects.toThrow('in the mempool');
		await mineSlowly(20);
		const question = signer.look?.paymentsTo;
		const find = (recipient: string) => question?.('ETH', [recipient], longAgo);
		const paid = { txId: signed.txId, to, amount: 5n };
		const asked = relay.calls.length;
		expect([await find(to), await find(other)]).toEqual([[paid], []]);
		expect(relay.calls.length - asked).toBeLessThan(60);
		// What is paid now, the next question finds, however soon it comes.
		const next = await signer.sign(payment(other, 7n), signing());
		await chain.broadcast(next.raw);
		await mineSlowly(20);
		expect(await signer.look?.paymentsTo?.('ETH', [other], longAgo)).toMatchObject([{ txId: next.txId, amount: 7n }]);
		const hasPaid = (recipient: string, amount: bigint) => signer.hasPaid(signed.txId, payment(recipient, amount));
		expect([await hasPaid(to, 5n), await hasPaid(to, 6n), await hasPaid(other, 5n)]).toEqual([true, false, false]);
		const missing = { error: { code: -32000, message: 'missing trie node' } };
		relay.intercept(({ method, params }) =>
			method === 'eth_getTransactionCount' && String(params[1]).startsWith('0x') ? missing : undefined,
		);
		const forgetful = evmSigner(networkNamed('Ethereum'), { urls: [relay.url], chain: 'main' }, SEED);
		expect(await forgetful.look?.paymentsTo?.('ETH', [to], since)).toEqual([paid]);
		// Nothing must look unsent that was not read.
		await expect(forgetful.look?.paymentsTo?.('ETH', [to], longAgo)).rejects.toThrow('has pruned the states');
	});

	it('takes a nonce for each payout, and none twice', async () => {
		const [one, other] = [ethereum.newAddress(), ethereum.newAddress()];
		const first = await signer.sign(payment(one, 1n), signing());
		const second = await signer.sign(payment(other, 2n), signing(...first.spends));
		expect(new Set(textsOf([...first.spends, ...second.spends])).size).toBe(4);
		await chain.broadcast(first.raw);
		await chain.broadcast(second.raw);
		await anvil.mine(1);
		expect([await ethereum.balanceOf(one), await ethereum.balanceOf(other)]).toEqual([1n, 2n]);
	});

	it('is rejected for good when another transaction has taken the nonce', async () => {
		const one = await signer.sign(payment(ethereum.newAddress(), 1n), signing());
		const other = await signer.sign(payment(ethereum.newAddress(), 2n), signing());
		await ethereum.take(one);
		await expect(chain.broadcast(other.raw)).rejects.toThrow(BroadcastRejected);
	});

	it('is rejected for good when the bytes are no transaction', async () => {
		await expect(chain.broadcast('0x00')).rejects.toThrow(BroadcastRejected);
	});

	it('pays a contract that takes it', async () => {
		const wallet = ethereum.newAddress();
		await anvil.rpc('anvil_setCode', wallet, '0x00');
		const signed = await signer.sign(payment(wallet, COIN), signing());
		await ethereum.take(signed);
		expect(await ethereum.balanceOf(wallet)).toBe(COIN);
	});

	it.each([
		['reverts', REVERTING],
		['never ends', ENDLESS],
	])('does not pay a contract that %s', async (_what, code) => {
		const contract = ethereum.newAddress();
		await anvil.rpc('anvil_setCode', contract, code);
		await expect(signer.sign(payment(contract, COIN), signing())).rejects.toThrow(PaymentImpossible);
	});

	it('does not pay what is no address, no amount, or another asset', async () => {
		const to = ethereum.newAddress();
		for (const wrong of [{ to: to.slice(2) }, { to: `0x${'0'.repeat(40)}` }, { amount: 0n }, { asset: 'BNB' as const }])
			await expect(signer.sign({ ...payment(to, 1n), ...wrong }, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('needs the amount and the whole fee in the hot wallet', async () => {
		await anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
		expect(await chain.balance('ETH')).toBe(COIN);
		await expect(signer.sign(payment(ethereum.newAddress(), 2n * COIN), signing())).rejects.toThrow(
			InsufficientReserve,
		);
		await expect(signer.sign(payment(ethereum.newAddress(), COIN), signing())).rejects.toThrow(InsufficientReserve);
		const { fee } = await signer.sign(payment(ethereum.newAddress(), COIN / 2n), signing());
		await anvil.rpc('anvil_setBalance', HOT, hexOf(COIN + fee));
		const signed = await signer.sign(payment(ethereum.newAddress(), COIN), signing());
		await ethereum.take(signed);
	});

	it('counts a payout that is still pending as spent', async () => {
		await chain.broadcast((await signer.sign(payment(ethereum.newAddress(), 60n * COIN), signing())).raw);
		expect((await chain.balance('ETH')) < 40n * COIN).toBe(true);
		await anvil.mine(1);
	});

	it('waits while gas costs more than the ceiling', async () => {
		relay.intercept(({ method, params }) =>
			method === 'eth_getBlockByNumber' && params[0] === 'latest'
				? { result: { number: '0x1', hash: `0x${'1'.repeat(64)}`, baseFeePerGas: hexOf(600n * 10n ** 9n) } }
				: undefined,
		);
		await expect(signer.sign(payment(ethereum.newAddress(), 1n), signing())).rejects.toThrow(/ceiling/);
	});

	it('estimates the fee of a plain transfer', async () => {
		const { amount: fee } = await feeOf(chain, 'ETH');
		const { fee: most } = await signer.sign(payment(ethereum.newAddress(), 1n), signing());
		expect(fee > 0n && fee <= most).toBe(true);
	});
});

describe('finalAmount', () => {
	const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Ethereum', depth, 100);

	async function deposited(send: (address: string) => Promise<unknown>): Promise<DepositRef[]> {
		const [address, cursor] = [ethereum.newAddress(), await customer.cursorNow()];
		await send(address);
		return (await chain.scan(cursor, watching(address))).deposits.map(refOf);
	}

	it('counts a deposit from its last confirmation on, and each once', async () => {
		const refs = await deposited((address) => ethereum.pay(address, COIN));
		await anvil.mine(10);
		expect(await signer.finalAmount(refs, final, [])).toBe(0n);
		await anvil.mine(1);
		expect(await signer.finalAmount(refs, final, [])).toBe(COIN);
		expect(await signer.finalAmount([...refs, ...refs], final, [])).toBe(COIN);
	});

	it('counts what a contract paid, with and without a trace', async () => {
		const traced = await deposited((address) => customer.payThrough(FORWARDER, address, COIN));
		const untraced = traced.map((ref) => ({ ...ref, position: 'balance', txId: '' }));
		const block = await customer.blockHash(await ethereum.height());
		await anvil.mine(11);
		expect(await signer.finalAmount(traced, final, [])).toBe(COIN);
		expect(
			await signer.finalAmount(
				untraced.map((ref) => ({ ...ref, txId: block })),
				final,
				[],
			),
		).toBe(COIN);
	});

	it('counts what its transaction names where the node has forgotten the balance, and nothing else then', async () => {
		const named = await deposited((address) => ethereum.pay(address, COIN));
		const inside = await deposited((address) => customer.payThrough(FORWARDER, address, COIN));
		await anvil.mine(200);
		const head = await ethereum.height();
		const slow = (depth: Depth) => depth.confirmations >= 150;
		relay.intercept(({ method, params }) =>
			method === 'eth_call' && Number(params[1]) < head - 127
				? { error: { code: -32000, message: 'missing trie node' } }
				: undefined,
		);
		expect(await signer.finalAmount(named, slow, [])).toBe(COIN);
		await expect(signer.finalAmount([...named, ...inside], slow, [])).rejects.toThrow(ChainUnavailable);
		relay.intercept(() => undefined);
		expect(await signer.finalAmount([...named, ...inside], slow, [])).toBe(2n * COIN);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const [ref] = await deposited((address) => ethereum.pay(address, COIN));
		await anvil.mine(20);
		if (!ref) throw new Error('no deposit');
		const forged: DepositRef[] = [
			{ ...ref, amount: COIN + 1n },
			{ ...ref, amount: COIN - 1n },
			{ ...ref, amount: -COIN },
			{ ...ref, address: ethereum.newAddress() },
			{ ...ref, address: ethereum.newAddress(), position: 'internal' },
			{ ...ref, asset: 'BNB' },
			{ ...ref, position: '0' },
			{ ...ref, txId: `0x${'2'.repeat(64)}` },
			{ ...ref, txId: `0x${'2'.repeat(64)}`, position: 'balance' },
			{ ...ref, txId: ref.txId.toUpperCase() },
		];
		for (const wrong of forged) expect(await signer.finalAmount([wrong], final, [])).toBe(0n);
		expect(await signer.finalAmount([ref], final, [])).toBe(COIN);
	});

	it('counts no more than the balance that is final bears, whatever is claimed', async () => {
		const [ref] = await deposited((address) => ethereum.pay(address, COIN));
		if (!ref) throw new Error('no deposit');
		const block = await customer.blockHash(await ethereum.height());
		const claimed = { ...ref, amount: 50n * COIN };
		await anvil.mine(11);
		await ethereum.pay(ref.address, 5n * COIN);
		const claims = [ref, { ...claimed, position: 'internal' }, { ...claimed, position: 'balance', txId: block }];
		expect(await signer.finalAmount(claims, final, [])).toBe(COIN);
	});

	it('counts nothing after a reorganisation has dropped it', async () => {
		const refs = await deposited((address) => ethereum.pay(address, COIN));
		await anvil.mine(12);
		expect(await signer.finalAmount(refs, final, [])).toBe(COIN);
		await anvil.rpc('anvil_reorg', 14, []);
		await anvil.mine(20);
		expect(await signer.finalAmount(refs, final, [])).toBe(0n);
	});
});

describe('a node', () => {
	it('of another chain is unavailable, and the next one is asked', async () => {
		const other = evmChain(networkNamed('BSC'), { urls: [anvil.url], chain: 'main' }, HOT);
		await expect(other.scan(null, watching())).rejects.toThrow(ChainUnavailable);
		await expect(other.register([])).rejects.toThrow('the node is on chain 1, not on 56');
		const signer = evmSigner(networkNamed('BSC'), { urls: [anvil.url], chain: 'main' }, SEED);
		await expect(signer.sign({ ...payment(HOT, 1n), asset: 'BNB' }, signing())).rejects.toThrow(ChainUnavailable);
		const bsc = await startAnvil({ chainId: 56 });
		try {
			const both = evmChain(networkNamed('BSC'), { urls: [anvil.url, bsc.url], chain: 'main' }, HOT);
			await both.register([]);
			expect((await both.scan(null, watching())).height).toBe(0);
		} finally {
			await bsc.stop();
		}
	});

	it('that is down is unavailable, for every question', async () => {
		const gone = await startRelay(null);
		await gone.stop();
		const down = evmChain(networkNamed('Ethereum'), { urls: [gone.url], chain: 'main' }, HOT);
		const ref: DepositRef = { txId: `0x${'1'.repeat(64)}`, position: 'native', address: HOT, asset: 'ETH', amount: 1n };
		const questions = {
			register: () => down.register([]),
			scan: () => down.scan(null, watching()),
			depths: () => down.depths([ref]),
			costsNow: () => feeOf(down, 'ETH'),
			broadcast: () => down.broadcast('0x00'),
			transactionDepth: () => down.transactionDepth(ref.txId),
			balance: () => down.balance('ETH'),
		};
		for (const [name, ask] of Object.entries(questions)) await expect(ask(), name).rejects.toThrow(ChainUnavailable);
	});
});

describe('every EVM network', () => {
	const rows: readonly [NetworkOf<'evm'>['name'], Payment['asset'], number][] = [
		['BSC', 'BNB', 56],
		['Polygon', 'POL', 137],
		['Arbitrum', 'ETHARB', 42161],
		['Optimism', 'ETHOP', 10],
		['Avalanche', 'AVAX', 43114],
	];
	/** Replaces the GasPriceOracle: any call returns 1 000 000. PUSH3, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
	const ORACLE = '0x620f424060005260206000f3';

	it.each(rows)('%s: sees a deposit and pays it out', async (name, asset, chainId) => {
		const node = await startAnvil({ chainId, slotsInAnEpoch: 1, automine: false });
		try {
			await node.rpc('anvil_setBalance', HOT, hexOf(10n * COIN));
			await node.rpc('anvil_setCode', '0x420000000000000000000000000000000000000F', ORACLE);
			const network = networkNamed(name);
			const own = evmChain(network, { urls: [node.url], chain: 'main' }, HOT);
			const signer = evmSigner(network, { urls: [node.url], chain: 'main' }, SEED);
			const address = ethereum.newAddress();
			const { cursor } = await own.scan(null, watching());
			await node.rpc('eth_sendTransaction', { from: CUSTOMER, to: address, value: hexOf(COIN) });
			await node.mine(1);
			const { deposits } = await own.scan(cursor, async () => [{ address, asset, known: [], swept: 0n }]);
			expect(deposits).toMatchObject([{ address, asset, amount: COIN, confirmations: 1 }]);
			await node.mine(300);
			expect(await signer.finalAmount(deposits, (depth) => isFinal(name, depth, null), [])).toBe(COIN);
			const signed = await signer.sign({ id: '1', asset, to: CUSTOMER, amount: COIN }, signing());
			await own.broadcast(signed.raw);
			await node.mine(1);
			expect(await own.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1 });
			const estimated = await feeOf(own, asset);
			expect(estimated.asset).toBe(asset);
			expect(estimated.amount > (name === 'Optimism' ? 1_000_000n : 0n)).toBe(true);
		} finally {
			await node.stop();
		}
	});
});
