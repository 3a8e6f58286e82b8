/**
 * `npm run monero-wallet`: makes Monero's two wallets from the signer's SEED, each in a monero-wallet-rpc that was
 * started with `--wallet-dir`: the view-only one at WALLET_URL, the one with the spending key at COLD_WALLET_URL (that
 * program runs `--offline`). Only what is named is made, so that the two can be made on two machines. WALLET_PASSWORD
 * encrypts the files, RESTORE_HEIGHT is the block that the seed's first deposit cannot be older than.
 */
import { createColdWallet, createViewOnlyWallet } from '../chains/monero/new-wallets.ts';
import { seedFingerprint, seedOf } from '../chains/seed.ts';
import { orExit } from './running.ts';

async function main(): Promise<void> {
	const { SEED = '', WALLET_URL, COLD_WALLET_URL, WALLET_PASSWORD, RESTORE_HEIGHT = '0' } = process.env;
	const seed = await seedOf(SEED);
	if (!WALLET_URL && !COLD_WALLET_URL) throw new Error('name WALLET_URL, COLD_WALLET_URL or both');
	if (!WALLET_PASSWORD) throw new Error('WALLET_PASSWORD is not set');
	if (!/^\d{1,9}$/.test(RESTORE_HEIGHT)) throw new Error('RESTORE_HEIGHT is no block height');
	console.log(`seed with fingerprint ${seedFingerprint(seed)}`);
	const common = { password: WALLET_PASSWORD, restoreHeight: Number(RESTORE_HEIGHT) };
	if (WALLET_URL) {
		const filename = 'partner-exchange-view';
		const address = await createViewOnlyWallet(WALLET_URL, seed, { filename, ...common });
		console.log(`${filename}: view-only wallet of ${address}`);
	}
	if (COLD_WALLET_URL) {
		const filename = 'partner-exchange-cold';
		const address = await createColdWallet(COLD_WALLET_URL, seed, { filename, ...common });
		console.log(`${filename}: wallet of ${address}, with its spending key`);
	}
}

if (import.meta.main) orExit(main());
