/**
 * Monero payments that no block takes as they were signed, through a real monerod and both wallets: after reorganisations
 * that are deeper than the youngest member of a ring, at a fee that is too low, and where another transaction was first.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MayStillConfirm } from '../../src/chains/errors.ts';
import type { Chain } from '../../src/chains/port.ts';
import type { ChainSigner, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { LOCK, type MoneroWallets, reorganise, startMoneroWallets, XMR } from '../support/monero-wallets.ts';
import { type Monero, startTamperer, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet, textsOf } from '../support/reservations.ts';

/** Monero's lock of a coinbase: as deep as the signer's proof asks for. */
const DEEP = 60;

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('Monero', () => {
	let wallets: MoneroWallets;
	let monero: Monero;
	let watching: Wallet;
	let chain: Chain;
	let signer: ChainSigner;
	let spent: ReservationSet;

	beforeAll(async () => {
		wallets = await startMoneroWallets();
		({ monero, watching, chain, signer } = wallets);
		spent = new ReservationSet();
	}, 300_000);
	afterAll(() => wallets?.stop());

	const state = () => ({ spent, indexesOf: () => new Map<string, number>() });
	const reserve = (signed: SignedTransaction): SignedTransaction => {
		for (const spend of signed.spends) spent.add(spend);
		return signed;
	};
	const paymentOf = async (amount: bigint): Promise<Payment> => ({
		id: 'payment',
		asset: 'XMR',
		to: await monero.recipient(),
		amount,
	});
	const sign = async (payment: Payment) => reserve(await signer.sign(payment, state()));
	const replace = async (signed: SignedTransaction, payment: Payment): Promise<SignedTransaction> => {
		const next = await signer.replace?.(signed, payment, state(), false);
		if (!next) throw new Error('no new version');
		return reserve(next);
	};
	const coinsOf = ({ raw }: SignedTransaction): string[] => JSON.parse(raw).keyImages;

	/** So that the next signature spends only others. */
	async function reserveAllBut(isKept: (coin: { key_image: string; tx_hash: string }) => boolean): Promise<void> {
		const { transfers } = await watching.call('incoming_transfers', { transfer_type: 'available', account_index: 0 });
		for (const coin of transfers) if (!isKept(coin)) spent.add({ kind: 'key image', keyImage: coin.key_image });
	}

	describe('a payment', () => {
		test('that a reorganisation made unmineable is signed again from the same coins, and arrives once', async () => {
			await wallets.fund(...Array<bigint>(4).fill(2n * XMR));
			const payment = await paymentOf(3n * XMR);
			const first = await sign(payment);
			await reorganise(monero, watching);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({
				name: 'BroadcastRejected',
				unminable: true,
				taken: false,
				message: 'invalid input',
			});
			wallets.proposer.tamper({
				response: (_, { method }, answer) =>
					method === 'transfer'
						? { ...answer, error: { code: -4, message: 'Known ring does not include the spent output: 122' } }
						: answer,
			});
			await expect(replace(first, payment)).rejects.toThrow("start it with `--shared-ringdb-dir ''`");
			wallets.proposer.tamper(null);
			const next = await replace(first, payment);
			expect(next.txId).not.toBe(first.txId);
			expect(coinsOf(next).some((coin) => coinsOf(first).includes(coin))).toBe(true);
			expect(textsOf(next.spends)).toEqual(expect.arrayContaining(textsOf(first.spends)));
			await chain.broadcast(next.raw);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ unminable: true });
			await wallets.confirm(next.txId);
			expect(await monero.received(payment.to)).toBe(3n * XMR);
			expect(signer.takenBy?.(next).length).toBe(coinsOf(next).length);
		});

		test('that a node holds, or would take, is not signed again', async () => {
			const payment = await paymentOf(XMR);
			const first = await sign(payment);
			await expect(replace(first, payment)).rejects.toThrow('the node takes it as it is');
			await expect(replace(first, payment)).rejects.toThrow('in the mempool');
			await wallets.confirm(first.txId);
			expect(await monero.received(payment.to)).toBe(XMR);
		});

		test('whose fee monerod does not take is signed again from the same coins at a fee that it takes', async () => {
			const payment = await paymentOf(XMR);
			const cheap = await startTamperer(monero.daemonUrl);
			cheap.tamper({
				response: (_, { method }, answer) =>
					method === 'get_fee_estimate'
						? { ...answer, result: { ...answer.result, fee: 1, fees: [1, 1, 1, 1], quantization_mask: 1 } }
						: answer,
			});
			await watching.call('set_daemon', { address: cheap.url, trusted: true, ssl_support: 'disabled' });
			const first = await sign(payment);
			await watching.call('set_daemon', { address: monero.daemonUrl, trusted: true, ssl_support: 'disabled' });
			await cheap.stop();
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ underpriced: true, message: 'fee too low' });
			const next = await replace(first, payment);
			expect(next.fee).toBeGreaterThan(first.fee);
			expect(coinsOf(next)).toEqual(coinsOf(first));
			await chain.broadcast(next.raw);
			await wallets.confirm(next.txId);
			expect(await monero.received(payment.to)).toBe(XMR);
		});

		test('whose coins another transaction took is signed again once that one is too deep to be dropped, and not before', async () => {
			await wallets.fund(2n * XMR, 2n * XMR);
			const payment = await paymentOf(XMR / 2n);
			const first = await sign(payment);
			spent = new ReservationSet();
			await reserveAllBut(({ key_image }) => coinsOf(first).includes(key_image));
			const rival = await sign(await paymentOf(XMR / 4n));
			spent = new ReservationSet();
			reserve(first);
			expect(coinsOf(rival)).toEqual(coinsOf(first));
			await chain.broadcast(rival.raw);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ unminable: true, message: 'double spend' });
			await expect(replace(first, payment)).rejects.toThrow('in the mempool');
			await wallets.confirm(rival.txId);
			await expect(replace(first, payment)).rejects.toThrow(`${rival.txId} spends its coins, in 1 of ${DEEP} blocks`);
			await monero.mine(DEEP - 2);
			await expect(replace(first, payment)).rejects.toThrow(MayStillConfirm);
			await monero.mine(1);
			const next = await replace(first, payment);
			expect(coinsOf(next).some((coin) => coinsOf(first).includes(coin))).toBe(false);
			await chain.broadcast(next.raw);
			await wallets.confirm(next.txId);
			expect(await monero.received(payment.to)).toBe(XMR / 2n);
		});

		test('whose coins one to the same recipient of the same amount took is that one, found on the chain, and is not paid again', async () => {
			await wallets.fund(2n * XMR, 2n * XMR);
			const payment = await paymentOf(XMR / 2n);
			const first = await sign(payment);
			spent = new ReservationSet();
			await reserveAllBut(({ key_image }) => coinsOf(first).includes(key_image));
			const same = await sign(payment);
			spent = new ReservationSet();
			reserve(first);
			expect(await chain.overtaker?.(first.raw, '', null)).toBeNull();
			await chain.broadcast(same.raw);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ unminable: true, message: 'double spend' });
			await wallets.confirm(same.txId);
			expect(await chain.overtaker?.(first.raw, '', null)).toMatchObject({ txId: same.txId, confirmations: 1 });
			expect(await signer.hasPaid(same.txId, payment)).toBe(true);
			await monero.mine(DEEP);
			await expect(replace(first, payment)).rejects.toThrow('once it is final, it is this payment');
			// On record as another order's it is none of this one, which is paid.
			const next = reserve(
				(await signer.replace?.(first, payment, { ...state(), isSigned: (txId) => txId === same.txId }, false)) ??
					first,
			);
			expect(next.txId).not.toBe(first.txId);
			await chain.broadcast(next.raw);
			await wallets.confirm(next.txId);
			expect(await monero.received(payment.to)).toBe(XMR);
		});

		test('whose coin a reorganisation took away is signed again only once its rings are deep and wrong', async () => {
			await wallets.fund(...Array<bigint>(3).fill(2n * XMR));
			const gone = await monero.pay(wallets.freshAddress(), 7n * XMR);
			await monero.mine(LOCK + 2);
			const payment = await paymentOf(6n * XMR);
			// Which gives the wallet the key image of each coin.
			await sign(await paymentOf(1n));
			await reserveAllBut(({ tx_hash }) => tx_hash === gone);
			const first = await sign(payment);
			spent = new ReservationSet();
			reserve(first);
			await reorganise(monero, watching, gone);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ unminable: true });
			await expect(replace(first, payment)).rejects.toThrow('a reorganisation took its coins away');
			await monero.mine(DEEP);
			await wallets.fund(7n * XMR);
			const next = await replace(first, payment);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ unminable: true });
			await chain.broadcast(next.raw);
			await wallets.confirm(next.txId);
			expect(await monero.received(payment.to)).toBe(6n * XMR);
		});
	});
});
