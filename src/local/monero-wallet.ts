/**
 * `npm run monero-wallet`: makes Monero's two wallets from the signer's SEED, each in a monero-wallet-rpc that was
 * started with `--wallet-dir`: the view-only one at WALLET_URL, the one with the spending key at COLD_WALLET_URL (that
 * program runs `--offline`). Only what is named is made, so that the two can be made on two machines. WALLET_PASSWORD
 * encrypts the files, RESTORE_HEIGHT is the block that the seed's first deposit cannot be older than.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import * as z from 'zod';
import { moneroKeys, primaryAddress } from '../chains/monero/keys.ts';
import { moneroRpc } from '../chains/monero/rpc.ts';

export interface NewWallet {
	readonly filename: string;
	readonly password: string;
	/** Block height from which a wallet looks for payments. */
	readonly restoreHeight: number;
}

const CREATED = z.object({ address: z.string() });

const { Fn } = ed25519.Point;

/** Watches and proposes transactions; signs none. */
export function createViewOnlyWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(url, seed, wallet, {});
}

export function createColdWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(url, seed, wallet, { spendkey: hex.encode(Fn.toBytes(moneroKeys(seed).secretSpendKey)) });
}

/** Making a wallet derives ten thousand subaddresses; longest wait for it, milliseconds. */
const CREATING_MILLISECONDS = 300_000;

/** Its primary address. @throws RpcError, also where a wallet of that name is there already. */
async function create(url: string, seed: Uint8Array, wallet: NewWallet, secret: object): Promise<string> {
	const keys = moneroKeys(seed);
	const { address } = await moneroRpc(url, CREATING_MILLISECONDS).call(CREATED, 'generate_from_keys', {
		filename: wallet.filename,
		password: wallet.password,
		restore_height: wallet.restoreHeight,
		address: primaryAddress(keys),
		viewkey: hex.encode(Fn.toBytes(keys.secretViewKey)),
		...secret,
	});
	return address;
}

async function main(): Promise<void> {
	const { SEED = '', WALLET_URL, COLD_WALLET_URL, WALLET_PASSWORD, RESTORE_HEIGHT = '0' } = process.env;
	if (!validateMnemonic(SEED, wordlist)) throw new Error('SEED is no BIP-39 mnemonic; it is the secret of the signer');
	if (!WALLET_URL && !COLD_WALLET_URL) throw new Error('name WALLET_URL, COLD_WALLET_URL or both');
	if (!WALLET_PASSWORD) throw new Error('WALLET_PASSWORD is not set');
	if (!/^\d{1,9}$/.test(RESTORE_HEIGHT)) throw new Error('RESTORE_HEIGHT is no block height');
	const seed = mnemonicToSeedSync(SEED);
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

if (import.meta.main) {
	main().catch((error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	});
}
