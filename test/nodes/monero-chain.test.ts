/**
 * Monero through the port: a real monerod, the view-only wallet that both Workers ask, and the cold wallet. The chain and
 * the wallets are shared by all tests, which use addresses of their own.
 */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import { moneroChain } from '../../src/chains/monero/family.ts';
import type { MoneroSigningNodeConfig } from '../../src/chains/monero/node-config.ts';
import { moneroSigner } from '../../src/chains/monero/signing.ts';
import type { Chain } from '../../src/chains/port.ts';
import type { ChainSigner, Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { type Monero, startMonero, startTamperer, type Tamperer, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet, textsOf } from '../support/reservations.ts';

const XMR = 1_000_000_000_000n;
/** Blocks after which a coin can be spent, and a deposit is final. */
const LOCK = 10;
/** Of the deposit that its payer locks. */
const LOCKED = XMR;
const NETWORK = NETWORKS.Monero;
const ADDRESSES = 40;
const SEED = createHash('sha512').update('monero').digest();

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('Monero', () => {
	let monero: Monero;
	let watching: Wallet;
	/** Between the signer and that wallet: whoever has taken it over. */
	let proposer: Tamperer;
	let daemon: Tamperer;
	let cold: Wallet;
	let node: MoneroSigningNodeConfig;
	let chain: Chain;
	let signer: ChainSigner;
	let next = 0;
	const spent = new ReservationSet();

	const chainAt = (walletUrl: string, daemonUrl = monero.daemonUrl) =>
		moneroChain(NETWORK, { walletUrl, daemonUrl, chain: 'regtest' }, signer.hotAddress());

	beforeAll(async () => {
		monero = await startMonero();
		[watching, cold] = await Promise.all([monero.viewOnlyWallet(SEED), monero.coldWallet(SEED)]);
		[proposer, daemon] = await Promise.all([startTamperer(watching.url), startTamperer(monero.daemonUrl)]);
		node = { walletUrl: proposer.url, daemonUrl: daemon.url, coldWalletUrl: cold.url, chain: 'regtest' };
		signer = moneroSigner(NETWORK, node, SEED);
		chain = chainAt(watching.url);
		const pool = Array.from({ length: ADDRESSES }, (_, index) => ({ index, address: signer.payInAddress(index) }));
		await chain.register([...pool, { index: -1, address: signer.hotAddress() }]);
	}, 300_000);
	afterAll(async () => {
		await Promise.all([proposer?.stop(), daemon?.stop()]);
		await monero?.stop();
	});

	afterEach(() => {
		proposer.tamper(null);
		daemon.tamper(null);
	});

	/** A pay-in address that no other test uses. */
	const freshAddress = () => signer.payInAddress(next++);
	const scan = (cursor: string | null = null) => chain.scan(cursor, async () => []);
	const depositsAt = async (...addresses: string[]) =>
		(await scan()).deposits.filter(({ address }) => addresses.includes(address));
	const isFinal = ({ confirmations }: { confirmations: number }) => confirmations >= LOCK;

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

	/** Mines until a block has it: a busy monerod leaves a new payment out of a block. */
	async function confirm(txId: string): Promise<void> {
		for (let blocks = 0; blocks < 5; blocks++) {
			await monero.mine(1);
			if (((await chain.transactionDepth(txId))?.height ?? null) !== null) return;
		}
		throw new Error(`no block has ${txId}`);
	}

	/** Final deposits, one coin each. */
	async function fund(...amounts: bigint[]): Promise<void> {
		for (const amount of amounts) await monero.pay(freshAddress(), amount);
		await monero.mine(LOCK + 2);
	}

	/** Two transactions of the miner that spend the same coin: to `address`, and to himself. */
	async function rivals(address: string): Promise<{ tx_hash: string; tx_blob: string }[]> {
		await monero.miner('refresh');
		const { transfers } = await monero.miner('incoming_transfers', { transfer_type: 'available' });
		const coin = transfers.findLast(({ unlocked }: { unlocked: boolean }) => unlocked);
		const sweep = { key_image: coin.key_image, do_not_relay: true, get_tx_hex: true };
		return [
			await monero.miner('sweep_single', { ...sweep, address }),
			await monero.miner('sweep_single', { ...sweep, address: monero.minerAddress }),
		];
	}

	const send = (rival: { tx_blob: string } | undefined) =>
		monero.post('send_raw_transaction', { tx_as_hex: rival?.tx_blob });

	describe('a deposit', () => {
		test('is seen in the mempool, and becomes deeper with each block', async () => {
			const address = freshAddress();
			const txId = await monero.pay(address, 1_234_567_890_123n);
			const pooled = await depositsAt(address);
			expect(pooled).toEqual([
				{
					txId,
					position: expect.any(String),
					address,
					asset: 'XMR',
					amount: 1_234_567_890_123n,
					confirmations: 0,
					height: null,
					irreversible: false,
				},
			]);
			expect(await chain.depths(pooled)).toEqual([{ confirmations: 0, height: null, irreversible: false }]);
			const { cursor } = await scan();
			await confirm(txId);
			const { deposits, height } = await scan(cursor);
			const mined = deposits.filter((deposit) => deposit.txId === txId);
			expect(mined).toMatchObject([{ confirmations: 1, height, position: pooled[0]?.position }]);
			await monero.mine(2);
			expect(await chain.depths(mined)).toEqual([{ confirmations: 3, height, irreversible: false }]);
			expect(await depositsAt(address)).toMatchObject([{ confirmations: 3, height }]);
		});

		test('of several outputs is one for each address, to the piconero', async () => {
			const [first, second] = [freshAddress(), freshAddress()];
			const destinations = [
				{ address: first, amount: Number(2n * XMR) },
				{ address: first, amount: 5 },
				{ address: second, amount: 7 },
			];
			const { tx_hash } = await monero.miner('transfer', { destinations });
			const deposits = await depositsAt(first, second);
			expect(deposits.map(({ address, amount }) => [address, amount])).toEqual(
				expect.arrayContaining([
					[first, 2n * XMR + 5n],
					[second, 7n],
				]),
			);
			expect(deposits.every(({ txId }) => txId === tx_hash)).toBe(true);
			expect(new Set(deposits.map(({ position }) => position)).size).toBe(2);
			await monero.mine(1);
			const mined = await depositsAt(first, second);
			expect(mined.map(({ position }) => position).sort()).toEqual(deposits.map(({ position }) => position).sort());
		});

		test('that its payer has locked is none, neither in the mempool nor in a block', async () => {
			const address = freshAddress();
			await monero.pay(address, LOCKED, { unlock_time: 500 });
			expect(await depositsAt(address)).toEqual([]);
			await monero.mine(1);
			expect(await depositsAt(address)).toEqual([]);
		});

		test('that came while nobody looked is found from the old cursor', async () => {
			const { cursor } = await scan();
			const address = freshAddress();
			const txId = await monero.pay(address, XMR);
			await monero.mine(25);
			expect((await scan()).deposits.filter((deposit) => deposit.txId === txId)).toEqual([]);
			const { deposits } = await scan(cursor);
			const [found] = deposits.filter((deposit) => deposit.txId === txId);
			// A busy monerod may leave a new payment out of the first block.
			expect(found?.confirmations).toBeGreaterThanOrEqual(24);
		});

		test('goes back to the mempool with its block, and no word of the wallet counts until others come', async () => {
			const address = freshAddress();
			await confirm(await monero.pay(address, XMR));
			await monero.mine(1);
			const deposits = await depositsAt(address);
			expect(deposits).toMatchObject([{ confirmations: 2 }]);
			await monero.post('pop_blocks', { nblocks: 2 });
			expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 0, height: null }]);
			await expect(scan()).rejects.toThrow(ChainUnavailable);
			await expect(chain.balance('XMR')).rejects.toThrow(ChainUnavailable);
			await confirm(deposits[0]?.txId ?? '');
			expect(await depositsAt(address)).toMatchObject([{ confirmations: 1 }]);
		});

		test('that is spent twice in the mempool is none, and it vanishes when the other one is mined', async () => {
			const address = freshAddress();
			const [paid, rival] = await rivals(address);
			await send(paid);
			expect(await send(rival)).toMatchObject({ double_spend: true });
			expect(await depositsAt(address)).toEqual([]);

			await confirm(paid?.tx_hash ?? '');
			const deposits = await depositsAt(address);
			expect(deposits).toMatchObject([{ txId: paid?.tx_hash, confirmations: 1 }]);
			await monero.post('pop_blocks', { nblocks: 1 });
			await monero.daemon('flush_txpool');
			await send(rival);
			await monero.mine(2);
			expect(await depositsAt(address)).toEqual([]);
			expect(await chain.depths(deposits)).toEqual([null]);
		});
	});

	describe('registering', () => {
		const count = async () => (await watching.call('get_address', { account_index: 0 })).addresses.length;

		test('makes exactly the subaddresses that are asked for, however often', async () => {
			expect(await count()).toBe(ADDRESSES + 1);
			const pool = [ADDRESSES + 69, 3].map((index) => ({ index, address: signer.payInAddress(index) }));
			await chain.register(pool);
			await chain.register(pool);
			expect(await count()).toBe(ADDRESSES + 71);
		});

		test('of an address that the wallet derives otherwise fails, and names the reason', async () => {
			const foreign = [{ index: 4, address: signer.payInAddress(5) }];
			await expect(chain.register(foreign)).rejects.toThrow(/not made from this service's seed/);
			const otherHot = [{ index: -1, address: monero.minerAddress }];
			await expect(chain.register(otherHot)).rejects.toThrow(ChainUnavailable);
		});
	});

	describe('the signer', () => {
		test('counts a deposit when its own node holds it deep enough, and not one block before', async () => {
			const address = freshAddress();
			await confirm(await monero.pay(address, XMR));
			await monero.mine(LOCK - 2);
			const deposits = await depositsAt(address);
			expect(await signer.finalAmount(deposits, isFinal, [])).toBe(0n);
			await monero.mine(1);
			expect(await signer.finalAmount(deposits, isFinal, [])).toBe(XMR);
			expect(await signer.finalAmount([...deposits, ...deposits], isFinal, [])).toBe(XMR);
			const lies = [
				{ amount: 2n * XMR },
				{ address: freshAddress() },
				{ position: '0/0' },
				{ txId: 'f'.repeat(64) },
				{ txId: 'nonsense' },
				{ asset: 'LTC' as const },
			];
			for (const lie of lies) {
				const told = deposits.map((deposit) => ({ ...deposit, ...lie }));
				expect(await signer.finalAmount(told, isFinal, [])).toBe(0n);
			}
		});

		test('pays the exact amount, and never twice out of the same coins, broadcast or not', async () => {
			await fund(2n * XMR, 2n * XMR);
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

			await confirm(first.txId);
			expect(await monero.received(other)).toBe(1_500_000_000_000n);
			const { transfer } = await watching.call('get_transfer_by_txid', { txid: first.txId });
			expect(transfer).toMatchObject({ fee: Number(first.fee) });
			expect(await chain.transactionDepth(first.txId)).toMatchObject({
				confirmations: 1,
				reverted: false,
				fee: first.fee,
			});
			expect(await chain.holdings('XMR', [])).toBe(left);
			expect(await depositsAt(signer.hotAddress())).toEqual([]);
		});

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

		test('pays an integrated address', async () => {
			await fund(XMR);
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

		test('signs nothing else than the payment, whatever the view-only wallet proposes', async () => {
			await fund(3n * XMR);
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
				// A hundred times the usual fee, for whoever mines.
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

		test('signs away no coin twice, though the view-only wallet proposes it again', async () => {
			await monero.mine(LOCK);
			const all = await chain.balance('XMR');
			const to = await monero.recipient();
			// All but a little, so that the same coins are needed twice.
			const amount = (all * 9n) / 10n;
			const first = await sign({ to, amount });
			await expect(sign({ to, amount })).rejects.toThrow(InsufficientReserve);
			for (const keyImage of textsOf(first.spends)) await watching.call('thaw', { key_image: keyImage });
			proposer.tamper({
				request: (_, body) => (body.method === 'freeze' ? { ...body, method: 'get_version' } : body),
			});
			await expect(sign({ to, amount })).rejects.toThrow(/spent already/);
			proposer.tamper(null);
			await chain.broadcast(first.raw);
			await monero.mine(1);
			expect(await monero.received(to)).toBe(amount);
		});

		test('does not sign with the wallet of other keys, or with one that cannot sign', async () => {
			const payment = { id: 'payment', asset: 'XMR' as const, to: monero.minerAddress, amount: XMR };
			const state = { spent, indexesOf };
			const other = createHash('sha512').update('another seed').digest();
			await expect(moneroSigner(NETWORK, node, other).sign(payment, state)).rejects.toThrow(/cold wallet/);
			const keyless = moneroSigner(NETWORK, { ...node, coldWalletUrl: watching.url }, SEED);
			await expect(keyless.sign(payment, state)).rejects.toThrow(ChainUnavailable);
		});
	});

	describe('a broadcast', () => {
		test('repeated in the mempool and in the chain is success, and changes nothing', async () => {
			await fund(XMR);
			const { raw, txId, fee } = await sign({ to: await monero.recipient(), amount: XMR / 2n });
			await chain.broadcast(raw);
			const left = await chain.holdings('XMR', []);
			await chain.broadcast(raw);
			expect(await chain.holdings('XMR', [])).toBe(left);
			await confirm(txId);
			await chain.broadcast(raw);
			expect(await chain.holdings('XMR', [])).toBe(left);
			expect(await chain.transactionDepth(txId)).toMatchObject({ confirmations: 1, fee });
		});

		test('of a transaction that the mempool has dropped brings it back', async () => {
			await fund(XMR);
			const { raw, txId } = await sign({ to: await monero.recipient(), amount: XMR / 2n });
			await chain.broadcast(raw);
			await monero.daemon('flush_txpool');
			expect(await chain.transactionDepth(txId)).toBeNull();
			await chain.broadcast(raw);
			expect(await chain.transactionDepth(txId)).toMatchObject({ confirmations: 0 });
			await monero.mine(1);
		});

		test('of a transaction whose coins another one took is rejected', async () => {
			await monero.mine(LOCK);
			const amount = ((await chain.balance('XMR')) * 9n) / 10n;
			const first = await sign({ to: monero.minerAddress, amount });
			for (const spend of first.spends) spent.delete(spend);
			for (const keyImage of textsOf(first.spends)) {
				await watching.call('thaw', { key_image: keyImage });
			}
			const rival = await sign({ to: monero.minerAddress, amount });
			await chain.broadcast(rival.raw);
			await confirm(rival.txId);
			await expect(chain.broadcast(first.raw)).rejects.toThrow(BroadcastRejected);
			expect(await chain.transactionDepth(first.txId)).toBeNull();
			await expect(chain.broadcast('nonsense')).rejects.toThrow(BroadcastRejected);
		});
	});

	describe('the reserve', () => {
		test('is what the operator sends to the primary address, seen as a credit and held once it is deep', async () => {
			const before = await chain.holdings('XMR', []);
			const txId = await monero.pay(signer.hotAddress(), 4n * XMR);
			expect(await depositsAt(signer.hotAddress())).toMatchObject([{ txId, amount: 4n * XMR, confirmations: 0 }]);
			await confirm(txId);
			await monero.mine(LOCK - 2);
			expect(await chain.holdings('XMR', [])).toBe(before);
			await monero.mine(1);
			expect(await chain.holdings('XMR', [])).toBe(before + 4n * XMR);
			// What its payer has locked is held, and cannot be spent.
			expect(await chain.balance('XMR')).toBe(before + 4n * XMR - LOCKED);
		});
	});

	describe('the node', () => {
		test('is checked for its chain, and the wallet for its address', async () => {
			expect(await chain.check()).toMatchObject([
				{ ok: true, what: expect.stringMatching('monerod') },
				{ ok: true, what: expect.stringMatching('wallet') },
			]);
			const main = moneroChain(NETWORK, { ...node, chain: 'main' }, signer.hotAddress());
			expect((await main.check())[0]).toMatchObject({ ok: false, detail: expect.stringMatching('not on mainnet') });
			const stranger = moneroChain(NETWORK, node, monero.minerAddress);
			expect((await stranger.check())[1]).toMatchObject({ ok: false, detail: expect.stringMatching('seed') });
		});

		test('is not all: the signer’s cold wallet is checked for its address and for its spending key', async () => {
			expect(await signer.check?.()).toMatchObject([{ ok: true, what: expect.stringMatching(/^cold wallet 127/) }]);
			const without = moneroSigner(NETWORK, { ...node, coldWalletUrl: watching.url }, SEED);
			expect(await without.check?.()).toMatchObject([{ ok: false, detail: 'the cold wallet has no spending key' }]);
			const other = moneroSigner(NETWORK, node, createHash('sha512').update('another').digest());
			expect(await other.check?.()).toMatchObject([
				{ ok: false, detail: expect.stringMatching('cold wallet: .*seed') },
			]);
		});

		test('names a fee that payments keep to, between floor and ceiling', async () => {
			const { amount: estimate } = await chain.feeEstimate('XMR');
			await fund(XMR);
			const { fee } = await sign({ to: monero.minerAddress, amount: XMR / 2n });
			expect(fee).toBeLessThanOrEqual(estimate);
			expect(fee).toBeGreaterThan(estimate / 4n);
			const bent = chainAt(watching.url, daemon.url);
			for (const [told, believed] of [
				[1, 44_300_000n],
				[1_000_000_000, 22_150_000_000n],
			] as const) {
				daemon.tamper({
					response: (_, body, answer) =>
						body.method === 'get_fee_estimate' ? { ...answer, result: { fee: told, fees: [told, told] } } : answer,
				});
				expect(await bent.feeEstimate('XMR')).toEqual({ asset: 'XMR', amount: believed });
			}
			daemon.tamper(null);
		});

		test('that lies is unavailable, or is not believed', async () => {
			await fund(XMR);
			const signed = await sign({ to: monero.minerAddress, amount: XMR / 4n });
			await chain.broadcast(signed.raw);
			await confirm(signed.txId);
			const bent = chainAt(watching.url, daemon.url);
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
				await expect(bent.scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
			}
			// Other bytes than those of the transaction that was asked for.
			daemon.tamper({
				response: (path, _, answer) =>
					path === '/get_transactions'
						? {
								...answer,
								txs: answer.txs.map((tx: { pruned_as_hex: string }) => ({
									...tx,
									pruned_as_hex: tx.pruned_as_hex.replace(/..$/, '00'),
								})),
							}
						: answer,
			});
			expect(await bent.transactionDepth(signed.txId)).toMatchObject({ confirmations: 1, fee: null });
			daemon.tamper(null);
			expect(await bent.transactionDepth(signed.txId)).toMatchObject({ fee: signed.fee });
		});

		test('that is not there makes every question fail as unavailable, and never as something else', async () => {
			const down: MoneroSigningNodeConfig = {
				walletUrl: 'http://u:p@127.0.0.1:9',
				coldWalletUrl: 'http://127.0.0.1:9',
				daemonUrl: 'http://127.0.0.1:9',
				chain: 'regtest',
			};
			const absent = moneroChain(NETWORK, down, signer.hotAddress());
			const mute = moneroSigner(NETWORK, down, SEED);
			const deposit = { txId: 'a'.repeat(64), position: '0/1', address: '', asset: 'XMR' as const, amount: 1n };
			const payment = { id: 'payment', asset: 'XMR' as const, to: monero.minerAddress, amount: XMR };
			const raw = JSON.stringify({ txId: 'a'.repeat(64), keyImages: ['b'.repeat(64)], signedSet: '00' });
			const questions = [
				() => absent.register([{ index: 0, address: signer.payInAddress(0) }]),
				() => absent.scan(null, async () => []),
				() => absent.depths([deposit]),
				() => absent.feeEstimate('XMR'),
				() => absent.broadcast(raw),
				() => absent.transactionDepth('a'.repeat(64)),
				() => absent.balance('XMR'),
				() => absent.holdings('XMR', []),
				() => mute.finalAmount([deposit], () => true, []),
				() => mute.sign(payment, { spent, indexesOf }),
			];
			for (const question of questions) await expect(question()).rejects.toThrow(ChainUnavailable);
			expect((await absent.check()).map(({ ok }) => ok)).toEqual([false, false]);
		});
	});
});
