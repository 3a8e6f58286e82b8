/**
 * The networks, one row each. A row is data: what its family does with it lives in `chains/<family>`. A network whose
 * row lacks one of its family's parameters does not compile. Pure: no clock, no I/O.
 */
import { EVM_NETWORKS } from './networks/evm.ts';
import type { NetworkRow } from './networks/row.ts';
import { UTXO_NETWORKS } from './networks/utxo.ts';

export const NETWORKS = {
	...UTXO_NETWORKS,
	...EVM_NETWORKS,
	Solana: {
		name: 'Solana',
		family: 'solana',
		blockSeconds: 0.4,
		pollSeconds: 3,
		confirmations: [{ aboveUsd: 0, blocks: 1, tag: 'finalized' }],
		explorer: 'https://solscan.io/tx/{}',
		params: { genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' },
	},
	Tron: {
		name: 'Tron',
		family: 'tron',
		blockSeconds: 3,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 19, tag: 'finalized' }],
		explorer: 'https://tronscan.org/#/transaction/{}',
		params: { genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
	},
	Monero: {
		name: 'Monero',
		family: 'monero',
		blockSeconds: 120,
		pollSeconds: 10,
		confirmations: [{ aboveUsd: 0, blocks: 10 }],
		explorer: 'https://xmrchain.net/tx/{}',
		params: { nettype: { main: 'mainnet', regtest: 'fakechain' } },
	},
} as const satisfies Record<string, NetworkRow>;

export type NetworkName = keyof typeof NETWORKS;
export type Family = NetworkRow['family'];

type FamilyOf<N extends NetworkName> = (typeof NETWORKS)[N]['family'];
type NamesOf<F extends Family> = { [N in NetworkName]: FamilyOf<N> extends F ? N : never }[NetworkName];

/** A network of one family, with that family's parameters. */
export type NetworkOf<F extends Family> = F extends Family
	? Extract<NetworkRow, { readonly family: F }> & { readonly name: NamesOf<F> }
	: never;
/** A network of any family: `family` tells which parameters it has. */
export type Network = NetworkOf<Family>;

const BY_NAME: { readonly [N in NetworkName]: NetworkOf<FamilyOf<N>> } = NETWORKS;

export const NETWORK_NAMES = Object.keys(NETWORKS) as NetworkName[];

export const networkNamed = <N extends NetworkName>(name: N): (typeof BY_NAME)[N] => BY_NAME[name];

export const isNetworkName = (text: string): text is NetworkName => Object.hasOwn(NETWORKS, text);
