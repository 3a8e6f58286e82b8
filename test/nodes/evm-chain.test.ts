/** The EVM family on real nodes (anvil): what is watched, what is believed, what is paid. */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/evm/keys.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { Chain, DepositRef, Depth, WatchedAddress } from '../../src/chains/port.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { Payment, SigningState } from '../../src/chains/signing-port.ts';
import { type Anvil, type Relay, startAnvil, startRelay, strangers } from '../support/anvil.ts';
import { ReservationSet, textsOf } from '../support/reservations.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const COIN = 10n ** 18n;
/** anvil's first account: the customer. */
const CUSTOMER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Sends what it is paid to the address in its input: CALL(gas, calldata[0], callvalue, 0, 0, 0, 0). */
const FORWARD = '6000600060006000346000355af1';
const FORWARDER = `0x${FORWARD}00`;
/** Does the same, and then undoes it. */
const REGRETTER = `0x${FORWARD}60006000fd`;
const REGRETTER_ADDRESS = `0x${'5e'.repeat(20)}`;
/** Pays through the one that undoes it, and then itself. */
const HESITANT = `0x6020600060003760006000602060003473${REGRETTER_ADDRESS.slice(2)}5af150${FORWARD}00`;
const REVERTING = '0x60006000fd';
/** Uses up all gas that it is given: JUMPDEST, PUSH1 0, JUMP. */
const ENDLESS = '0x5b600056';

let anvil: Anvil;
let relay: Relay;
let chain: Chain;
let nextIndex = 0;

beforeAll(async () => {
	anvil = await startAnvil({ chainId: 1, slotsInAnEpoch: 1, automine: false });
	relay = await startRelay(anvil.url);
	chain = evmChain(networkNamed('Ethereum'), { urls: [relay.url], chain: 'main' }, HOT);
	await anvil.mine(40);
});

afterAll(async () => {
	await relay?.stop();
	await anvil?.stop();
});

beforeEach(async () => {
	relay.intercept(() => undefined);
	await anvil.rpc('anvil_setBalance', HOT, hexOf(100n * COIN));
});

const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

const newAddress = (): string => {
	nextIndex += 1;
	return payInAddress(SEED, nextIndex);
};

/** Into the mempool. */
const submit = (transaction: Record<string, string>): Promise<string> =>
	anvil.rpc('eth_sendTransaction', { from: CUSTOMER, ...transaction }) as Promise<string>;

/** Into a block of its own. */
async function send(transaction: Record<string, string>): Promise<string> {
	const txId = await submit(transaction);
	await anvil.mine(1);
	return txId;
}

const pay = (to: string, value: bigint): Promise<string> => send({ to, value: hexOf(value) });

const payLater = (to: string, value: bigint): Promise<string> => submit({ to, value: hexOf(value) });

/** Hands out a signed payout and mines it. */
async function broadcast(raw: string): Promise<void> {
	await chain.broadcast(raw);
	await anvil.mine(1);
}

/** Pays from inside a call of a contract with this code. */
async function payThrough(code: string, to: string, value: bigint): Promise<string> {
	const contract = `0x${(0xc0de0000 + nextIndex).toString(16).padStart(40, '0')}`;
	await anvil.rpc('anvil_setCode', contract, code);
	const data = `0x${to.slice(2).toLowerCase().padStart(64, '0')}`;
	return send({ to: contract, value: hexOf(value), data, gas: hexOf(300_000) });
}

const height = async (): Promise<number> => Number(await anvil.rpc('eth_blockNumber'));

const blockHash = async (number: number): Promise<string> =>
	((await anvil.rpc('eth_getBlockByNumber', hexOf(number), false)) as { hash: string }).hash;

const watching =
	(...open: (string | WatchedAddress)[]) =>
	async (): Promise<WatchedAddress[]> =>
		open.map((each) => (typeof each === 'string' ? { address: each, asset: 'ETH', known: [], swept: 0n } : each));

const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	...{ txId, position, address, asset, amount },
});

const known = (address: string, refs: readonly DepositRef[]): WatchedAddress => ({
	...{ address, asset: 'ETH', known: refs.map(refOf), swept: 0n },
});

const cursorNow = async (): Promise<string> => (await chain.scan(null, watching())).cursor;

const signing = (...spent: Reservation[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});

const payment = (to: string, amount: bigint): Payment => ({ id: 'payout-1', asset: 'ETH', to, amount });

const balanceOf = async (address: string): Promise<bigint> =>
	BigInt((await anvil.rpc('eth_getBalance', address, 'latest')) as string);

describe('scan', () => {
	it('finds a deposit with its transaction, its amount and its depth', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await pay(address, COIN);
		await anvil.mine(2);
		const scan = await chain.scan(cursor, watching(address));
		const deposit = { txId, position: 'native', address, asset: 'ETH', amount: COIN };
		const depth = { confirmations: 3, irreversible: true, height: (await height()) - 2 };
		expect(scan).toEqual({
			deposits: [{ ...deposit, ...depth }],
			cursor: String(await height()),
			height: await height(),
		});
	});

	it('finds nothing where nothing is new', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await pay(address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		await anvil.mine(3);
		const again = await chain.scan(cursor, watching(known(address, deposits)));
		expect(again.deposits).toEqual([]);
	});

	it('tells two deposits to one address apart, in two blocks and in one', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const sent = [await pay(address, 1n), await pay(address, 2n)];
		sent.push(await payLater(address, 3n), await payLater(address, 3n));
		await anvil.mine(1);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(({ txId }) => txId).sort()).toEqual(sent.sort());
		expect(deposits.reduce((sum, { amount }) => sum + amount, 0n)).toBe(9n);
	});

	it('finds the next deposit to an address that has one on record', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await pay(address, COIN);
		const first = await chain.scan(cursor, watching(address));
		const txId = await pay(address, COIN);
		const second = await chain.scan(first.cursor, watching(known(address, first.deposits)));
		expect(second.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('finds deposits far apart among many blocks, to many addresses', async () => {
		const [cursor, sent, addresses] = [await cursorNow(), new Map<string, string>(), [] as string[]];
		for (let count = 0; count < 5; count += 1) {
			const address = newAddress();
			addresses.push(address);
			sent.set(await pay(address, COIN + BigInt(count)), address);
			await anvil.mine(37);
		}
		const { deposits } = await chain.scan(cursor, watching(...addresses));
		expect(new Map(deposits.map(({ txId, address }) => [txId, address]))).toEqual(sent);
	});

	it('finds what a contract pays, and names the transaction', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await payThrough(FORWARDER, address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'ETH', amount: COIN }]);
	});

	it.each(['debug_traceBlockByNumber', 'trace_block'])(
		'counts nothing that a call has undone, as %s tells it',
		async (method) => {
			relay.intercept((call) =>
				/^(debug_)?trace/.test(call.method) && call.method !== method
					? { error: { code: -32601, message: 'the method does not exist' } }
					: undefined,
			);
			const [address, cursor] = [newAddress(), await cursorNow()];
			await anvil.rpc('anvil_setCode', REGRETTER_ADDRESS, REGRETTER);
			const txId = await payThrough(HESITANT, address, COIN);
			expect(await balanceOf(address)).toBe(COIN);
			const { deposits } = await chain.scan(cursor, watching(address));
			expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'ETH', amount: COIN }]);
		},
	);

	it('takes block and growth for evidence where the node cannot trace', async () => {
		relay.intercept(({ method }) =>
			/^(debug_)?trace/.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : undefined,
		);
		const [address, cursor] = [newAddress(), await cursorNow()];
		const direct = await pay(address, 5n);
		await payThrough(FORWARDER, address, COIN);
		const found = await height();
		await anvil.mine(4);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.map(refOf)).toEqual([
			{ txId: direct, position: 'native', address, asset: 'ETH', amount: 5n },
			{ txId: await blockHash(found), position: 'balance', address, asset: 'ETH', amount: COIN },
		]);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 6 }, { confirmations: 5, height: found }]);
		const again = await chain.scan(cursor, watching(known(address, deposits)));
		expect(again.deposits).toEqual([]);
	});

	it('does not call the same money by a second name when the node can trace later', async () => {
		relay.intercept(({ method }) =>
			/^(debug_)?trace/.test(method) ? { error: { code: -32601, message: 'the method does not exist' } } : undefined,
		);
		const [address, cursor] = [newAddress(), await cursorNow()];
		await payThrough(FORWARDER, address, COIN);
		const first = await chain.scan(cursor, watching(address));
		relay.intercept(() => undefined);
		const txId = await pay(address, COIN);
		const second = await chain.scan(cursor, watching(known(address, first.deposits)));
		expect(second.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('finds what a contract paid in many blocks, and asks for few traces', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		for (let count = 0; count < 12; count += 1) await payThrough(FORWARDER, address, COIN);
		const before = relay.calls.length;
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits.filter(({ position }) => position === 'internal').length).toBe(10);
		expect(deposits.reduce((sum, { amount }) => sum + amount, 0n)).toBe(12n * COIN);
		expect(relay.calls.slice(before).filter(({ method }) => /trace/.test(method)).length).toBe(10);
	});

	it.each([false, true])(
		'takes no transaction that was reverted, nor one that pays nothing (pruned: %s)',
		async (pruned) => {
			const [address, cursor] = [newAddress(), await cursorNow()];
			const txId = await pay(address, 7n);
			await pay(address, 0n);
			await anvil.rpc('anvil_setCode', address, REVERTING);
			const reverted = await send({ to: address, value: hexOf(3n), gas: hexOf(100_000) });
			await anvil.rpc('anvil_setCode', address, '0x');
			const head = await height();
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

	it('explains what had arrived before the first scan', async () => {
		const address = newAddress();
		const txId = await pay(address, COIN);
		await anvil.mine(100);
		const { deposits } = await chain.scan(null, watching(address));
		expect(deposits).toMatchObject([{ txId, confirmations: 101 }]);
	});

	it('holds on to money whose origin is too long ago to be looked for', async () => {
		const address = newAddress();
		await pay(address, COIN);
		await anvil.mine(700);
		const { deposits } = await chain.scan(null, watching(address));
		expect(deposits.map(({ position, amount }) => [position, amount])).toEqual([['balance', COIN]]);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 301, irreversible: true }]);
	});

	it('finds a deposit that a reorganisation moved to a block below the cursor', async () => {
		const address = newAddress();
		await anvil.mine(5);
		const cursor = await cursorNow();
		await anvil.rpc('anvil_rollback', 4);
		const txId = await pay(address, COIN);
		await anvil.mine(6);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits).toMatchObject([{ txId, confirmations: 7 }]);
	});

	it('waits where the node is a little behind the cursor, and is unavailable where it is far behind', async () => {
		const address = newAddress();
		await pay(address, COIN);
		const head = await height();
		const behind = await chain.scan(String(head + 3), watching(address));
		expect(behind).toEqual({ deposits: [], cursor: String(head + 3), height: head });
		// Nor does it call a deposit gone that it may not have seen yet.
		const unseen = { txId: `0x${'7'.repeat(64)}`, position: 'native', address, asset: 'ETH' as const, amount: 1n };
		await expect(chain.depths([unseen])).rejects.toThrow(ChainUnavailable);
		await anvil.mine(3);
		expect(await chain.depths([unseen])).toEqual([null]);
		await expect(chain.scan(String(head + 1_000), watching(address))).rejects.toThrow(ChainUnavailable);
	});

	it('reads block by block where the node has pruned old balances', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const old = await pay(address, COIN);
		await anvil.mine(150);
		const recent = await pay(address, COIN);
		const [head, oldest] = [await height(), (await height()) - 127];
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

	it('goes on in the next scan where there is more to explain than one scan may ask', async () => {
		const cursor = await cursorNow();
		const addresses = Array.from({ length: 60 }, newAddress);
		const sent: string[] = [];
		for (const address of addresses) sent.push(await pay(address, COIN));
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
		const cursor = await cursorNow();
		const quiet = relay.calls.length;
		await chain.scan(cursor, watching(...addresses));
		expect(
			relay.calls
				.slice(quiet)
				.map(({ method }) => method)
				.sort(),
		).toEqual([...['eth_call', 'eth_call', 'eth_call', 'eth_getBlockByNumber', 'eth_getBlockByNumber']]);
		const txId = await pay(paid, COIN);
		const { deposits } = await chain.scan(cursor, watching(...addresses));
		expect(deposits.map((deposit) => [deposit.address, deposit.txId])).toEqual([[paid, txId]]);
	});
});

describe('depths', () => {
	it('says null for a deposit that a reorganisation dropped, and scan no longer finds it', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await pay(address, COIN);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 1, irreversible: false }]);
		await anvil.rpc('anvil_reorg', 1, []);
		expect(await chain.depths(deposits)).toEqual([null]);
		expect((await chain.scan(cursor, watching(address))).deposits).toEqual([]);
	});

	it('follows the finalized block of the node', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await pay(address, COIN);
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
		const [address, cursor] = [newAddress(), await cursorNow()];
		await pay(address, COIN);
		await anvil.mine(40);
		const { deposits } = await chain.scan(cursor, watching(address));
		expect(deposits).toMatchObject([{ confirmations: 41, irreversible: false }]);
	});

	it('answers in order, with 0 confirmations for what is in the mempool and null for strangers', async () => {
		const address = newAddress();
		const mined = await pay(address, COIN);
		const pending = await payLater(address, COIN);
		const ref = (txId: string): DepositRef => ({ txId, position: 'native', address, asset: 'ETH', amount: COIN });
		const depths = await chain.depths([ref(pending), ref(`0x${'1'.repeat(64)}`), ref(mined), ref('nonsense')]);
		expect(depths).toMatchObject([{ confirmations: 0, height: null }, null, { confirmations: 1 }, null]);
		await anvil.mine(1);
	});
});

describe('paying', () => {
	const signer = () => evmSigner(networkNamed('Ethereum'), { urls: [relay.url], chain: 'main' }, SEED);

	it('pays exactly the amount, and broadcasting again and again is one payment', async () => {
		const to = newAddress();
		const before = await balanceOf(HOT);
		const signed = await signer().sign(payment(to, 123_456_789n), signing());
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
		expect(await balanceOf(to)).toBe(123_456_789n);
		const paid = before - (await balanceOf(HOT)) - 123_456_789n;
		expect(paid > 0n && paid <= signed.fee).toBe(true);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1, fee: paid });
	});

	it('takes a nonce for each payout, and none twice', async () => {
		const [one, other] = [newAddress(), newAddress()];
		const first = await signer().sign(payment(one, 1n), signing());
		const second = await signer().sign(payment(other, 2n), signing(...first.spends));
		expect(new Set(textsOf([...first.spends, ...second.spends])).size).toBe(2);
		await chain.broadcast(first.raw);
		await chain.broadcast(second.raw);
		await anvil.mine(1);
		expect([await balanceOf(one), await balanceOf(other)]).toEqual([1n, 2n]);
	});

	it('is rejected for good when another transaction has taken the nonce', async () => {
		const one = await signer().sign(payment(newAddress(), 1n), signing());
		const other = await signer().sign(payment(newAddress(), 2n), signing());
		await broadcast(one.raw);
		await expect(chain.broadcast(other.raw)).rejects.toThrow(BroadcastRejected);
	});

	it('is rejected for good when the bytes are no transaction', async () => {
		await expect(chain.broadcast('0x00')).rejects.toThrow(BroadcastRejected);
	});

	it('pays a contract that takes it', async () => {
		const wallet = newAddress();
		await anvil.rpc('anvil_setCode', wallet, '0x00');
		const signed = await signer().sign(payment(wallet, COIN), signing());
		await broadcast(signed.raw);
		expect(await balanceOf(wallet)).toBe(COIN);
	});

	it.each([
		['reverts', REVERTING],
		['never ends', ENDLESS],
	])('does not pay a contract that %s', async (_what, code) => {
		const contract = newAddress();
		await anvil.rpc('anvil_setCode', contract, code);
		await expect(signer().sign(payment(contract, COIN), signing())).rejects.toThrow(PaymentImpossible);
	});

	it('does not pay what is no address, no amount, or another asset', async () => {
		const to = newAddress();
		for (const wrong of [{ to: to.slice(2) }, { to: `0x${'0'.repeat(40)}` }, { amount: 0n }, { asset: 'BNB' as const }])
			await expect(signer().sign({ ...payment(to, 1n), ...wrong }, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('needs the amount and the whole fee in the hot wallet', async () => {
		await anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
		expect(await chain.balance('ETH')).toBe(COIN);
		await expect(signer().sign(payment(newAddress(), 2n * COIN), signing())).rejects.toThrow(InsufficientReserve);
		await expect(signer().sign(payment(newAddress(), COIN), signing())).rejects.toThrow(InsufficientReserve);
		const { fee } = await signer().sign(payment(newAddress(), COIN / 2n), signing());
		await anvil.rpc('anvil_setBalance', HOT, hexOf(COIN + fee));
		const signed = await signer().sign(payment(newAddress(), COIN), signing());
		await broadcast(signed.raw);
	});

	it('counts a payout that is still pending as spent', async () => {
		await chain.broadcast((await signer().sign(payment(newAddress(), 60n * COIN), signing())).raw);
		expect((await chain.balance('ETH')) < 40n * COIN).toBe(true);
		await anvil.mine(1);
	});

	it('waits while gas costs more than the ceiling', async () => {
		relay.intercept(({ method, params }) =>
			method === 'eth_getBlockByNumber' && params[0] === 'latest'
				? { result: { number: '0x1', hash: `0x${'1'.repeat(64)}`, baseFeePerGas: hexOf(600n * 10n ** 9n) } }
				: undefined,
		);
		await expect(signer().sign(payment(newAddress(), 1n), signing())).rejects.toThrow(/ceiling/);
	});

	it('estimates the fee of a plain transfer', async () => {
		const { amount: fee } = await chain.feeEstimate('ETH');
		const { fee: most } = await signer().sign(payment(newAddress(), 1n), signing());
		expect(fee > 0n && fee <= most).toBe(true);
	});
});

describe('finalAmount', () => {
	const signer = () => evmSigner(networkNamed('Ethereum'), { urls: [relay.url], chain: 'main' }, SEED);
	const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Ethereum', depth, 100);

	async function deposited(send: (address: string) => Promise<unknown>): Promise<DepositRef[]> {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await send(address);
		return (await chain.scan(cursor, watching(address))).deposits.map(refOf);
	}

	it('counts a deposit from its last confirmation on, and each once', async () => {
		const refs = await deposited((address) => pay(address, COIN));
		await anvil.mine(10);
		expect(await signer().finalAmount(refs, final, [])).toBe(0n);
		await anvil.mine(1);
		expect(await signer().finalAmount(refs, final, [])).toBe(COIN);
		expect(await signer().finalAmount([...refs, ...refs], final, [])).toBe(COIN);
	});

	it('counts what a contract paid, with and without a trace', async () => {
		const traced = await deposited((address) => payThrough(FORWARDER, address, COIN));
		const untraced = traced.map((ref) => ({ ...ref, position: 'balance', txId: '' }));
		const block = await blockHash(await height());
		await anvil.mine(11);
		expect(await signer().finalAmount(traced, final, [])).toBe(COIN);
		expect(
			await signer().finalAmount(
				untraced.map((ref) => ({ ...ref, txId: block })),
				final,
				[],
			),
		).toBe(COIN);
	});

	it('counts what its transaction names where the node has forgotten the balance, and nothing else then', async () => {
		const named = await deposited((address) => pay(address, COIN));
		const inside = await deposited((address) => payThrough(FORWARDER, address, COIN));
		await anvil.mine(200);
		const head = await height();
		const slow = (depth: Depth) => depth.confirmations >= 150;
		relay.intercept(({ method, params }) =>
			method === 'eth_call' && Number(params[1]) < head - 127
				? { error: { code: -32000, message: 'missing trie node' } }
				: undefined,
		);
		expect(await signer().finalAmount(named, slow, [])).toBe(COIN);
		await expect(signer().finalAmount([...named, ...inside], slow, [])).rejects.toThrow(ChainUnavailable);
		relay.intercept(() => undefined);
		expect(await signer().finalAmount([...named, ...inside], slow, [])).toBe(2n * COIN);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const [ref] = await deposited((address) => pay(address, COIN));
		await anvil.mine(20);
		if (!ref) throw new Error('no deposit');
		const forged: DepositRef[] = [
			{ ...ref, amount: COIN + 1n },
			{ ...ref, amount: COIN - 1n },
			{ ...ref, amount: -COIN },
			{ ...ref, address: newAddress() },
			{ ...ref, address: newAddress(), position: 'internal' },
			{ ...ref, asset: 'BNB' },
			{ ...ref, position: '0' },
			{ ...ref, txId: `0x${'2'.repeat(64)}` },
			{ ...ref, txId: `0x${'2'.repeat(64)}`, position: 'balance' },
			{ ...ref, txId: ref.txId.toUpperCase() },
		];
		for (const wrong of forged) expect(await signer().finalAmount([wrong], final, [])).toBe(0n);
		expect(await signer().finalAmount([ref], final, [])).toBe(COIN);
	});

	it('counts no more than the balance that is final bears, whatever is claimed', async () => {
		const [ref] = await deposited((address) => pay(address, COIN));
		if (!ref) throw new Error('no deposit');
		const block = await blockHash(await height());
		const claimed = { ...ref, amount: 50n * COIN };
		await anvil.mine(11);
		await pay(ref.address, 5n * COIN);
		const claims = [ref, { ...claimed, position: 'internal' }, { ...claimed, position: 'balance', txId: block }];
		expect(await signer().finalAmount(claims, final, [])).toBe(COIN);
	});

	it('counts nothing after a reorganisation has dropped it', async () => {
		const refs = await deposited((address) => pay(address, COIN));
		await anvil.mine(12);
		expect(await signer().finalAmount(refs, final, [])).toBe(COIN);
		await anvil.rpc('anvil_reorg', 14, []);
		await anvil.mine(20);
		expect(await signer().finalAmount(refs, final, [])).toBe(0n);
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
			feeEstimate: () => down.feeEstimate('ETH'),
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
	/** Stands in for the GasPriceOracle: any call returns 1 000 000. PUSH3, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
	const ORACLE = '0x620f424060005260206000f3';

	it.each(rows)('%s: sees a deposit and pays it out', async (name, asset, chainId) => {
		const node = await startAnvil({ chainId, slotsInAnEpoch: 1, automine: false });
		try {
			await node.rpc('anvil_setBalance', HOT, hexOf(10n * COIN));
			await node.rpc('anvil_setCode', '0x420000000000000000000000000000000000000F', ORACLE);
			const network = networkNamed(name);
			const own = evmChain(network, { urls: [node.url], chain: 'main' }, HOT);
			const signer = evmSigner(network, { urls: [node.url], chain: 'main' }, SEED);
			const address = newAddress();
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
			const estimated = await own.feeEstimate(asset);
			expect(estimated.asset).toBe(asset);
			expect(estimated.amount > (name === 'Optimism' ? 1_000_000n : 0n)).toBe(true);
		} finally {
			await node.stop();
		}
	});
});
