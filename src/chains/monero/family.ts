/** Monero as the API Worker watches it: what everybody sees of it (`look.ts`), and the scan for deposits. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { Chain } from '../port.ts';
import { moneroLook } from './look.ts';
import type { MoneroNodeConfig } from './node-config.ts';
import { scan } from './scan.ts';

export function moneroChain(network: NetworkOf<'monero'>, node: MoneroNodeConfig, hotAddress: string): Chain {
	const { look, scanning } = moneroLook(network, node, hotAddress);
	return { ...look, scan: (cursor) => scan(scanning.wallet, scanning.daemon, scanning.asset, cursor) };
}
