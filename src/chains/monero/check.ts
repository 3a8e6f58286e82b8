/** Checks the wallet that proposes, before coins move there (`operator network check`). */
import { checked } from '../node-checks.ts';
import type { NetworkCheck } from '../port.ts';
import type { MoneroDaemon } from './daemon.ts';
import type { MoneroRpc } from './node.ts';
import { addressesAt, anotherWallet } from './register.ts';
import { HOT_MINOR } from './subaddress-index.ts';
import { refreshed } from './wallet.ts';

/** `host`: of the wallet. */
export const checkWallet = (
	wallet: MoneroRpc,
	daemon: MoneroDaemon,
	{ host, hotAddress }: { readonly host: string; readonly hotAddress: string },
): Promise<NetworkCheck> =>
	checked(`wallet ${host}`, async () => {
		const [, address] = (await addressesAt(wallet, [HOT_MINOR]))?.[0] ?? [];
		if (address !== hotAddress) throw new Error(anotherWallet(HOT_MINOR, address));
		return [true, `its address is the hot wallet's, height ${(await refreshed(wallet, daemon)) - 1}`];
	});
