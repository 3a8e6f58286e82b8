/**
 * Payments on Tron, on the stand-in for a full node (test/support/tron-stand-in.ts): payouts, and what they
 * cost, to the sun.
 */
import { hex } from '@scure/base';
import { utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	MayStillConfirm,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import type { Reservation } from '../../src/chains/reservations.ts';
import type { Payment, SignedTransaction, SigningState } from '../../src/chains/signing-port.ts';
import { tronAddress } from '../../src/chains/tron/address.ts';
import { tronChain } from '../../src/chains/tron/family.ts';
import { hotKey } from '../../src/chains/tron/keys.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { feeOf, houseCostsOf } from '../support/chain-costs.ts';
import { compiled } from '../support/contracts/compiled.ts';
import { FORWARDER } from '../support/evm-code.ts';
import type { ContractName } from '../support/tokens.ts';
import { CONTRACT, chain, HOT, node, SEED, SOLID, signer, signing, TRON, TRX, tron, useTron } from '../support/tron.ts';
import { callData } from '../support/tron-abi.ts';
import { USDT } from '../support/tron-stand-in.ts';

useTron();

/** Of the newest block, Unix milliseconds. */
async function chainTime(): Promise<number> {
	const { timestamp } = (await node.evm.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
	return Number(timestamp) * 1000;
}

let lastContract = 0;
async function contractWith(name: ContractName): Promise<string> {
	const address = tronAddress(hex.decode(String(++lastContract).padStart(40, 'c')));
	await node.setCode(address, compiled('Token')[name] ?? '');
	return address;
}

describe('paying', () => {
	it('pays exactly the amount in TRX, and broadcasting again and again is one payment', async () => {
		const to = await tron.existing(tron.newAddress(), 0n);
		await tron.mined(() => node.pay(to, 1n));
		const before = await node.balanceOf(HOT);
		const signed = await signer.sign(tron.payment(to, 123_456_789n), signing());
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
		await node.mine(1);
		await chain.broadcast(signed.raw);
		await node.mine(1);
		expect(await node.balanceOf(to)).toBe(123_456_790n);
		const fee = before - (await node.balanceOf(HOT)) - 123_456_789n;
		expect(fee).toBe(signed.fee);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ confirmations: 2, reverted: false, fee });
	});

	it('pays the fee for a new account where there is none yet, to the sun', async () => {
		const to = tron.newAddress();
		const before = await node.balanceOf(HOT);
		const signed = await signer.sign(tron.payment(to, TRX), signing());
		await tron.sent(signed.raw);
		expect(signed.fee).toBe(1_100_000n);
		expect(before - (await node.balanceOf(HOT))).toBe(TRX + signed.fee);
		expect(await node.balanceOf(to)).toBe(TRX);
	});

	it('pays exactly the amount in USDT, for no more than it said', async () => {
		const to = tron.newAddress();
		const [coins, tokens] = [await node.balanceOf(HOT), await node.tokenBalanceOf(HOT)];
		const signed = await signer.sign(tron.payment(to, 7_654_321n, 'USDTTRC20'), signing());
		await tron.sent(signed.raw);
		expect(await node.tokenBalanceOf(to)).toBe(7_654_321n);
		expect(await chain.balance('USDTTRC20')).toBe(tokens - 7_654_321n);
		const fee = coins - (await node.balanceOf(HOT));
		expect(fee > 0n && fee <= signed.fee).toBe(true);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: false, fee });
	});

	it('finds what it has sent by recipient and coin, and what did not arrive is not found', async () => {
		const since = await chainTime();
		const [to, refused] = [await tron.existing(tron.newAddress()), tron.newAddress()];
		const coins = await signer.sign(tron.payment(to, 11n), signing());
		const tokens = await signer.sign(tron.payment(to, 12n, 'USDTTRC20'), signing());
		const reverted = await signer.sign(tron.payment(refused, 13n, 'USDTTRC20'), signing());
		await tron.mined(() => node.call(USDT, callData('refuse(address)', refused)));
		for (const { raw } of [coins, tokens, reverted]) await tron.sent(raw);
		// From others, to the same recipient.
		await tron.mined(() => node.pay(to, 14n));
		await tron.mined(() => node.payToken(to, 15n));
		await node.mine(60);
		const find = (asset: AssetId, recipient = to) => signer.look?.paymentsTo?.(asset, [recipient], since);
		expect(await find('TRX')).toEqual([{ txId: coins.txId, to, amount: 11n }]);
		expect(await find('USDTTRC20')).toEqual([{ txId: tokens.txId, to, amount: 12n }]);
		expect(await find('USDTTRC20', refused)).toEqual([]);
		const paid = (txId: string, amount: bigint, asset: AssetId, recipient = to) =>
			signer.hasPaid(txId, tron.payment(recipient, amount, asset));
		expect([await paid(coins.txId, 11n, 'TRX'), await paid(tokens.txId, 12n, 'USDTTRC20')]).toEqual([true, true]);
		expect([await paid(coins.txId, 12n, 'TRX'), await paid(tokens.txId, 12n, 'TRX')]).toEqual([false, false]);
		expect(await paid(reverted.txId, 13n, 'USDTTRC20', refused)).toBe(false);
	});

	it('calls nothing unsent where the node cannot show all blocks since then', async () => {
		// A search begins a minute earlier.
		const since = (await chainTime()) + 60_000;
		const to = await tron.existing(tron.newAddress());
		const { raw, txId } = await signer.sign(tron.payment(to, 16n), signing());
		await tron.sent(raw);
		await node.evm.rpc('evm_increaseTime', 60);
		await node.mine(1);
		const fresh = (on: 'main' | 'regtest' = 'regtest') => tronSigner(TRON, { urls: [node.url], chain: on }, SEED);
		const find = (from = since, of = fresh()) => of.look?.paymentsTo?.('TRX', [to], from);
		const lying = (path: string, change: (honest: string) => string) =>
			node.intercept(async (asked, _, honest) => (asked === path ? change(JSON.stringify(await honest())) : undefined));
		const blocks = '/wallet/getblockbylimitnext';
		lying(blocks, (honest) => JSON.stringify({ block: JSON.parse(honest).block.slice(0, -1) }));
		await expect(find()).rejects.toThrow('cannot show block');
		lying(blocks, (honest) => honest.replaceAll(/(?<="parentHash":".{60})..../g, 'ffff'));
		await expect(find()).rejects.toThrow('cannot show block');
		lying(blocks, (honest) => honest.replaceAll('owner_address', 'sender'));
		await expect(find()).rejects.toThrow('does not say who sent');
		lying(blocks, (honest) => honest.replaceAll('contractRet', 'result'));
		await expect(find()).rejects.toThrow(`does not say whether ${txId} succeeded`);
		lying(blocks, (honest) => honest.replaceAll('to_address', 'to'));
		await expect(find()).rejects.toThrow(`does not say what ${txId} paid`);
		const genesis = { blockID: TRON.params.genesis, block_header: { raw_data: { timestamp: 1 } } };
		node.intercept((asked) => (asked.startsWith('/wallet/getblock') ? genesis : undefined));
		await expect(find(0, fresh('main'))).rejects.toThrow('may not follow its chain');

		node.intercept(() => undefined);
		expect(await find()).toEqual([{ txId, to, amount: 16n }]);
		await node.mine(1_210);
		await expect(find()).rejects.toThrow('more than 1200 blocks');
	});

	it('signs as tronweb does', async () => {
		const { raw, txId } = await signer.sign(tron.payment(await tron.existing(tron.newAddress()), 5n), signing());
		const key = hex.encode(hotKey(SEED).privateKey);
		const { signature } = utils.crypto.signTransaction(key, { txID: txId } as never);
		expect(raw.slice(-130)).toBe(String(signature[0]).toLowerCase());
	});

	it('makes two transactions of two equal payments', async () => {
		const to = await tron.existing(tron.newAddress());
		const before = await node.balanceOf(to);
		const signed = [
			await signer.sign(tron.payment(to, 5n), signing()),
			await signer.sign(tron.payment(to, 5n), signing()),
		];
		for (const { raw } of signed) await chain.broadcast(raw);
		await node.mine(1);
		expect(await node.balanceOf(to)).toBe(before + 10n);
	});

	it('counts what is signed and in no block yet as spent, and not what is in one', async () => {
		const to = await tron.existing(tron.newAddress());
		const state = (...spends: (readonly Reservation[])[]): SigningState => signing(...spends.flat());
		const first = await signer.sign(tron.payment(to, 600n * TRX), state());
		await expect(signer.sign(tron.payment(to, 600n * TRX), state(first.spends))).rejects.toThrow(InsufficientReserve);
		const second = await signer.sign(tron.payment(to, 300n * TRX), state(first.spends));
		await chain.broadcast(first.raw);
		await chain.broadcast(second.raw);
		await node.mine(1);
		await node.setBalance(HOT, 700n * TRX);
		const tokens = await chain.balance('USDTTRC20');
		const third = await signer.sign(tron.payment(to, tokens, 'USDTTRC20'), state(first.spends, second.spends));
		await expect(signer.sign(tron.payment(to, 1n, 'USDTTRC20'), state(third.spends))).rejects.toThrow(
			InsufficientReserve,
		);
	});

	it('says that a payout was reverted, and what it burnt', async () => {
		const to = tron.newAddress();
		const signed = await signer.sign(tron.payment(to, 5n, 'USDTTRC20'), signing());
		const before = await node.balanceOf(HOT);
		await node.issue(HOT, 0n);
		await tron.mined(() => node.call(USDT, callData('refuse(address)', to)));
		await tron.sent(signed.raw);
		const fee = before - (await node.balanceOf(HOT));
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: true, fee });
		expect(await node.tokenBalanceOf(to)).toBe(0n);
	});

	it('knows a token, which can use nothing, from a wallet that is a contract; that one takes no plain transfer', async () => {
		const wallet = await contractWith('Wallet');
		for (const name of ['Token', 'Pair', 'Router'] as const) {
			const to = await contractWith(name);
			expect(await chain.recipientProblem?.('USDTTRC20', to)).toContain('coins sent there are lost');
			const payment = { ...tron.payment(to, 1n), asset: 'USDTTRC20' } as const;
			await expect(signer.sign(payment, signing())).rejects.toThrow('coins sent there are lost');
		}
		expect(await chain.recipientProblem?.('USDTTRC20', await contractWith('Talker'))).toBeNull();
		expect(await chain.recipientProblem?.('USDTTRC20', wallet)).toBeNull();
		expect(await chain.recipientProblem?.('TRX', wallet)).toContain('accepts no plain transfer');
		expect(await chain.recipientProblem?.('TRX', tron.newAddress())).toBeNull();
	});

	it('does not pay what fails, a contract in TRX, itself, what is no address, no amount, or another asset', async () => {
		const to = tron.newAddress();
		await tron.mined(() => node.call(USDT, callData('refuse(address)', to)));
		await node.setCode(CONTRACT, FORWARDER);
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
			await expect(signer.sign({ ...tron.payment(to, 1n), ...each }, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('needs the amount and the whole fee in the hot wallet', async () => {
		const to = await tron.existing(tron.newAddress());
		await expect(signer.sign(tron.payment(to, 1_000n * TRX), signing())).rejects.toThrow(InsufficientReserve);
		await expect(signer.sign(tron.payment(to, 10n ** 12n, 'USDTTRC20'), signing())).rejects.toThrow(
			InsufficientReserve,
		);
		const { fee } = await signer.sign(tron.payment(to, 900n * TRX), signing());
		const all = await signer.sign(tron.payment(to, 1_000n * TRX - fee), signing());
		await tron.sent(all.raw);
		expect(await node.balanceOf(HOT)).toBe(0n);
		await node.setBalance(HOT, TRX);
		await expect(signer.sign(tron.payment(to, 1n, 'USDTTRC20'), signing())).rejects.toThrow(/1000000 sun/);
	});

	it('is rejected for good when it has expired, or was signed on a branch that a fork dropped', async () => {
		const to = await tron.existing(tron.newAddress());
		const late = await signer.sign(tron.payment(to, 1n), signing());
		const taken = await signer.sign(tron.payment(to, 2n), signing());
		await tron.sent(taken.raw);
		await node.evm.rpc('evm_increaseTime', 23 * 3_600);
		await node.mine(1);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(/TRANSACTION_EXPIRATION_ERROR/);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(BroadcastRejected);
		// A block took it in time.
		await chain.broadcast(taken.raw);
		node.intercept((path) =>
			path === '/wallet/broadcasthex' ? { code: 'TAPOS_ERROR', message: 'Tapos check error' } : undefined,
		);
		await chain.broadcast(taken.raw);
		await expect(chain.broadcast(late.raw)).rejects.toThrow(BroadcastRejected);
	});

	it('that has expired is signed again once the solidified chain is past its expiry, and arrives once', async () => {
		const to = await tron.existing(tron.newAddress(), 0n);
		const paid = tron.payment(to, 7n);
		const first = await signer.sign(paid, signing());
		const replaced = () => signer.replace?.(first, paid, signing(...first.spends), false);
		await expect(replaced()).rejects.toThrow(MayStillConfirm);
		await node.evm.rpc('evm_increaseTime', 24 * 3_600);
		await node.mine(1);
		// Expired by the head, but a block that holds it might still become solid.
		await expect(replaced()).rejects.toThrow(MayStillConfirm);
		await node.mine(SOLID + 1);
		const second = await replaced();
		if (!second) throw new Error('no replacing');
		expect(second.spends.slice(0, 1)).toEqual(first.spends);
		await tron.sent(second.raw);
		await expect(chain.broadcast(first.raw)).rejects.toThrow(BroadcastRejected);
		expect(await node.balanceOf(to)).toBe(7n);
	});

	it('is not signed again where the node knows it, or has not kept the block on which it was signed', async () => {
		const to = await tron.existing(tron.newAddress(), 0n);
		const paid = tron.payment(to, 7n);
		const taken = await signer.sign(paid, signing());
		await tron.sent(taken.raw);
		const lost = await signer.sign(paid, signing(...taken.spends));
		await node.evm.rpc('evm_increaseTime', 24 * 3_600);
		await node.mine(SOLID + 2);
		const replaced = (first: SignedTransaction) => signer.replace?.(first, paid, signing(...first.spends), false);
		await expect(replaced(taken)).rejects.toThrow(MayStillConfirm);
		for (const each of ['/wallet/gettransactioninfobyid', '/wallet/gettransactionbyid']) {
			// Each of the two answers is enough.
			node.intercept((path) => (path === each ? {} : undefined));
			await expect(replaced(taken)).rejects.toThrow(MayStillConfirm);
		}
		node.intercept(async (path, body, honest) => {
			if (path !== '/wallet/getblock' || body['id_or_num'] === undefined) return undefined;
			const said = (await honest()) as { blockID: string };
			return { ...said, blockID: `${said.blockID.slice(0, 16)}${'f'.repeat(48)}` };
		});
		await expect(replaced(lost)).rejects.toThrow('has not kept the block');
		await expect(replaced({ ...lost, spends: [] })).rejects.toThrow(PaymentImpossible);
		expect(await node.balanceOf(to)).toBe(7n);
	});

	it('is not taken for known while the node, which has refused it before, cannot show it', async () => {
		const to = await tron.existing(tron.newAddress(), 0n);
		const { raw } = await signer.sign(tron.payment(to, 5n), signing());
		const answers = [
			{ code: 'CONTRACT_VALIDATE_ERROR', message: 'Validate TransferContract error, balance is not sufficient.' },
			...Array.from({ length: 2 }, () => ({ code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction.' })),
		];
		node.intercept((path) => (path === '/wallet/broadcasthex' ? answers.shift() : undefined));
		await expect(chain.broadcast(raw)).rejects.toThrow(BroadcastRejected);
		await expect(chain.broadcast(raw)).rejects.toThrow(/DUP_TRANSACTION_ERROR/);
		await expect(chain.broadcast(raw)).rejects.toThrow(ChainUnavailable);
		await chain.broadcast(raw);
		// The stand-in itself says that it has it now: pending, then in a block.
		await chain.broadcast(raw);
		await node.mine(1);
		await chain.broadcast(raw);
		expect(await node.balanceOf(to)).toBe(5n);
	});

	it('is valid for 22 hours at least', async () => {
		const to = await tron.existing(tron.newAddress());
		const signed = await signer.sign(tron.payment(to, 1n), signing());
		await node.evm.rpc('evm_increaseTime', 22 * 3_600 - 300);
		await node.mine(1);
		await tron.sent(signed.raw);
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
		const { raw } = await signer.sign(tron.payment(await tron.existing(tron.newAddress()), 1n), signing());
		node.intercept((path) => (path === '/wallet/broadcasthex' ? { code, message: 'no' } : undefined));
		await expect(chain.broadcast(raw)).rejects.toThrow(kind);
	});

	it.each(['', '00', '0a', '0aff', 'nonsense'])('is rejected for good when “%s” is no transaction', async (raw) => {
		await expect(chain.broadcast(raw)).rejects.toThrow(BroadcastRejected);
	});

	it('estimates in sun what the payments then cost', async () => {
		const coins = await signer.sign(tron.payment(await tron.existing(tron.newAddress()), TRX), signing());
		expect((await feeOf(chain, 'TRX')).amount).toBeGreaterThanOrEqual(coins.fee);
		const { asset, amount: estimate } = await feeOf(chain, 'USDTTRC20');
		expect(asset).toBe('TRX');
		const signed = await signer.sign(tron.payment(tron.newAddress(), TRX, 'USDTTRC20'), signing());
		await tron.sent(signed.raw);
		const fee = (await chain.transactionDepth(signed.txId))?.fee ?? 0n;
		// Unlike Tron, an EVM charges for the bytes of the call's data as well.
		const difference = fee > estimate ? fee - estimate : estimate - fee;
		expect(fee > 0n && difference * 100n < fee).toBe(true);
	});

	it('names what a deposit and a recipient may cost beside that, to the sun', async () => {
		const toNobody = await signer.sign(tron.payment(tron.newAddress(), TRX), signing());
		const coins = await houseCostsOf(chain, 'TRX');
		const { amount: estimate } = await feeOf(chain, 'TRX');
		expect(toNobody.fee).toBe(estimate + (coins?.recipient ?? 0n));
		const [lying, holding] = [tron.newAddress(), tron.newAddress()];
		await tron.mined(() => node.pay(lying, 10n * TRX));
		await node.issue(holding, TRX);
		const [coin, token] =
			(await chain.sweeping?.quote([
				{ address: lying, asset: 'TRX' },
				{ address: holding, asset: 'USDTTRC20' },
			])) ?? [];
		expect(coin && coin.fee > 0n && coin.fee <= (coins?.deposit ?? 0n)).toBe(true);
		const tokens = await houseCostsOf(chain, 'USDTTRC20');
		expect(token && token.gas > 0n && token.fee <= (tokens?.deposit ?? 0n)).toBe(true);
		expect(tokens?.recipient).toBe(0n);
	});

	it('waits while energy costs more than the ceiling', async () => {
		node.intercept((path) =>
			path === '/wallet/getchainparameters' ? { chainParameter: [{ key: 'getEnergyFee', value: 1_001 }] } : undefined,
		);
		// Of the file's own, the last prices hold for a minute.
		const fresh = tronChain(TRON, { urls: [node.url], chain: 'regtest' }, HOT);
		await expect(feeOf(fresh, 'TRX')).rejects.toThrow(ChainUnavailable);
		await expect(houseCostsOf(fresh, 'TRX')).rejects.toThrow(ChainUnavailable);
		await expect(signer.sign(tron.payment(tron.newAddress(), 1n, 'USDTTRC20'), signing())).rejects.toThrow(
			/at most 1000/,
		);
	});
});
