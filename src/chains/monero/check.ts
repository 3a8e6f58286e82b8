/** Checks monerod and its wallets before coins move there (`operator network check`). */
import { checked } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import type { MoneroDaemon } from './daemon.ts';
import type { MoneroRpc } from './node.ts';
import type { MoneroNodeConfig } from './node-config.ts';
import { addressesAt, anotherWallet } from './register.ts';
import { minorOf } from './subaddress-index.ts';
import { refreshed } from './wallet.ts';

const HOT_MINOR = minorOf(-1);

export const checkNodes = async (
	node: MoneroNodeConfig,
	wallet: MoneroRpc,
	daemon: MoneroDaemon,
	hotAddress: string,
): Promise<NetworkCheck[]> => [
	await checked(`monerod ${new URL(node.daemonUrl).host}`, async () => [
		true,
		`${node.chain}, height ${(await daemon.blocks()) - 1}`,
	]),
	await checked(`wallet ${new URL(node.walletUrl).host}`, async () => {
		const [, address] = (await addressesAt(wallet, [HOT_MINOR]))?.[0] ?? [];
		if (address !== hotAddress) throw new Error(anotherWallet(HOT_MINOR, address));
		return [true, `its address is the hot wallet's, height ${(await refreshed(wallet, daemon)) - 1}`];
	}),
];
