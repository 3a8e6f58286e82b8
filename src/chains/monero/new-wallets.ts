/**
 * Creates the two wallets that Monero needs, each in one of the operator's monero-wallet-rpc programs. Their keys are
 * the ones that the service derives, so they can never be wallets of other keys.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { walletRpc } from './digest.ts';
import { moneroKeys, primaryAddress } from './keys.ts';

export interface NewWallet {
	readonly filename: string;
	readonly password: string;
	/** Block height from which the wallet reads blocks. */
	readonly restoreHeight: number;
}

const CREATED = z.object({ address: z.string() });

const { Fn } = ed25519.Point;

/** Sees payments and proposes transactions. Cannot sign. */
export function createViewOnlyWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(url, seed, wallet, {});
}

export function createColdWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(url, seed, wallet, { spendkey: hex.encode(Fn.toBytes(moneroKeys(seed).secretSpendKey)) });
}

/** Longest wait for a new wallet, milliseconds: it first derives ten thousand subaddresses. */
const CREATING_MILLISECONDS = 300_000;

/** Returns its primary address. @throws RpcError, also where a wallet of that name exists already. */
async function create(url: string, seed: Uint8Array, wallet: NewWallet, secret: object): Promise<string> {
	const keys = moneroKeys(seed);
	const { address } = await walletRpc(url, { timeoutMilliseconds: CREATING_MILLISECONDS }).call(
		CREATED,
		'generate_from_keys',
		{
			filename: wallet.filename,
			password: wallet.password,
			restore_height: wallet.restoreHeight,
			address: primaryAddress(keys),
			viewkey: hex.encode(Fn.toBytes(keys.secretViewKey)),
			...secret,
		},
	);
	return address;
}
