/** A reserve of Monero: the real cold wallet proves it, and a stranger's monero-wallet-rpc and monerod verify it. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { wholeProof } from '../../../src/chains/monero/prove.ts';
import { moneroSigner } from '../../../src/chains/monero/signing.ts';
import { verifyReserve } from '../../../src/chains/verify-reserve.ts';
import type { ReserveRow } from '../../../src/ports/reserves.ts';
import { signReserves } from '../../../src/signer/reserves.ts';
import { LOCK, type MoneroWallets, NETWORK, XMR } from '../../support/monero-wallets.ts';

const SEED = createHash('sha512').update('reserves').digest();

export function reserves(shared: () => MoneroWallets): void {
	test('a reserve holds as far as its coins go, in its block, and for its text alone', async () => {
		const { monero, watching: stranger } = shared();
		const [wallet, cold] = await Promise.all([monero.viewOnlyWallet(SEED), monero.coldWallet(SEED)]);
		const urls = { walletUrl: wallet.url, coldWalletUrl: cold.url, daemonUrls: [monero.daemonUrl] };
		const signer = moneroSigner(NETWORK, { ...urls, restoreHeight: 0, chain: 'regtest' }, SEED, () => 0);
		for (const amount of [2n * XMR, 3n * XMR]) await monero.pay(signer.hotAddress(), amount);
		await monero.mine(LOCK + 2);
		const { count } = await monero.daemon('get_block_count');
		const { block_header } = await monero.daemon('get_block_header_by_height', { height: count - 1 });
		const block = { height: count - 1, hash: block_header.hash };
		const claim = { number: 7, debts: 'ab'.repeat(32), at: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };
		const own = { deployment: 'swap', network: 'Monero', indexes: new Map<string, number>() } as const;
		const hot = [signer.hotAddress()];

		const [signed] = (await signReserves(signer, own, { claim, block }, hot)) ?? [];
		const coins = (await signer.hidden?.walletCoins(0))?.coins ?? [];
		const proof = signed?.signature ?? '';
		const row: ReserveRow = {
			network: 'Monero',
			address: signed?.address ?? '',
			holdings: [{ asset: 'XMR', amount: String(5n * XMR) }],
			message: signed?.message ?? '',
			signature: wholeProof(proof, coins).signature,
		};
		const verdictOf = (each: ReserveRow) =>
			verifyReserve(
				each,
				{ ...claim, deployment: 'swap' },
				{ Monero: `${stranger.url} ${monero.daemonUrl}` },
				'regtest',
			);
		expect(await verdictOf(row)).toEqual({ is: 'holds' });
		const more = { ...row, holdings: [{ asset: 'XMR', amount: String(5n * XMR + 1n) } as const] };
		expect(await verdictOf(more)).toMatchObject({ is: 'short', found: 5n * XMR });
		const number = row.message.replace('debts 7', 'debts 8');
		const wrong = await verifyReserve(
			{ ...row, message: number },
			{ ...claim, number: 8, deployment: 'swap' },
			{ Monero: `${stranger.url} ${monero.daemonUrl}` },
			'regtest',
		);
		expect(wrong).toEqual({ is: 'signature-wrong' });
		const other = await signReserves(signer, own, { claim, block: { ...block, height: 1 } }, hot);
		const { signature } = wholeProof(other?.[0]?.signature ?? '', coins);
		expect(await verdictOf({ ...row, message: other?.[0]?.message ?? '', signature })).toMatchObject({
			is: 'other-block',
		});
		expect(await verifyReserve(row, { ...claim, deployment: 'swap' }, {}, 'regtest')).toMatchObject({
			is: 'unchecked',
		});

		// An older cold wallet does not sign for the addresses that its coins have.
		const elsewhere = coins.map((coin) => ({ ...coin, minor: 5 }));
		expect(() => wholeProof(proof, elsewhere)).toThrow('older than Monero 0.18.1');
		expect(() => wholeProof(proof, [])).toThrow('a coin that the other one does not have');
	});
}
