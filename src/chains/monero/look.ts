/** Watches what everybody sees of Monero, by any monerod. Holds no key. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Looking } from '../looking.ts';
import { checked } from '../node-checks.ts';
import type { Look, NetworkCheck } from '../port.ts';
import { type MoneroDaemon, moneroDaemon } from './daemon.ts';
import { transactionDepth } from './depth.ts';
import { broadcast } from './relay.ts';

/** The daemon is what the scan shares. Who has wallets, or watches, adds what they know. */
export function moneroLook(network: NetworkOf<'monero'>, node: NodeConfig): Looking<MoneroDaemon> {
	const chain = network.params.nettype[node.chain];
	const daemon = moneroDaemon(node.urls, chain, node.headers);
	const look: Look = {
		register: async () => undefined,
		broadcast: (raw) => broadcast(daemon, raw),
		transactionDepth: (txId) => transactionDepth(daemon, txId),
		check: () => checkDaemons(daemon, chain),
	};
	return { look, scanning: daemon };
}

const checkDaemons = (daemon: MoneroDaemon, chain: string): Promise<NetworkCheck[]> =>
	Promise.all(
		daemon
			.each()
			.map(({ host, blocks }) =>
				checked(`monerod ${host}`, async () => [true, `${chain}, height ${(await blocks()) - 1}`]),
			),
	);
