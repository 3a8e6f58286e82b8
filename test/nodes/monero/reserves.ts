/** A reserve of Monero: the real cold wallet proves it, and a stranger's monero-wallet-rpc and monerod verify it. */
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { wholeProof } from '../../../src/chains/monero/prove.ts';
import { decodeRaw } from '../../../src/chains/monero/raw.ts';
import { moneroSigner } from '../../../src/chains/monero/signing.ts';
import type { ChainSigner } from '../../../src/chains/signing-port.ts';
import { verifyReserve } from '../../../src/chains/verify-reserve.ts';
import type { ReserveClaim, ReserveRow } from '../../../src/ports/reserves.ts';
import { signReserves } from '../../../src/signer/reserves.ts';
import { LOCK, type MoneroWallets, NETWORK, XMR } from '../../support/monero-wallets.ts';
import { ReservationSet } from '../../support/reservations.ts';

const SEED = createHash('sha512').update('reserves').digest();
const OWN = { deployment: 'swap', network: 'Monero', indexes: new Map<string, number>() } as const;

export function reserves(shared: () => MoneroWallets): void {
	let claim: ReserveClaim;
	let signer: ChainSigner;

	beforeAll(async () => {
		const { monero } = shared();
		const [wallet, cold] = await Promise.all([monero.viewOnlyWallet(SEED), monero.coldWallet(SEED)]);
		const urls = { walletUrl: wallet.url, coldWalletUrl: cold.url, urls: [monero.daemonUrl] };
		signer = moneroSigner(NETWORK, { ...urls, restoreHeight: 0, chain: 'regtest' }, SEED, () => 0);
		for (const amount of [2n * XMR, 3n * XMR, 4n * XMR]) await monero.pay(signer.hotAddress(), amount);
		await monero.mine(LOCK + 2);
		claim = { number: 7, debts: 'ab'.repeat(32), at: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };
	});

	/** As the service publishes it. `height`: what the text says of the last block. */
	async function published(height?: number) {
		const { block_header: last } = await shared().monero.daemon('get_last_block_header');
		const block = { height: height ?? last.height, hash: last.hash };
		const [signed] = await signReserves(signer, OWN, { claim, block }, [signer.hotAddress()]);
		const { address = '', message = '', signature: proof = '' } = signed ?? {};
		const coins = (await signer.hidden?.walletCoins(0))?.coins ?? [];
		const { signature, amount } = wholeProof(proof, coins);
		return { row: rowOf({ address, message, signature }, amount), amount, proof, coins };
	}

	const rowOf = (signed: Pick<ReserveRow, 'address' | 'message' | 'signature'>, amount: bigint): ReserveRow => ({
		...signed,
		network: 'Monero',
		holdings: [{ asset: 'XMR', amount: String(amount) }],
	});

	const verdictOf = (row: ReserveRow, number = claim.number) => {
		const { watching: stranger, monero } = shared();
		const nodes = { Monero: `${stranger.url} ${monero.daemonUrl}` };
		return verifyReserve(row, { ...claim, number, deployment: 'swap' }, nodes, 'regtest');
	};

	test('a reserve holds as far as its coins go, in its block, and for its text alone', async () => {
		const { row, amount, proof, coins } = await published();
		expect(amount).toBe(9n * XMR);
		expect(await verdictOf(row)).toEqual({ is: 'holds' });
		expect(await verdictOf(rowOf(row, amount + 1n))).toMatchObject({ is: 'short', found: amount });
		const message = row.message.replace('debts 7', 'debts 8');
		expect(await verdictOf({ ...row, message }, 8)).toEqual({ is: 'signature-wrong' });
		expect(await verdictOf((await published(1)).row)).toMatchObject({ is: 'other-block' });
		expect(await verifyReserve(row, { ...claim, deployment: 'swap' }, {}, 'regtest')).toMatchObject({
			is: 'unchecked',
		});

		// An older cold wallet does not sign for the addresses that its coins have.
		const elsewhere = coins.map((coin) => ({ ...coin, minor: 5 }));
		expect(() => wholeProof(proof, elsewhere)).toThrow('older than Monero 0.18.1');
		expect(() => wholeProof(proof, [])).toThrow('a coin that the other one does not have');
	});

	test('a reserve of a wallet that has paid is what it has left, and shows no coin that a block or the mempool spends', async () => {
		const { monero, watching: stranger } = shared();
		const { amount: before } = await published();
		const payment = { id: 'payment', asset: 'XMR', to: await monero.recipient(), amount: XMR } as const;
		const paid = await signer.sign(payment, { spent: new ReservationSet(), indexesOf: () => new Map() });
		await monero.post('send_raw_transaction', { tx_as_hex: decodeRaw(paid.raw)?.tx });
		const meanwhile = await published();
		expect(meanwhile.amount).toBeLessThan(before);
		expect(await verdictOf(meanwhile.row)).toEqual({ is: 'holds' });
		await monero.mine(2);

		const { row, amount } = await published();
		expect(amount).toBe(before - XMR - paid.fee);
		expect(await verdictOf(row)).toEqual({ is: 'holds' });
		expect(await verdictOf(rowOf(row, amount + 1n))).toMatchObject({ is: 'short', found: amount });
		const { address, message, signature } = row;
		const checked = await stranger.call('check_reserve_proof', { address, message, signature });
		expect(checked).toEqual({ good: true, spent: 0, total: Number(amount) });
	});
}
