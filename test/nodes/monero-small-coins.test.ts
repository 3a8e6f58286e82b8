/**
 * A Monero payout out of many small deposits, through a real monerod, the view-only wallet and the cold wallet. Each coin
 * that is spent makes the transaction larger, and the fee grows with it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SignedTransaction } from '../../src/chains/signing-port.ts';
import { LOCK, type MoneroWallets, startMoneroWallets, XMR } from '../support/monero-wallets.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet } from '../support/reservations.ts';

/** Deposits by transaction, and transactions: a transaction has 16 outputs at most. */
const [DEPOSITS, TRANSACTIONS] = [12, 3];
const COIN = XMR / 4n;

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('Monero', () => {
	let wallets: MoneroWallets;

	beforeAll(async () => {
		wallets = await startMoneroWallets({ signs: true });
		const { monero, freshAddress } = wallets;
		await monero.miner('refresh');
		for (let sent = 0; sent < TRANSACTIONS; sent++) {
			const destinations = Array.from({ length: DEPOSITS }, () => ({ address: freshAddress(), amount: Number(COIN) }));
			await monero.miner('transfer', { destinations });
		}
		await monero.mine(LOCK + 2);
	}, 300_000);

	afterAll(() => wallets?.stop());

	afterEach(() => wallets.proposer.tamper(null));

	const sign = (to: string, amount: bigint): Promise<SignedTransaction> =>
		wallets.signer.sign(
			{ id: 'payment', asset: 'XMR', to, amount },
			{ spent: new ReservationSet(), indexesOf: () => new Map() },
		);

	test('pays no higher price a byte, though a large payout may cost as much', async () => {
		const { monero, proposer } = wallets;
		proposer.tamper({
			request: (_, body) => (body.method === 'transfer' ? { ...body, params: { ...body.params, priority: 3 } } : body),
		});
		await expect(sign(await monero.recipient(), COIN / 2n)).rejects.toThrow(/proposed a fee of \d+ for \d{4} bytes/);
	});

	test('pays out of 34 small coins at once, and the fee is on record', async () => {
		const { monero, chain } = wallets;
		const to = await monero.recipient();
		const before = await chain.holdings('XMR', []);
		const signed = await sign(to, 33n * COIN);
		expect(signed.spends.length).toBeGreaterThanOrEqual(34);
		await chain.broadcast(signed.raw);
		await wallets.confirm(signed.txId);
		expect(await monero.received(to)).toBe(33n * COIN);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ fee: signed.fee });
		expect(await chain.holdings('XMR', [])).toBe(before - 33n * COIN - signed.fee);
	});
});
