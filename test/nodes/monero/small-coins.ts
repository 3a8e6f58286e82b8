/**
 * A Monero payout out of many small deposits, through a real monerod, the view-only wallet and the cold wallet. Each coin
 * that is spent makes the transaction larger, and the fee grows with it.
 */
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { SignedTransaction } from '../../../src/chains/signing-port.ts';
import { type MoneroWallets, XMR } from '../../support/monero-wallets.ts';
import { ReservationSet } from '../../support/reservations.ts';

const COINS = 36;
const COIN = XMR / 4n;

export function smallCoins(shared: () => MoneroWallets): void {
	let wallets: MoneroWallets;

	beforeAll(async () => {
		wallets = shared();
		await wallets.fund(...Array<bigint>(COINS).fill(COIN));
	});

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
}
