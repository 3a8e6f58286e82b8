/** A UTXO network as the API Worker watches it: what everybody sees of it (`look.ts`), and its deposits and balances. */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { splitDialect } from '../node-urls.ts';
import type { Chain } from '../port.ts';
import type { Keeping } from '../watching-port.ts';
import { isUtxoAddress } from './address.ts';
import { depths } from './depth.ts';
import { feeRate, typicalFee } from './fees.ts';
import { balance, consolidation, holdings, resting } from './holdings.ts';
import { utxoLook } from './look.ts';
import { scan } from './scan.ts';

export function utxoChain(network: NetworkOf<'utxo'>, node: NodeConfig, hotAddress: string, keeping: Keeping): Chain {
	const { look, scanning: watching } = utxoLook(network, node, keeping, { hotAddress, prove: null });
	const { params, sources, keeper } = watching;
	const asset = nativeAsset(network.name);
	const asksByAddress = node.urls.some((url) => splitDialect(url).dialect !== null);
	return {
		...look,
		sequential: false,
		isAddress: (text) => isUtxoAddress(text, params),
		depths: (refs) => depths(watching, refs),
		async costsNow() {
			const amount = typicalFee(params, await sources.use((source) => feeRate(source, params)));
			return async (asset) => ({ fee: { asset, amount } });
		},
		reserve: 'credits',
		spendsDeposits: true,
		balance: async () => balance(watching, await keeper.current()),
		reserves: async () => new Map([[asset, await balance(watching, await keeper.asLastRead())]]),
		holdings: () => holdings(watching, hotAddress),
		resting: (_addresses, most) => resting(watching, most),
		consolidation: () => consolidation(watching, hotAddress),
		scan: async (cursor, watched, isIdle = false) => {
			const isAsked = asksByAddress && !isIdle;
			const open = isAsked ? (await watched('in turn')).map(({ address }) => address) : [];
			return scan(watching, { cursor, asset, hotAddress, open, isIdle });
		},
	};
}
