/** Seals again the free addresses, which are in the agents and in no row. A page is the stock of one network. */
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { offeredNetworks } from '../chains/configuration.ts';
import { objectNamed } from '../platform/region.ts';
import type { Context } from './command.ts';
import type { Page } from './reseal-page.ts';

const asked = ({ env }: Context, network: NetworkName, change: boolean) =>
	objectNamed(env, env.CHAIN_AGENT, network).resealAddresses(network, change);

export async function countOldAddresses(context: Context): Promise<number> {
	const each = await Promise.all(offeredNetworks(context.env).map((network) => asked(context, network, false)));
	return each.reduce((sum, { old }) => sum + old, 0);
}

/** `after`: the network before, in the catalog's order; empty before the first. */
export async function resealFreeAddresses(context: Context, after: string): Promise<Page> {
	const offered = new Set(offeredNetworks(context.env));
	const network = NETWORK_NAMES.slice(NETWORK_NAMES.indexOf(after as NetworkName) + 1).find((name) =>
		offered.has(name),
	);
	if (network === undefined) return { resealed: 0, broken: [], last: null };
	const { old, resealed } = await asked(context, network, true);
	const broken = old > resealed ? [`${old - resealed} free addresses of ${network}`] : [];
	return { resealed, broken, last: network };
}
