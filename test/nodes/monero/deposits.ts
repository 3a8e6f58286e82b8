/** Deposits on Monero, through a real monerod and the view-only wallet: what a scan finds, and what is final. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ChainUnavailable } from '../../../src/chains/errors.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { ChainSigner } from '../../../src/chains/signing-port.ts';
import { ADDRESSES, LOCK, type MoneroWallets, XMR } from '../../support/monero-wallets.ts';
import type { Monero, Wallet } from '../../support/monerod.ts';

/** The amount of the deposit that its payer locks. */
const LOCKED = XMR;

export function deposits(shared: () => MoneroWallets): void {
	let wallets: MoneroWallets;
	let monero: Monero;
	let watching: Wallet;
	let chain: Chain;
	let signer: ChainSigner;

	beforeAll(() => {
		wallets = shared();
		({ monero, watching, chain, signer } = wallets);
	});

	const isFinal = ({ confirmations }: { confirmations: number }) => confirmations >= LOCK;

	/** Two transactions of the miner that spend the same coin: to `address`, and back to the miner. */
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
			const address = wallets.freshAddress();
			const txId = await monero.pay(address, 1_234_567_890_123n);
			const pooled = await wallets.depositsAt(address);
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
			const { cursor } = await wallets.scan();
			await wallets.confirm(txId);
			const { deposits, height } = await wallets.scan(cursor);
			const mined = deposits.filter((deposit) => deposit.txId === txId);
			expect(mined).toMatchObject([{ confirmations: 1, height, position: pooled[0]?.position }]);
			await monero.mine(2);
			expect(await chain.depths(mined)).toEqual([{ confirmations: 3, height, irreversible: false }]);
			expect(await wallets.depositsAt(address)).toMatchObject([{ confirmations: 3, height }]);
		});

		test('with several outputs is one deposit for each address, to the piconero', async () => {
			const [first, second] = [wallets.freshAddress(), wallets.freshAddress()];
			const destinations = [
				{ address: first, amount: Number(2n * XMR) },
				{ address: first, amount: 5 },
				{ address: second, amount: 7 },
			];
			const { tx_hash } = await monero.miner('transfer', { destinations });
			const deposits = await wallets.depositsAt(first, second);
			expect(deposits.map(({ address, amount }) => [address, amount])).toEqual(
				expect.arrayContaining([
					[first, 2n * XMR + 5n],
					[second, 7n],
				]),
			);
			expect(deposits.every(({ txId }) => txId === tx_hash)).toBe(true);
			expect(new Set(deposits.map(({ position }) => position)).size).toBe(2);
			await monero.mine(1);
			const mined = await wallets.depositsAt(first, second);
			expect(mined.map(({ position }) => position).sort()).toEqual(deposits.map(({ position }) => position).sort());
		});

		test('that its payer has locked does not count while it is locked; it is named, and the wallet holds it', async () => {
			const address = wallets.freshAddress();
			const before = await chain.holdings('XMR', []);
			const end = (await wallets.scan()).height + 14;
			const txId = await monero.pay(address, LOCKED, { unlock_time: end });
			const locked = async () => (await wallets.scan()).locked?.filter((each) => each.address === address);
			for (let blocks = 0; blocks < 2; blocks++) {
				expect(await wallets.depositsAt(address)).toEqual([]);
				expect(await locked()).toMatchObject([{ txId, amount: LOCKED }]);
				expect(await chain.holdings('XMR', [])).toBe(before + LOCKED);
				if (blocks === 0) await wallets.confirm(txId);
			}
			const refs = (await locked()) ?? [];
			expect(await signer.finalAmount(refs, () => true, [])).toBe(0n);
			await monero.mine(14);
			expect(await locked()).toEqual([]);
			expect(await wallets.depositsAt(address)).toMatchObject([{ txId, amount: LOCKED }]);
			expect(await signer.finalAmount(refs, isFinal, [])).toBe(LOCKED);
			expect(await chain.holdings('XMR', [])).toBe(before + LOCKED);
		});

		test('that its payer has locked for longer stays in view, however many polls later, and is a deposit when the lock ends', async () => {
			const [address, other] = [wallets.freshAddress(), wallets.freshAddress()];
			const end = (await wallets.scan()).height + 40;
			const txId = await monero.pay(address, LOCKED, { unlock_time: end });
			const untilTime = await monero.pay(other, LOCKED, { unlock_time: Math.floor(Date.now() / 1000) + 86_400 });
			await wallets.confirm(txId);
			await wallets.confirm(untilTime);
			let { cursor } = await wallets.scan();
			const poll = async () => {
				const { deposits, locked = [], ...rest } = await wallets.scan(cursor);
				cursor = rest.cursor;
				const at = (each: { address: string }) => each.address === address || each.address === other;
				return { deposits: deposits.filter(at), locked: locked.filter(at), settled: rest.settled ?? 0 };
			};
			await monero.mine(24);
			await poll();
			expect(await poll()).toMatchObject({ deposits: [], locked: [{ txId, amount: LOCKED, countsFrom: end }] });
			await monero.mine(16);
			const [deposit, ...others] = (await poll()).deposits;
			expect([deposit, others]).toMatchObject([{ txId, amount: LOCKED, countsFrom: end }, []]);
			expect(await signer.finalAmount(deposit ? [deposit] : [], isFinal, [])).toBe(LOCKED);
			await monero.mine(25);
			expect((await poll()).settled).toBeGreaterThan(end);
			expect(await poll()).toMatchObject({ deposits: [], locked: [] });
		});

		test('that came between two polls is found from the old cursor', async () => {
			const { cursor } = await wallets.scan();
			const address = wallets.freshAddress();
			const txId = await monero.pay(address, XMR);
			await monero.mine(25);
			expect((await wallets.scan()).deposits.filter((deposit) => deposit.txId === txId)).toEqual([]);
			const { deposits } = await wallets.scan(cursor);
			const [found] = deposits.filter((deposit) => deposit.txId === txId);
			// A busy monerod may leave a new payment out of the first block.
			expect(found?.confirmations).toBeGreaterThanOrEqual(24);
		});

		test('returns to the mempool when its block is dropped, and monerod is not believed until new blocks come', async () => {
			const address = wallets.freshAddress();
			await wallets.confirm(await monero.pay(address, XMR));
			await monero.mine(1);
			const deposits = await wallets.depositsAt(address);
			expect(deposits).toMatchObject([{ confirmations: 2 }]);
			await monero.post('pop_blocks', { nblocks: 2 });
			expect(await chain.depths(deposits)).toMatchObject([{ confirmations: 0, height: null }]);
			await expect(wallets.scan()).rejects.toThrow(ChainUnavailable);
			await wallets.confirm(deposits[0]?.txId ?? '');
			expect(await wallets.depositsAt(address)).toMatchObject([{ confirmations: 1 }]);
		});

		test('that is double-spent in the mempool does not count, and is dropped when the other transaction is mined', async () => {
			const address = wallets.freshAddress();
			const [paid, rival] = await rivals(address);
			await send(paid);
			expect(await send(rival)).toMatchObject({ double_spend: true });
			expect(await wallets.depositsAt(address)).toEqual([]);

			await wallets.confirm(paid?.tx_hash ?? '');
			const deposits = await wallets.depositsAt(address);
			expect(deposits).toMatchObject([{ txId: paid?.tx_hash, confirmations: 1 }]);
			await monero.post('pop_blocks', { nblocks: 1 });
			await monero.daemon('flush_txpool');
			await send(rival);
			await monero.mine(2);
			expect(await wallets.depositsAt(address)).toEqual([]);
			expect(await chain.depths(deposits)).toEqual([null]);
		});
	});

	describe('registering', () => {
		const count = async () => (await watching.call('get_address', { account_index: 0 })).addresses.length;

		test('makes exactly the subaddresses that are asked for in the wallet that pays, however often', async () => {
			expect(await count()).toBe(ADDRESSES + 1);
			const pool = [ADDRESSES + 69, 3].map((index) => ({ index, address: signer.payInAddress(index) }));
			await signer.look?.register?.(pool);
			await signer.look?.register?.(pool);
			expect(await count()).toBe(ADDRESSES + 71);
		});

		test('of an address that wallet or view key derive otherwise fails, and names the reason', async () => {
			const foreign = [{ index: 4, address: signer.payInAddress(5) }];
			const otherHot = [{ index: -1, address: monero.minerAddress }];
			await expect(signer.look?.register?.(foreign)).rejects.toThrow(/not made from this service's seed/);
			for (const one of [chain, signer.look])
				await expect(one?.register?.(otherHot)).rejects.toThrow(/not made from this service's seed/);
		});
	});

	describe('the signer', () => {
		test('counts a deposit when it is deep enough on the signer’s own node, and not one block before', async () => {
			const address = wallets.freshAddress();
			await wallets.confirm(await monero.pay(address, XMR));
			await monero.mine(LOCK - 2);
			const deposits = await wallets.depositsAt(address);
			expect(await signer.finalAmount(deposits, isFinal, [])).toBe(0n);
			await monero.mine(1);
			expect(await signer.finalAmount(deposits, isFinal, [])).toBe(XMR);
			expect(await signer.finalAmount([...deposits, ...deposits], isFinal, [])).toBe(XMR);
			const lies = [
				{ amount: 2n * XMR },
				{ address: wallets.freshAddress() },
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
	});

	describe('the reserve', () => {
		test('is what the operator sends to the primary address: seen as a credit at once, counted once it is deep', async () => {
			const before = await chain.holdings('XMR', []);
			const txId = await monero.pay(signer.hotAddress(), 4n * XMR);
			expect(await wallets.depositsAt(signer.hotAddress())).toMatchObject([
				{ txId, amount: 4n * XMR, confirmations: 0 },
			]);
			await wallets.confirm(txId);
			await monero.mine(LOCK - 2);
			expect(await chain.holdings('XMR', [])).toBe(before);
			await monero.mine(1);
			expect(await chain.holdings('XMR', [])).toBe(before + 4n * XMR);
			// One deposit of before is locked for a day.
			expect(await chain.balance('XMR')).toBe(before + 4n * XMR - LOCKED);
		});
	});
}
