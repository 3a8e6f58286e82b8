/**
 * Payments on Monero, through a real monerod, the view-only wallet and the cold wallet: what is signed, broadcast and
 * refused, and what the nodes are checked for.
 */
import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	PaymentImpossible,
} from '../../../src/chains/errors.ts';
import { moneroChain } from '../../../src/chains/monero/family.ts';
import type { MoneroSigningNodeConfig } from '../../../src/chains/monero/node-config.ts';
import { moneroSigner } from '../../../src/chains/monero/signing.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { ChainSigner, Payment, SignedTransaction } from '../../../src/chains/signing-port.ts';
import { feeOf } from '../../support/chain-costs.ts';
import { ADDRESSES, LOCK, type MoneroWallets, NETWORK, SEED, watchingOf, XMR } from '../../support/monero-wallets.ts';
import type { Monero, Tamperer, Wallet } from '../../support/monerod.ts';
import { ReservationSet, textsOf } from '../../support/reservations.ts';

export function payments(shared: () => MoneroWallets): void {
	let wallets: MoneroWallets;
	let monero: Monero;
	let watching: Wallet;
	let proposer: Tamperer;
	let daemon: Tamperer;
	let node: MoneroSigningNodeConfig;
	let chain: Chain;
	let signer: ChainSigner;
	const spent = new ReservationSet();

	beforeAll(async () => {
		wallets = shared();
		({ monero, watching, proposer, daemon, node, chain, signer } = wallets);
		// A payment spends up to two coins. Funding each test by itself would mine twelve blocks each time.
		await wallets.fund(...Array<bigint>(24).fill(2n * XMR));
	});

	afterEach(() => {
		proposer.tamper(null);
		daemon.tamper(null);
	});

	const indexesOf = (addresses: readonly string[]) =>
		new Map(
			Array.from({ length: ADDRESSES }, (_, index) => [signer.payInAddress(index), index] as const).filter(
				([address]) => addresses.includes(address),
			),
		);

	async function sign(payment: Pick<Payment, 'to' | 'amount'>): Promise<SignedTransaction> {
		const signed = await signer.sign({ id: 'payment', asset: 'XMR', ...payment }, { spent, indexesOf });
		for (const spend of signed.spends) spent.add(spend);
		return signed;
	}

	/** More than half of what can be spent: two such payments need the same coins. */
	const mostOfAll = async (): Promise<bigint> => ((await chain.balance('XMR')) * 6n) / 10n;

	describe('the node', () => {
		test('is checked for its chain', async () => {
			expect(await chain.check()).toMatchObject([{ ok: true, what: expect.stringMatching('monerod') }]);
			const main = moneroChain(NETWORK, { ...node, chain: 'main' }, signer.hotAddress(), watchingOf(signer));
			expect(await main.check()).toMatchObject([{ ok: false, detail: expect.stringMatching('not on mainnet') }]);
		});

		test('is checked together with the signer’s wallets: for their address and for the spending key', async () => {
			expect(await signer.check?.()).toMatchObject([
				{ ok: true, what: expect.stringMatching(/^wallet 127/) },
				{ ok: true, what: expect.stringMatching(/^cold wallet 127/) },
			]);
			const without = moneroSigner(NETWORK, { ...node, coldWalletUrl: watching.url }, SEED, () => ADDRESSES);
			expect(await without.check?.()).toMatchObject([
				{ ok: true },
				{ ok: false, detail: 'the cold wallet has no spending key' },
			]);
			const other = moneroSigner(NETWORK, node, createHash('sha512').update('another').digest(), () => ADDRESSES);
			expect(await other.check?.()).toMatchObject([
				{ ok: false, detail: expect.stringMatching('seed') },
				{ ok: false, detail: expect.stringMatching('cold wallet: .*seed') },
			]);
		});

		test('gives a fee estimate that payments keep to, between floor and ceiling', async () => {
			const { amount: estimate } = await feeOf(chain, 'XMR');
			const { fee } = await sign({ to: monero.minerAddress, amount: XMR / 2n });
			expect(fee).toBeLessThanOrEqual(estimate);
			expect(fee).toBeGreaterThan(estimate / 4n);
			const bent = wallets.chainAt(daemon.url);
			for (const [told, believed] of [
				[1, 44_300_000n],
				[1_000_000_000, 22_150_000_000n],
			] as const) {
				daemon.tamper({
					response: (_, body, answer) =>
						body.method === 'get_fee_estimate' ? { ...answer, result: { fee: told, fees: [told, told] } } : answer,
				});
				expect(await feeOf(bent, 'XMR')).toEqual({ asset: 'XMR', amount: believed });
			}
			daemon.tamper(null);
		});

		test('that lies is unavailable, or is not believed', async () => {
			const signed = await sign({ to: monero.minerAddress, amount: XMR / 4n });
			await chain.broadcast(signed.raw);
			await wallets.confirm(signed.txId);
			const lied = wallets.chainAt(daemon.url);
			const bent = (hex: string) => hex.replace(/..$/, (byte) => (byte === '00' ? '01' : '00'));
			const info = (lie: object) => ({
				response: (_: string, body: { method?: string }, answer: { result: object }) =>
					body.method === 'get_info' ? { ...answer, result: { ...answer.result, ...lie } } : answer,
			});
			for (const lie of [
				{ height: 5 },
				{ height: 1e6 },
				{ height: 'high' },
				{ nettype: 'mainnet' },
				{ synchronized: false },
			]) {
				daemon.tamper(info(lie));
				await expect(lied.scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
			}
			// Other bytes than those of the transaction that was asked for.
			daemon.tamper({
				response: (path, _, answer) =>
					path === '/get_transactions'
						? {
								...answer,
								txs: answer.txs.map((tx: { pruned_as_hex: string; as_hex: string }) => ({
									...tx,
									pruned_as_hex: bent(tx.pruned_as_hex),
									as_hex: bent(tx.as_hex),
								})),
							}
						: answer,
			});
			expect(await lied.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1, fee: null });
			daemon.tamper(null);
			expect(await lied.transactionDepth(signed.txId)).toMatchObject({ fee: signed.fee });
		});

		test('that is not there makes every call fail as unavailable, and never otherwise', async () => {
			const down: MoneroSigningNodeConfig = {
				walletUrl: 'http://u:p@127.0.0.1:9',
				coldWalletUrl: 'http://127.0.0.1:9',
				urls: ['http://127.0.0.1:9'],
				restoreHeight: 0,
				chain: 'regtest',
			};
			const absent = moneroChain(
				NETWORK,
				down,
				signer.hotAddress(),
				watchingOf(moneroSigner(NETWORK, down, SEED, () => ADDRESSES)),
			);
			const mute = moneroSigner(NETWORK, down, SEED, () => ADDRESSES);
			const deposit = { txId: 'a'.repeat(64), position: '0/1', address: '', asset: 'XMR' as const, amount: 1n };
			const payment = { id: 'payment', asset: 'XMR' as const, to: monero.minerAddress, amount: XMR };
			const coins = ['b'.repeat(64)];
			const raw = JSON.stringify({ txId: 'a'.repeat(64), keyImages: coins, shared: coins, tx: '00' });
			const questions = [
				() => mute.look?.register?.([{ index: 0, address: signer.payInAddress(0) }]),
				() => absent.scan(null, async () => []),
				() => absent.depths([deposit]),
				() => feeOf(absent, 'XMR'),
				() => absent.broadcast(raw),
				() => absent.transactionDepth('a'.repeat(64)),
				() => absent.balance('XMR'),
				() => absent.holdings('XMR', []),
				() => mute.finalAmount([deposit], () => true, []),
				() => mute.sign(payment, { spent, indexesOf }),
			];
			for (const question of questions) await expect(question()).rejects.toThrow(ChainUnavailable);
			expect((await absent.check()).map(({ ok }) => ok)).toEqual([false]);
		});
	});

	describe('a broadcast', () => {
		test('repeated in the mempool and in the chain is success, and changes nothing', async () => {
			const to = await monero.recipient();
			const { raw, txId, fee } = await sign({ to, amount: XMR / 2n });
			await chain.broadcast(raw);
			const paid = (recipient: string, amount: bigint) => signer.hasPaid(txId, { asset: 'XMR', to: recipient, amount });
			expect([await paid(to, XMR / 2n), await paid(to, 1n)]).toEqual([true, false]);
			expect(await paid(monero.minerAddress, XMR / 2n)).toBe(false);
			const left = await chain.holdings('XMR', []);
			await chain.broadcast(raw);
			expect(await chain.holdings('XMR', [])).toBe(left);
			await wallets.confirm(txId);
			expect([await paid(to, XMR / 2n), await paid(monero.minerAddress, XMR / 2n)]).toEqual([true, false]);
			await chain.broadcast(raw);
			expect(await chain.holdings('XMR', [])).toBe(left);
			expect(await chain.transactionDepth(txId)).toMatchObject({ confirmations: 1, fee });
		});

		test('of a transaction that the mempool has dropped brings it back', async () => {
			const { raw, txId } = await sign({ to: await monero.recipient(), amount: XMR / 2n });
			await chain.broadcast(raw);
			await monero.daemon('flush_txpool');
			expect(await chain.transactionDepth(txId)).toBeNull();
			await chain.broadcast(raw);
			expect(await chain.transactionDepth(txId)).toMatchObject({ confirmations: 0 });
			await monero.mine(1);
		});

		test('of a transaction whose coins another one took is rejected, and what says so leads to a new version', async () => {
			const amount = await mostOfAll();
			const first = await sign({ to: monero.minerAddress, amount });
			for (const spend of first.spends) spent.delete(spend);
			for (const keyImage of textsOf(first.spends)) {
				await watching.call('thaw', { key_image: keyImage });
			}
			const rival = await sign({ to: monero.minerAddress, amount });
			await chain.broadcast(rival.raw);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ name: 'BroadcastRejected', unminable: true });
			await wallets.confirm(rival.txId);
			await expect(chain.broadcast(first.raw)).rejects.toMatchObject({ name: 'BroadcastRejected', unminable: true });
			expect(await chain.transactionDepth(first.txId)).toBeNull();
			await expect(chain.broadcast('nonsense')).rejects.toThrow(BroadcastRejected);
		});
	});

	describe('the signer', () => {
		test('pays the exact amount, never twice out of the same coins, and leaves what shows a person whom it paid', async () => {
			const [to, other] = [await monero.recipient(), await monero.recipient()];
			const before = await chain.holdings('XMR', []);
			const first = await sign({ to, amount: 1_000_000_000_001n });
			const second = await sign({ to: other, amount: 1_500_000_000_000n });
			expect(first.spends.length).toBeGreaterThan(0);
			expect(textsOf(first.spends).some((keyImage) => textsOf(second.spends).includes(keyImage))).toBe(false);
			expect(await chain.transactionDepth(first.txId)).toBeNull();

			for (const { raw } of [second, first]) await chain.broadcast(raw);
			expect(await monero.received(to)).toBe(1_000_000_000_001n);
			expect(await chain.transactionDepth(first.txId)).toMatchObject({ confirmations: 0, height: null, fee: null });
			const left = before - 2_500_000_000_001n - first.fee - second.fee;
			expect(await chain.holdings('XMR', [])).toBe(left);

			await wallets.confirm(first.txId);
			expect(await monero.received(other)).toBe(1_500_000_000_000n);
			await watching.call('refresh');
			const { transfer } = await watching.call('get_transfer_by_txid', { txid: first.txId });
			expect(transfer).toMatchObject({ fee: Number(first.fee) });
			expect(await chain.transactionDepth(first.txId)).toMatchObject({
				confirmations: 1,
				reverted: false,
				fee: first.fee,
			});
			expect(await chain.holdings('XMR', [])).toBe(left);
			expect(await wallets.depositsAt(signer.hotAddress())).toEqual([]);

			const found = await signer.look?.paymentsTo?.('XMR', [to, other, monero.minerAddress], Date.now() - 3_600_000);
			expect(found?.filter((payment) => payment.to !== monero.minerAddress)).toEqual(
				expect.arrayContaining([
					{ txId: first.txId, to, amount: 1_000_000_000_001n },
					{ txId: second.txId, to: other, amount: 1_500_000_000_000n },
				]),
			);

			// As the book says under "Backup".
			const { tx_key } = (await wallets.cold?.call('get_tx_key', { txid: first.txId })) ?? {};
			const proof = await watching.call('check_tx_key', { txid: first.txId, tx_key, address: to });
			expect(proof).toMatchObject({ received: 1_000_000_000_001, in_pool: false });
		});

		test('pays an integrated address', async () => {
			const { integrated_address, payment_id } = await monero.miner('make_integrated_address');
			const { raw, txId } = await sign({ to: integrated_address, amount: XMR / 2n });
			await chain.broadcast(raw);
			await monero.miner('refresh');
			const { transfer } = await monero.miner('get_transfer_by_txid', { txid: txId });
			expect(transfer).toMatchObject({ payment_id, amount: Number(XMR / 2n) });
		});

		test('refuses what it cannot pay at all', async () => {
			const impossible = [
				{ to: 'nonsense', amount: XMR },
				{ to: monero.minerAddress, amount: 0n },
				{ to: monero.minerAddress, amount: 10_000n * XMR },
				{ to: signer.payInAddress(3), amount: XMR },
				{ to: signer.hotAddress(), amount: XMR },
			];
			for (const payment of impossible) await expect(sign(payment)).rejects.toThrow(PaymentImpossible);
		});

		test('signs nothing but the payment, whatever the view-only wallet proposes', async () => {
			const to = await monero.recipient();
			const attacker = await monero.recipient();
			const before = await chain.holdings('XMR', []);
			const attacks = [
				{ destinations: [{ address: attacker, amount: Number(XMR) }] },
				{ destinations: [{ address: to, amount: Number(XMR) + 1 }] },
				{
					destinations: [
						{ address: to, amount: Number(XMR) },
						{ address: attacker, amount: Number(XMR) },
					],
				},
				{ destinations: [{ address: to, amount: Number(XMR) }], unlock_time: 1000 },
				// A hundred times the usual fee, for the miner.
				{ destinations: [{ address: to, amount: Number(XMR) }], priority: 4 },
			];
			for (const attack of attacks) {
				proposer.tamper({
					request: (_, body) =>
						body.method === 'transfer' ? { ...body, params: { ...body.params, ...attack } } : body,
				});
				await expect(sign({ to, amount: XMR })).rejects.toThrow(/the view-only wallet proposed/);
			}
			proposer.tamper(null);
			expect(await chain.holdings('XMR', [])).toBe(before);
			await chain.broadcast((await sign({ to, amount: XMR })).raw);
			expect(await monero.received(to)).toBe(XMR);
		});

		test('does not sign with the wallet of other keys, or with one that cannot sign', async () => {
			const payment = { id: 'payment', asset: 'XMR' as const, to: monero.minerAddress, amount: XMR };
			const state = { spent, indexesOf };
			const other = createHash('sha512').update('another seed').digest();
			await expect(moneroSigner(NETWORK, node, other, () => ADDRESSES).sign(payment, state)).rejects.toThrow(
				/cold wallet/,
			);
			const keyless = moneroSigner(NETWORK, { ...node, coldWalletUrl: watching.url }, SEED, () => ADDRESSES);
			await expect(keyless.sign(payment, state)).rejects.toThrow(ChainUnavailable);
		});

		test('shows by the cold wallet’s keys whom it paid once the view-only wallet was made again, and says so once both were', async () => {
			const to = await monero.recipient();
			const { raw, txId } = await sign({ to, amount: XMR / 8n });
			await chain.broadcast(raw);
			await wallets.confirm(txId);
			const again = await monero.viewOnlyWallet(SEED);
			const pool = Array.from({ length: ADDRESSES }, (_, index) => ({ index, address: signer.payInAddress(index) }));
			const remade = moneroSigner(NETWORK, { ...node, walletUrl: again.url }, SEED, () => ADDRESSES);
			await remade.look?.register?.([...pool, { index: -1, address: signer.hotAddress() }]);
			const find = (coldWalletUrl: string) =>
				moneroSigner(
					NETWORK,
					{ ...node, walletUrl: again.url, coldWalletUrl },
					SEED,
					() => ADDRESSES,
				).look?.paymentsTo?.('XMR', [to], 0);
			expect(await find(node.coldWalletUrl)).toEqual([{ txId, to, amount: XMR / 8n }]);
			const { url } = await monero.coldWallet(SEED);
			await expect(find(url)).rejects.toThrow('neither wallet knows any more whom');
		});

		test('signs at once with a cold wallet that was created again and knows no outputs', async () => {
			await wallets.createColdAgain();
			const to = await monero.recipient();
			await chain.broadcast((await sign({ to, amount: XMR / 4n })).raw);
			expect(await monero.received(to)).toBe(XMR / 4n);
		});

		test('signs no coin away twice, even if the view-only wallet proposes it again', async () => {
			const to = await monero.recipient();
			const amount = await mostOfAll();
			const first = await sign({ to, amount });
			await expect(sign({ to, amount })).rejects.toThrow(InsufficientReserve);
			for (const keyImage of textsOf(first.spends)) await watching.call('thaw', { key_image: keyImage });
			proposer.tamper({ request: (_, body) => (body.method === 'freeze' ? { ...body, method: 'get_version' } : body) });
			await expect(sign({ to, amount })).rejects.toThrow(/spent already/);
			proposer.tamper(null);
			await chain.broadcast(first.raw);
			await monero.mine(1);
			expect(await monero.received(to)).toBe(amount);
		});

		// The last: it pays all that there is.
		test('waits for its own change to become spendable again', async () => {
			const all = await chain.balance('XMR');
			const to = await monero.recipient();
			await expect(sign({ to, amount: all })).rejects.toThrow(InsufficientReserve);
			await monero.mine(LOCK);
			expect(await chain.balance('XMR')).toBeGreaterThan(all);
			await chain.broadcast((await sign({ to, amount: all })).raw);
			await monero.mine(1);
			expect(await monero.received(to)).toBe(all);
		});
	});
}
