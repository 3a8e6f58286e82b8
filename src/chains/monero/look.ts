/**
 * Watches Monero through a view-only wallet and that wallet's own monerod. Each poll asks for one list that covers all
 * subaddresses. Holds no spending key.
 */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { Look, Looking } from '../port.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { type MoneroDaemon, moneroDaemon } from './daemon.ts';
import { spenderOf } from './dead.ts';
import { transactionDepth } from './depth.ts';
import { type MoneroRpc, moneroRpc } from './node.ts';
import type { MoneroNodeConfig } from './node-config.ts';
import { decodeRaw } from './raw.ts';
import { registerAddresses } from './register.ts';
import { refreshed } from './wallet.ts';

interface Scanning {
	readonly wallet: MoneroRpc;
	readonly daemon: MoneroDaemon;
}

export function moneroLook(
	network: NetworkOf<'monero'>,
	node: MoneroNodeConfig,
	hotAddress: string,
): Looking<Scanning> {
	const wallet = moneroRpc(node.walletUrl, undefined, node.headers);
	const daemon = moneroDaemon(moneroRpc(node.daemonUrl, undefined, node.headers), network.params.nettype[node.chain]);

	const look: Look = {
		register: (addresses) => registerAddresses(wallet, addresses),
		broadcast: (raw) => broadcast(wallet, daemon, raw),

		async overtaker(raw) {
			await refreshed(wallet, daemon);
			return spenderOf(wallet, daemon, decodeRaw(raw)?.shared ?? []);
		},

		transactionDepth: (txId) => transactionDepth(daemon, txId),
		check: () => checkNodes(node, wallet, daemon, hotAddress),
	};
	return { look, scanning: { wallet, daemon } };
}
