/**
 * Makes the two wallets that Monero is run with, each in a monero-wallet-rpc of the operator's, from the keys that the
 * service derives: so that they can never be wallets of anything else.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import * as z from 'zod';
import { moneroKeys, primaryAddress } from './keys.ts';
import { moneroRpc } from './node.ts';

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
