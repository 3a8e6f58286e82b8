/** Tron as the API Worker watches it: what everybody sees of it (`look.ts`), and the scan for deposits. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain } from '../port.ts';
import { tronLook } from './look.ts';
import { scan } from './scan.ts';

export function tronChain(network: NetworkOf<'tron'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = tronLook(network, node, hotAddress);
	return {
		...look,
		async scan(cursor, watched) {
			const { read, ...found } = await scanning.use((node) => scan(node, scanning.params, cursor, watched));
			scanning.read(read);
			return found;
		},
	};
}
