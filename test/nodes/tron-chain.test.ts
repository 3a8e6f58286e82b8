/**
 * The Tron family on the stand-in for a full node (test/support/tron-stand-in.ts): what is watched, what is believed,
 * what is paid and swept, and what it costs, to the sun.
 */
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { utils } from 'tronweb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
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
import { tronAddress } from '../../src/chains/tron/address.ts';
import { tronChain } from '../../src/chains/tron/family.ts';
import { hotAddress, hotKey, payInAddress } from '../../src/chains/tron/keys.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { ReservationSet } from '../support/reservations.ts';
import { callData } from '../support/tron-abi.ts';
import { CUSTOMER, startTronStandIn, type TronStandIn, USDT } from '../support/tron-stand-in.ts';
import { tokenCode } from '../support/tron-token.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const TRX = 1_000_000n;
const TRON = networkNamed('Tron');
/** Blocks on top of a deposit until it is final. */
const SOLID = 19;

/** Sends what it is paid to the address in its input: CALL(gas, calldata[0], callvalue, 0, 0, 0, 0). */
const FORWARD = '6000600060006000346000355af1';
const FORWARDER = `0x${FORWARD}00`;
/** Does the same, and then undoes it. */
const REGRETTER = `0x${FORWARD}60006000fd`;
const REGRETTER_HASH = '5e'.repeat(20);
/** Pays through the one that undoes it, and then itself. */
const HESITANT = `0x6020600060003760006000602060003473${REGRETTER_HASH}5af150${FORWARD}00`;

const hashAddress = (byte: string): string => tronAddress(hex.decode(byte.repeat(20)));
const CONTRACT = hashAddress('cc');
const FOREIGN_TOKEN = hashAddress('f0');

let tron: TronStandIn;
let chain: Chain;
let signer: ChainSigner;
let nextIndex = 0;
let nextPayment = 0;

beforeAll(async () => {
	tron = await startTronStandIn();
	const node = { urls: [tron.url], chain: 'regtest' as const };
	chain = tronChain(TRON, node, HOT);
	signer = tronSigner(TRON, node, SEED);
	await tron.setCode(FOREIGN_TOKEN, tokenCode());
	await tron.issue(CUSTOMER, 10n ** 12n, FOREIGN_TOKEN);
	await tron.issue(HOT, 1_000n * TRX);
	await tron.mine(30);
});

afterAll(() => tron?.stop());

beforeEach(async () => {
	tron.intercept(() => undefined);
	await tron.setBalance(HOT, 1_000n * TRX);
	await tron.mine(1);
});

const newIndex = (): number => {
	nextIndex += 1;
	return nextIndex;
};
const newAddress = (): string => payInAddress(SEED, newIndex());

const watching =
	(asset: AssetId, ...addresses: string[]) =>
	async (): Promise<WatchedAddress[]> =>
		addresses.map((address) => ({ address, asset, known: [], swept: 0n }));

const refOf = ({ txId, position, address, asset, amount }: DepositRef): DepositRef => ({
	...{ txId, position, address, asset, amount },
});

const cursorNow = async (): Promise<string> => (await chain.scan(null, watching('TRX'))).cursor;

const signing = (...spent: Reservation[]): SigningState => ({
	spent: new ReservationSet(spent),
	indexesOf: () => new Map(),
});

const payment = (to: string, amount: bigint, asset: AssetId = 'TRX'): Payment => {
	nextPayment += 1;
	return { id: `payout-${nextPayment}`, asset, to, amount };
};

/** Brings the account into being: coins sent to it are then a plain transfer. */
async function existing(address: string, sun = TRX): Promise<string> {
	await tron.setBalance(address, sun);
	return address;
}

async function mined<T>(send: () => Promise<T>): Promise<T> {
	const result = await send();
	await tron.mine(1);
	return result;
}

/** Hands out and mines; what the hot wallet paid beyond what it moved. */
async function sent(raw: string): Promise<void> {
	await mined(() => chain.broadcast(raw));
}

async function payThrough(code: string, to: string, sun: bigint): Promise<string> {
	await tron.setCode(CONTRACT, code);
	return mined(() => tron.call(CONTRACT, hex.encode(new Uint8Array(12)) + callData('x', to).slice(-40), sun));
}

describe('scan', () => {
	it('finds a TRX deposit with its transaction, its amount and its depth', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await mined(() => tron.pay(address, 5n * TRX));
		await tron.mine(2);
		const scan = await chain.scan(cursor, watching('TRX', address));
		const height = await tron.height();
		expect(scan.deposits).toEqual([
			{
				...{ txId, position: 'native', address, asset: 'TRX', amount: 5n * TRX },
				...{ confirmations: 3, irreversible: false, height: height - 2 },
			},
		]);
		expect(scan.height).toBe(height);
	});

	it('finds a USDT deposit, though the contract answers false', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await mined(() => tron.payToken(address, 12_345_678n));
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', address));
		expect(deposits.map(refOf)).toEqual([
			{ txId, position: 'log:0', address, asset: 'USDTTRC20', amount: 12_345_678n },
		]);
	});

	it('tells several deposits apart, in one transaction and in several', async () => {
		const [one, other, cursor] = [newAddress(), newAddress(), await cursorNow()];
		const both = await tron.call(USDT, callData('transferToTwo(address,address,uint256)', one, other, 7n));
		const twice = await mined(() => tron.call(USDT, callData('transferToTwo(address,address,uint256)', one, one, 8n)));
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', one, other));
		expect(deposits.map(({ txId, position, address, amount }) => [txId, position, address, amount])).toEqual([
			[both, 'log:0', one, 7n],
			[both, 'log:1', other, 7n],
			[twice, 'log:0', one, 8n],
			[twice, 'log:1', one, 8n],
		]);
	});

	it('finds what a contract pays, and counts nothing that a call has undone', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await tron.setCode(hashAddress('5e'), REGRETTER);
		const txId = await payThrough(HESITANT, address, 3n * TRX);
		expect(await tron.balanceOf(address)).toBe(3n * TRX);
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		expect(deposits.map(refOf)).toEqual([{ txId, position: 'internal', address, asset: 'TRX', amount: 3n * TRX }]);
	});

	it('takes energy that a contract lends to the address for no deposit, nor TRC-10 tokens', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await payThrough(FORWARDER, newAddress(), TRX);
		const lent = (note: string, callValueInfo: unknown) => ({
			transferTo_address: `41${callData('x', address).slice(-40)}`,
			...{ callValueInfo, note: Buffer.from(note).toString('hex') },
		});
		tron.intercept(async (path, _body, honest) => {
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
		const [address, cursor] = [newAddress(), await cursorNow()];
		await tron.payToken(address, 5n, FOREIGN_TOKEN);
		await tron.pay(address, TRX);
		await tron.payToken(address, 10n ** 30n);
		await payThrough(REGRETTER, address, TRX);
		expect((await chain.scan(cursor, watching('USDTTRC20', address))).deposits).toEqual([]);
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		expect(deposits.map(({ position, amount }) => [position, amount])).toEqual([['native', TRX]]);
	});

	it('catches up after a long outage in bounded steps, and misses nothing', async () => {
		const [addresses, cursor] = [[newAddress(), newAddress(), newAddress()], await cursorNow()];
		for (const address of addresses) {
			await mined(() => tron.pay(address, TRX));
			await tron.mine(59);
		}
		let [at, scans] = [cursor, 0];
		const found: string[] = [];
		while (found.length < addresses.length && scans < 10) {
			const before = tron.calls.length;
			const scan = await chain.scan(at, watching('TRX', ...addresses));
			expect(tron.calls.length - before).toBeLessThan(20);
			found.push(...scan.deposits.map(({ address }) => address));
			[at, scans] = [scan.cursor, scans + 1];
		}
		expect(found).toEqual(addresses);
		expect(scans).toBeGreaterThan(2);
	});

	it('keeps what a slow node has shown before it shows no more, so that it catches up', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		for (let block = 0; block < 14; block++) await mined(() => tron.payToken(address, 5n));
		let [at, scans] = [cursor, 0];
		const found = new Set<string>();
		while (found.size < 14 && scans < 10) {
			let left = 6;
			tron.intercept((path) => {
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
		const [address, cursor] = [newAddress(), await cursorNow()];
		await mined(() => tron.pay(address, TRX));
		const txId = await mined(() => tron.pay(address, TRX));
		tron.intercept((path, body) => {
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
		const cursor = await cursorNow();
		const txId = await mined(() => tron.pay(addresses[7_777] ?? '', TRX));
		const before = tron.calls.length;
		const { deposits } = await chain.scan(cursor, watching('TRX', ...addresses));
		expect(deposits.map((deposit) => [deposit.txId, deposit.address])).toEqual([[txId, addresses[7_777]]]);
		expect(tron.calls.length - before).toBe(3);
	});

	/** More values than are read of one answer. */
	const HUGE = `[${'0,'.repeat(300_000)}0]`;

	it('asks for receipts one by one where those of a block are too large together', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await mined(() => tron.payToken(address, 5n));
		const later = await mined(() => tron.pay(address, TRX));
		tron.intercept((path) => (path === '/wallet/gettransactioninfobyblocknum' ? HUGE : undefined));
		const watched = [...(await watching('USDTTRC20', address)()), ...(await watching('TRX', address)())];
		const { deposits, unread } = await chain.scan(cursor, async () => watched);
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId, later]);
		expect(unread).toBeUndefined();
	});

	it('leaves out and names a transaction whose receipt is too large by itself, and goes on', async () => {
		const [attacker, victim, cursor] = [newAddress(), newAddress(), await cursorNow()];
		const poison = await tron.payToken(attacker, 5n);
		const txId = await mined(() => tron.payToken(victim, 5n));
		tron.intercept((path, body) => {
			if (path === '/wallet/gettransactioninfobyblocknum') return HUGE;
			return path === '/wallet/gettransactioninfobyid' && body['value'] === poison ? HUGE : undefined;
		});
		const scan = await chain.scan(cursor, watching('USDTTRC20', attacker, victim));
		expect(scan.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
		expect(scan.height).toBe(await tron.height());
		expect(scan.unread).toEqual([expect.stringContaining(poison)]);
		expect((await chain.scan(scan.cursor, watching('USDTTRC20', attacker, victim))).unread).toBeUndefined();
		const hidden = { txId: poison, position: 'log:0', address: attacker, asset: 'USDTTRC20', amount: 5n } as const;
		expect(await chain.depths([hidden, ...scan.deposits])).toMatchObject(['unknown', { confirmations: 1 }]);
	});

	it('passes a block that is too large by itself, and names it', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await mined(() => tron.pay(newAddress(), TRX));
		const fat = await tron.height();
		const txId = await mined(() => tron.pay(address, TRX));
		tron.intercept((path, body) => {
			const { startNum, endNum } = body as { startNum: number; endNum: number };
			return path === '/wallet/getblockbylimitnext' && startNum <= fat && fat < endNum ? HUGE : undefined;
		});
		const scan = await chain.scan(cursor, watching('TRX', address));
		expect(scan.deposits.map((deposit) => deposit.txId)).toEqual([txId]);
		expect(scan.unread).toEqual([expect.stringContaining(`block ${fat}`)]);
	});

	it('begins with what is not irreversible yet', async () => {
		const [old, fresh] = [newAddress(), newAddress()];
		await mined(() => tron.pay(old, TRX));
		await tron.mine(SOLID - 1);
		const txId = await mined(() => tron.pay(fresh, TRX));
		await tron.mine(SOLID - 1);
		const { deposits } = await chain.scan(null, watching('TRX', old, fresh));
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});

	it('reads again what a reorganisation has replaced, below the cursor too', async () => {
		const [lost, moved] = [newAddress(), newAddress()];
		await tron.mine(2);
		await mined(() => tron.pay(lost, TRX));
		await tron.mine(3);
		const cursor = await cursorNow();
		await tron.rollback(5);
		const txId = await mined(() => tron.pay(moved, 2n * TRX));
		await tron.mine(6);
		const { deposits } = await chain.scan(cursor, watching('TRX', lost, moved));
		expect(deposits.map((deposit) => [deposit.txId, deposit.confirmations])).toEqual([[txId, 7]]);
	});

	it('waits where the node is a little behind the cursor, and is unavailable where it is far behind', async () => {
		const cursor = await cursorNow();
		const height = await tron.height();
		await tron.rollback(2);
		expect(await chain.scan(cursor, watching('TRX'))).toEqual({ deposits: [], cursor, height: height - 2 });
		await tron.rollback(SOLID);
		await expect(chain.scan(cursor, watching('TRX'))).rejects.toThrow(ChainUnavailable);
		await tron.mine(40);
	});

	it('does not pass a block whose receipts the node does not have yet', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		const txId = await mined(() => tron.payToken(address, 5n));
		tron.intercept((path) => (path === '/wallet/gettransactioninfobyblocknum' ? [] : undefined));
		await expect(chain.scan(cursor, watching('USDTTRC20', address))).rejects.toThrow(ChainUnavailable);
		tron.intercept(() => undefined);
		const { deposits } = await chain.scan(cursor, watching('USDTTRC20', address));
		expect(deposits.map((deposit) => deposit.txId)).toEqual([txId]);
	});
});

describe('depths', () => {
	it('calls a deposit irreversible when its block is solidified, and gone when a fork has dropped it', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await mined(() => tron.pay(address, TRX));
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		await tron.mine(SOLID - 1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: SOLID, irreversible: false }]);
		await tron.mine(1);
		expect(await chain.depths(deposits)).toMatchObject([{ confirmations: SOLID + 1, irreversible: true }]);
		await tron.rollback(SOLID + 2);
		await tron.mine(SOLID + 5);
		const fresh = await chain.scan(null, watching('TRX', address));
		expect(fresh.deposits).toEqual([]);
		const stranger = { txId: '1'.repeat(64), position: 'native', address, asset: 'TRX', amount: TRX } as const;
		expect(await chain.depths([...deposits, stranger, { ...stranger, txId: 'nonsense' }])).toEqual([null, null, null]);
	});

	it('calls nothing gone that a node does not know because it is behind, or on a branch that was not read yet', async () => {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await tron.mine(2);
		await mined(() => tron.pay(address, TRX));
		const { deposits } = await chain.scan(cursor, watching('TRX', address));
		await tron.rollback(1);
		await expect(chain.depths(deposits)).rejects.toThrow(ChainUnavailable);
		await mined(() => tron.pay(newAddress(), TRX));
		await expect(chain.depths(deposits)).rejects.toThrow(/another branch/);
		await chain.scan(cursor, watching('TRX', address));
		expect(await chain.depths(deposits)).toEqual([null]);
	});
});

describe('paying', () => {
	it('pays exactly the amount in TRX, and broadcasting again and again is one payment', async () => {
		const to = await existing(newAddress(), 0n);
		await mined(() => tron.pay(to, 1n));
		const before = await tron.balanceOf(HOT);
		const signed = await signer.sign(payment(to, 123_456_789n), signing());
		expect(await chain.transactionDepth(signed.txId)).toBeNull();
		await chain.broadcast(signed.raw);
		expect(await chain.transactionDepth(signed.txId)).toEqual({
			...{ confirmations: 0, irreversible: false, height: null },
			...{ reverted: false, fee: null },
		});
		await chain.broadcast(signed.raw);
		await tron.mine(1);
		await chain.broadcast(signed.raw);
		await tron.mine(1);
		expect(await tron.balanceOf(to)).toBe(123_456_790n);
		const fee = before - (await tron.balanceOf(HOT)) - 123_456_789n;
		expect(fee).toBe(signed.fee);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ confirmations: 2, reverted: false, fee });
	});

	it('pays the fee for a new account where there is none yet, to the sun', async () => {
		const to = newAddress();
		const before = await tron.balanceOf(HOT);
		const signed = await signer.sign(payment(to, TRX), signing());
		await sent(signed.raw);
		expect(signed.fee).toBe(1_100_000n);
		expect(before - (await tron.balanceOf(HOT))).toBe(TRX + signed.fee);
		expect(await tron.balanceOf(to)).toBe(TRX);
	});

	it('pays exactly the amount in USDT, for no more than it said', async () => {
		const to = newAddress();
		const [coins, tokens] = [await tron.balanceOf(HOT), await tron.tokenBalanceOf(HOT)];
		const signed = await signer.sign(payment(to, 7_654_321n, 'USDTTRC20'), signing());
		await sent(signed.raw);
		expect(await tron.tokenBalanceOf(to)).toBe(7_654_321n);
		expect(await chain.balance('USDTTRC20')).toBe(tokens - 7_654_321n);
		const fee = coins - (await tron.balanceOf(HOT));
		expect(fee > 0n && fee <= signed.fee).toBe(true);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: false, fee });
	});

	it('signs as tronweb does', async () => {
		const { raw, txId } = await signer.sign(payment(await existing(newAddress()), 5n), signing());
		const key = hex.encode(hotKey(SEED).privateKey);
		const { signature } = utils.crypto.signTransaction(key, { txID: txId } as never);
		expect(raw.slice(-130)).toBe(String(signature[0]).toLowerCase());
	});

	it('makes two transactions of two equal payments', async () => {
		const to = await existing(newAddress());
		const before = await tron.balanceOf(to);
		const signed = [await signer.sign(payment(to, 5n), signing()), await signer.sign(payment(to, 5n), signing())];
		for (const { raw } of signed) await chain.broadcast(raw);
		await tron.mine(1);
		expect(await tron.balanceOf(to)).toBe(before + 10n);
	});

	it('counts what is signed and in no block yet as spent, and not what is in one', async () => {
		const to = await existing(newAddress());
		const state = (...spends: (readonly Reservation[])[]): SigningState => signing(...spends.flat());
		const first = await signer.sign(payment(to, 600n * TRX), state());
		await expect(signer.sign(payment(to, 600n * TRX), state(first.spends))).rejects.toThrow(InsufficientReserve);
		const second = await signer.sign(payment(to, 300n * TRX), state(first.spends));
		await chain.broadcast(first.raw);
		await chain.broadcast(second.raw);
		await tron.mine(1);
		await tron.setBalance(HOT, 700n * TRX);
		const tokens = await chain.balance('USDTTRC20');
		const third = await signer.sign(payment(to, tokens, 'USDTTRC20'), state(first.spends, second.spends));
		await expect(signer.sign(payment(to, 1n, 'USDTTRC20'), state(third.spends))).rejects.toThrow(InsufficientReserve);
	});

	it('says that a payout was reverted, and what it burnt', async () => {
		const to = newAddress();
		const signed = await signer.sign(payment(to, 5n, 'USDTTRC20'), signing());
		const before = await tron.balanceOf(HOT);
		await tron.issue(HOT, 0n);
		await mined(() => tron.call(USDT, callData('refuse(address)', to)));
		await sent(signed.raw);
		const fee = before - (await tron.balanceOf(HOT));
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: true, fee });
		expect(await tron.tokenBalanceOf(to)).toBe(0n);
	});

	it('does not pay what fails, a contract in TRX, itself, what is no address, no amount, or another asset', async () => {
		const to = newAddress();
		await mined(() => tron.call(USDT, callData('refuse(address)', to)));
		await tron.setCode(CONTRACT, FORWARDER);
		const wrong: Partial<Payment>[] = [
			{ asset: 'USDTTRC20' },
			{ to: CONTRACT },
			{ to: HOT },
			{ to: USDT },
			{ to: USDT, asset: 'USDTTRC20' },
			{ to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94' },
			{ amount: 0n },
			{ asset: 'ETH' },
		];
		for (const each of wrong)
			await expect(signer.sign({ ...payment(to, 1n), ...each }, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('needs the amount and the whole fee in the hot wallet', async () => {
		const to = await existing(newAddress());
		await expect(signer.sign(payment(to, 1_000n * TRX), signing())).rejects.toThrow(InsufficientReserve);
		await expect(signer.sign(payment(to, 10n ** 12n, 'USDTTRC20'), signing())).rejects.toThrow(InsufficientReserve);
		const { fee } = await signer.sign(payment(to, 900n * TRX), signing());
		const all = await signer.sign(payment(to, 1_000n * TRX - fee), signing());
		await sent(all.raw);
		expect(await tron.balanceOf(HOT)).toBe(0n);
		await tron.setBalance(HOT, TRX);
		await expect(signer.sign(payment(to, 1n, 'USDTTRC20'), signing())).rejects.toThrow(/1000000 sun/);
	});

	it('is rejected for good when it has expired or was signed on a branch that is gone', async () => {
		const to = await existing(newAddress());
		const late = await signer.sign(payment(to, 1n), signing());
		const taken = await signer.sign(payment(to, 2n), signing());
		await sent(taken.raw);
		await tron.evm.rpc('evm_increaseTime', 23 * 3_600);
		await tron.mine(1);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(/TRANSACTION_EXPIRATION_ERROR/);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(BroadcastRejected);
		// A block took it in time.
		await chain.broadcast(taken.raw);
		tron.intercept((path) =>
			path === '/wallet/broadcasthex' ? { code: 'TAPOS_ERROR', message: 'Tapos check error' } : undefined,
		);
		await chain.broadcast(taken.raw);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(BroadcastRejected);
	});

	it('is valid for 22 hours at least', async () => {
		const to = await existing(newAddress());
		const signed = await signer.sign(payment(to, 1n), signing());
		await tron.evm.rpc('evm_increaseTime', 22 * 3_600 - 300);
		await tron.mine(1);
		await sent(signed.raw);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1 });
	});

	it.each([
		['SIGERROR', BroadcastRejected],
		['CONTRACT_VALIDATE_ERROR', BroadcastRejected],
		['BANDWITH_ERROR', BroadcastRejected],
		['SERVER_BUSY', ChainUnavailable],
		['NO_CONNECTION', ChainUnavailable],
		['NOT_ENOUGH_EFFECTIVE_CONNECTION', ChainUnavailable],
		['BLOCK_UNSOLIDIFIED', ChainUnavailable],
		['OTHER_ERROR', ChainUnavailable],
	])('sorts %s', async (code, kind) => {
		const { raw } = await signer.sign(payment(await existing(newAddress()), 1n), signing());
		tron.intercept((path) => (path === '/wallet/broadcasthex' ? { code, message: 'no' } : undefined));
		await expect(chain.broadcast(raw)).rejects.toThrow(kind);
	});

	it.each(['', '00', '0a', '0aff', 'nonsense'])('is rejected for good when “%s” is no transaction', async (raw) => {
		await expect(chain.broadcast(raw)).rejects.toThrow(BroadcastRejected);
	});

	it('estimates in sun what the payments then cost', async () => {
		const coins = await signer.sign(payment(await existing(newAddress()), TRX), signing());
		expect((await chain.feeEstimate('TRX')).amount).toBeGreaterThanOrEqual(coins.fee);
		const { asset, amount: estimate } = await chain.feeEstimate('USDTTRC20');
		expect(asset).toBe('TRX');
		const signed = await signer.sign(payment(newAddress(), TRX, 'USDTTRC20'), signing());
		await sent(signed.raw);
		const fee = (await chain.transactionDepth(signed.txId))?.fee ?? 0n;
		// Unlike Tron, an EVM charges for the bytes of the call's data as well.
		const difference = fee > estimate ? fee - estimate : estimate - fee;
		expect(fee > 0n && difference * 100n < fee).toBe(true);
	});

	it('names what a deposit and a recipient may cost beside that, to the sun', async () => {
		const toNobody = await signer.sign(payment(newAddress(), TRX), signing());
		const coins = await chain.houseCosts?.('TRX');
		const { amount: estimate } = await chain.feeEstimate('TRX');
		expect(toNobody.fee).toBe(estimate + (coins?.recipient ?? 0n));
		const [lying, holding] = [newAddress(), newAddress()];
		await mined(() => tron.pay(lying, 10n * TRX));
		await tron.issue(holding, TRX);
		const [coin, token] =
			(await chain.sweeping?.quote([
				{ address: lying, asset: 'TRX' },
				{ address: holding, asset: 'USDTTRC20' },
			])) ?? [];
		expect(coin && coin.fee > 0n && coin.fee <= (coins?.deposit ?? 0n)).toBe(true);
		const tokens = await chain.houseCosts?.('USDTTRC20');
		expect(token && token.gas > 0n && token.fee <= (tokens?.deposit ?? 0n)).toBe(true);
		expect(tokens?.recipient).toBe(0n);
	});

	it('waits while energy costs more than the ceiling', async () => {
		tron.intercept((path) =>
			path === '/wallet/getchainparameters' ? { chainParameter: [{ key: 'getEnergyFee', value: 1_001 }] } : undefined,
		);
		await expect(chain.feeEstimate('TRX')).rejects.toThrow(ChainUnavailable);
		await expect(chain.houseCosts?.('TRX')).rejects.toThrow(ChainUnavailable);
		await expect(signer.sign(payment(newAddress(), 1n, 'USDTTRC20'), signing())).rejects.toThrow(/at most 1000/);
	});
});

describe('sweeping', () => {
	const quote = async (address: string, asset: AssetId) => {
		const [answer] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
		if (!answer) throw new Error('no quote');
		return answer;
	};
	const sweep = async (index: number, asset: AssetId) => {
		const signed = await signer.sweep?.({ id: `sweep-${index}`, asset, index }, signing());
		if (!signed) throw new Error('no sweep');
		return signed;
	};

	it('moves all TRX but the fee to the hot wallet', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await mined(() => tron.pay(address, 100n * TRX));
		const { amount, fee, gas } = await quote(address, 'TRX');
		const before = await tron.balanceOf(HOT);
		const signed = await sweep(index, 'TRX');
		await sent(signed.raw);
		expect([signed.amount, signed.fee, gas]).toEqual([amount, fee, 0n]);
		expect(await tron.balanceOf(HOT)).toBe(before + amount);
		expect(await tron.balanceOf(address)).toBe(0n);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ fee });
	});

	it('moves all USDT once the hot wallet has sent the gas that lacks', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await mined(() => tron.payToken(address, 50n * TRX));
		const first = await quote(address, 'USDTTRC20');
		expect(first.amount).toBe(50n * TRX);
		expect(first.gas > 0n && first.gas < first.fee).toBe(true);
		await expect(sweep(index, 'USDTTRC20')).rejects.toThrow(InsufficientReserve);

		const before = await tron.balanceOf(HOT);
		const gas = await signer.sign(payment(address, first.gas), signing());
		await sent(gas.raw);
		const second = await quote(address, 'USDTTRC20');
		expect([second.gas, second.amount]).toEqual([0n, 50n * TRX]);
		const tokens = await tron.tokenBalanceOf(HOT);
		const signed = await sweep(index, 'USDTTRC20');
		await sent(signed.raw);
		expect(signed.amount).toBe(50n * TRX);
		expect(await tron.tokenBalanceOf(HOT)).toBe(tokens + 50n * TRX);
		expect(await tron.tokenBalanceOf(address)).toBe(0n);
		const { fee = 0n } = (await chain.transactionDepth(signed.txId)) ?? {};
		expect(await tron.balanceOf(address)).toBe(first.gas - (fee ?? 0n));
		expect(before - (await tron.balanceOf(HOT)) + (fee ?? 0n) <= first.fee + first.gas).toBe(true);
	});

	it('moves USDT though energy has become a little dearer since the gas was sent', async () => {
		const index = newIndex();
		const address = payInAddress(SEED, index);
		await mined(() => tron.payToken(address, 50n * TRX));
		const { gas, fee } = await quote(address, 'USDTTRC20');
		await tron.setBalance(address, gas);
		const energyAt = (sun: number) =>
			tron.intercept(async (path, _body, honest) => {
				if (path !== '/wallet/getchainparameters') return undefined;
				const { chainParameter } = (await honest()) as { chainParameter: { key: string }[] };
				return { chainParameter: [{ key: 'getEnergyFee', value: sun }, ...chainParameter] };
			});
		energyAt(110);
		expect((await quote(address, 'USDTTRC20')).gas).toBe(0n);
		expect((await sweep(index, 'USDTTRC20')).fee).toBe(gas);
		energyAt(130);
		expect((await quote(address, 'USDTTRC20')).gas > 0n).toBe(true);
		await expect(sweep(index, 'USDTTRC20')).rejects.toThrow(InsufficientReserve);
		energyAt(100);
		const signed = await sweep(index, 'USDTTRC20');
		await sent(signed.raw);
		expect(signed.fee <= fee).toBe(true);
		expect(await tron.tokenBalanceOf(address)).toBe(0n);
	});

	it('has nothing to move where nothing is, or less than it costs', async () => {
		const index = newIndex();
		const address = await existing(payInAddress(SEED, index), 100_000n);
		const nothing = { amount: 0n, fee: 0n, gas: 0n };
		expect([await quote(address, 'TRX'), await quote(address, 'USDTTRC20')]).toEqual([nothing, nothing]);
		for (const asset of ['TRX', 'USDTTRC20'] as const)
			await expect(sweep(index, asset)).rejects.toThrow(InsufficientReserve);
	});

	it('counts in holdings what lies at the hot wallet and at every address', async () => {
		const [one, other] = [newAddress(), newAddress()];
		await tron.pay(one, 3n * TRX);
		await mined(() => tron.payToken(other, 4n));
		const [coins, tokens] = [await chain.balance('TRX'), await chain.balance('USDTTRC20')];
		expect(await chain.holdings('TRX', [one, other])).toBe(coins + 3n * TRX);
		expect(await chain.holdings('USDTTRC20', [one, other])).toBe(tokens + 4n);
	});
});

describe('finalAmount', () => {
	const final = (depth: Parameters<typeof isFinal>[1]): boolean => isFinal('Tron', depth, 100);
	const believed = (...refs: DepositRef[]): Promise<bigint> => signer.finalAmount(refs, final, []);

	async function deposited(asset: AssetId, send: (address: string) => Promise<unknown>): Promise<DepositRef> {
		const [address, cursor] = [newAddress(), await cursorNow()];
		await mined(() => send(address));
		const [deposit] = (await chain.scan(cursor, watching(asset, address))).deposits.map(refOf);
		if (!deposit) throw new Error('no deposit');
		return deposit;
	}

	it('counts each kind of deposit from the moment when it is solidified, and each once', async () => {
		const refs = [
			await deposited('TRX', (address) => tron.pay(address, 5n)),
			await deposited('USDTTRC20', (address) => tron.payToken(address, 7n)),
			await deposited('TRX', (address) => payThrough(FORWARDER, address, 11n)),
		];
		await tron.mine(SOLID - 3);
		expect(await believed(...refs)).toBe(5n);
		await tron.mine(3);
		expect(await believed(...refs)).toBe(23n);
		expect(await believed(...refs, ...refs)).toBe(23n);
	});

	it('counts nothing that differs from what the chain says', async () => {
		const coin = await deposited('TRX', (address) => tron.pay(address, 5n));
		const token = await deposited('USDTTRC20', (address) => tron.payToken(address, 7n));
		const foreign = await mined(() => tron.payToken(token.address, 7n, FOREIGN_TOKEN));
		const failed = await mined(() => tron.payToken(token.address, 10n ** 30n));
		await tron.mine(25);
		const forged: DepositRef[] = [
			...[
				{ ...coin, amount: 6n },
				{ ...coin, amount: -5n },
				{ ...coin, address: token.address },
			],
			...[
				{ ...coin, position: 'internal' },
				{ ...coin, asset: 'USDTTRC20' as const },
				{ ...coin, address: 'x' },
			],
			...[
				{ ...coin, txId: '2'.repeat(64) },
				{ ...coin, txId: coin.txId.toUpperCase() },
			],
			...[
				{ ...token, position: 'log:1' },
				{ ...token, txId: foreign },
				{ ...token, txId: coin.txId },
			],
			...[
				{ ...token, txId: failed },
				{ ...token, asset: 'TRX' as const },
			],
		];
		for (const wrong of forged) expect(await believed(wrong), JSON.stringify({ ...wrong, amount: '' })).toBe(0n);
		expect(await believed(coin, token)).toBe(12n);
	});

	it('counts nothing after a fork has dropped it', async () => {
		const ref = await deposited('TRX', (address) => tron.pay(address, 5n));
		await tron.mine(25);
		expect(await believed(ref)).toBe(5n);
		await tron.rollback(26);
		await tron.mine(40);
		expect(await believed(ref)).toBe(0n);
	});
});

describe('a node', () => {
	it('of another chain is unavailable, and the next one is asked', async () => {
		const wrong = tronChain(TRON, { urls: [tron.url], chain: 'main' }, HOT);
		await expect(wrong.register([])).rejects.toThrow(/genesis/);
		await expect(
			tronSigner(TRON, { urls: [tron.url], chain: 'main' }, SEED).sign(payment(HOT, 1n), signing()),
		).rejects.toThrow(ChainUnavailable);
		const both = tronChain(TRON, { urls: ['http://127.0.0.1:1', tron.url], chain: 'regtest' }, HOT);
		expect((await both.scan(null, watching('TRX'))).height).toBe(await tron.height());
	});

	it('of the main chain is known by its genesis block', async () => {
		tron.intercept((path) =>
			path === '/wallet/getblockbynum'
				? {
						blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
						block_header: { raw_data: { parentHash: '9'.repeat(64), txTrieRoot: 'a' } },
					}
				: undefined,
		);
		await tronChain(TRON, { urls: [tron.url], chain: 'main' }, HOT).register([]);
		const test = tronChain(TRON, { urls: [tron.url], chain: 'regtest' }, HOT);
		await expect(test.register([])).rejects.toThrow(ChainUnavailable);
	});

	it('gets the key of its URL as TRON-PRO-API-KEY, and user and password as Basic', async () => {
		const { host } = new URL(tron.url);
		const headers = async (credentials: string) => {
			const own = tronChain(TRON, { urls: [`http://${credentials}@${host}/`], chain: 'regtest' }, HOT);
			await own.register([]);
			return tron.calls.at(-1)?.headers ?? {};
		};
		expect((await headers(':k-1'))['tron-pro-api-key']).toBe('k-1');
		expect((await headers('u:p'))['authorization']).toBe(`Basic ${btoa('u:p')}`);
	});

	it('is checked for chain, height, token and wallet', async () => {
		const checks = await chain.check();
		expect(checks.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
		expect(checks.map(({ detail }) => detail)).toEqual([
			expect.stringMatching(/height \d+, solidified \d+/),
			expect.stringMatching(/./),
			'USDT',
			'6',
			expect.stringContaining(`${HOT} holds 1000000000 sun`),
		]);
		tron.intercept(async (path, body, honest) =>
			path === '/wallet/triggerconstantcontract' && body['function_selector'] === 'decimals()'
				? { ...((await honest()) as object), constant_result: ['12'.padStart(64, '0')] }
				: undefined,
		);
		expect((await chain.check()).map(({ ok }) => ok)).toEqual([true, true, true, false, true]);
		const run = { id: '1'.repeat(64), blockNumber: 5, receipt: { result: 'SUCCESS' } };
		tron.intercept((path) => (path.endsWith('infobyblocknum') ? Array(60).fill(run) : undefined));
		expect((await chain.check())[1]).toMatchObject({ ok: false, detail: expect.stringContaining('saveInternalTx') });
		tron.intercept(() => undefined);
		const wrong = await tronChain(TRON, { urls: [tron.url], chain: 'main' }, HOT).check();
		expect(wrong.every(({ ok }) => !ok)).toBe(true);
	});
});
