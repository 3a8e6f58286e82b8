/**
 * Creates the two wallets that Monero needs, each in one of the operator's monero-wallet-rpc programs. Their keys are
 * the ones that the service derives, so they can never be wallets of other keys.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { walletRpc } from './digest.ts';
import { type MoneroKeys, moneroKeys, primaryAddress } from './keys.ts';
import type { MoneroRpc } from './node.ts';

export interface NewWallet {
	readonly filename: string;
	readonly password: string;
	/** Block height from which the wallet reads blocks. */
	readonly restoreHeight: number;
}

const CREATED = z.lazy(() => z.object({ address: z.string() }));

const { Fn } = ed25519.Point;

/** Sees payments and proposes transactions. Cannot sign. */
export function createViewOnlyWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(walletRpc(url, PATIENT), moneroKeys(seed), wallet, false);
}

export function createColdWallet(url: string, seed: Uint8Array, wallet: NewWallet): Promise<string> {
	return create(walletRpc(url, PATIENT), moneroKeys(seed), wallet, true);
}

/** Longest wait for a new wallet: it first derives ten thousand subaddresses. */
export const PATIENT = { timeoutMilliseconds: 300_000 };

/** Returns its primary address. @throws RpcError, also where a wallet of that name exists already. */
export async function create(rpc: MoneroRpc, keys: MoneroKeys, wallet: NewWallet, canSpend: boolean): Promise<string> {
	const { address } = await rpc.call(CREATED, 'generate_from_keys', {
		filename: wallet.filename,
		password: wallet.password,
		restore_height: wallet.restoreHeight,
		address: primaryAddress(keys),
		viewkey: hex.encode(Fn.toBytes(keys.secretViewKey)),
		...(canSpend && { spendkey: hex.encode(Fn.toBytes(keys.secretSpendKey)) }),
	});
	return address;
}
