/** An EVM network as the API Worker watches it: what everybody sees of it (`look.ts`), and the scan for deposits. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain } from '../port.ts';
import { evmLook } from './look.ts';
import { scan } from './scan.ts';

export function evmChain(network: NetworkOf<'evm'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = evmLook(network, node, hotAddress);
	return { ...look, scan: (cursor, watched) => scan(scanning, cursor, watched) };
}
