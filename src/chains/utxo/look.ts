/** A UTXO network as every Worker sees it that watches it. Holds no key. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Looking } from '../looking.ts';
import type { Look } from '../port.ts';
import type { Keeping } from '../watching-port.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { transactionDepth } from './depth.ts';
import { overtaker, paymentsTo } from './payments-to.ts';
import { utxoWatching, type Watched, type Watching } from './watching.ts';

export function utxoLook(
	network: NetworkOf<'utxo'>,
	node: NodeConfig,
	keeping: Keeping,
	what: Watched,
): Looking<Watching> {
	const watching = utxoWatching(network, node, keeping, what);
	const look: Look = {
		register: (addresses) => watching.keeper.register(addresses.map(({ address }) => address)),
		readOn: async () => {
			await watching.keeper.current();
		},
		transactionDepth: (txId) => transactionDepth(watching, txId),
		paymentsTo: (_asset, to, since) => paymentsTo(watching, to, since),
		overtaker: (raw, _from, guess) => overtaker(watching, raw, guess),
		broadcast: (raw) => broadcast(watching, raw),
		check: () => checkNodes(network, node),
	};
	return { look, scanning: watching };
}
