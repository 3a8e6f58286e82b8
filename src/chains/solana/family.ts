/** Solana as the API Worker watches it: what everybody sees of it (`look.ts`), and the scan for deposits. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Chain } from '../port.ts';
import { solanaLook } from './look.ts';
import { scan } from './scan.ts';

export function solanaChain(network: NetworkOf<'solana'>, node: NodeConfig, hotAddress: string): Chain {
	const { look, scanning } = solanaLook(network, node, hotAddress);
	return { ...look, scan: (cursor, watched) => scan(scanning.rpc, scanning.memory, cursor, watched) };
}
