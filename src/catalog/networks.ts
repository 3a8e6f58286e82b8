/**
 * The networks, one row each (networks.md). A row is data; what a family does with it lives in `chains/<family>`.
 * Pure: no clock, no I/O.
 */

/**
 * One way for a deposit to become final. Among a network's rows, those with the highest `aboveUsd` that the deposit's
 * value exceeds form its tier; any row of that tier that holds is enough.
 */
interface Confirmations {
	/** Applies to deposits worth more than this many USD; 0: to all. */
	readonly aboveUsd: number;
	/** Blocks on top, the deposit's own included. */
	readonly blocks: number;
	/**
	 * The node's own word for irreversible must hold as well: the `finalized` block tag or commitment, Tron's solidified
	 * block, or Dash's ChainLock.
	 */
	readonly tag?: 'finalized' | 'chainlock';
}

interface NetworkRow {
	readonly name: string;
	readonly family: 'utxo' | 'evm' | 'solana' | 'tron' | 'monero';
	/** Average time between blocks, seconds. */
	readonly blockSeconds: number;
	/** How often the agent looks at the chain, seconds. */
	readonly pollSeconds: number;
	readonly confirmations: readonly Confirmations[];
	/** Explorer page of a transaction; `{}` stands for its id. */
	readonly explorer: string;
}

export const NETWORKS = {
	Bitcoin: {
		name: 'Bitcoin',
		family: 'utxo',
		blockSeconds: 600,
		pollSeconds: 10,
		confirmations: [
			{ aboveUsd: 5_000, blocks: 3 },
			{ aboveUsd: 0, blocks: 2 },
		],
		explorer: 'https://mempool.space/tx/{}',
	},
	Litecoin: {
		name: 'Litecoin',
		family: 'utxo',
		blockSeconds: 150,
		pollSeconds: 5,
		confirmations: [{ aboveUsd: 0, blocks: 6 }],
		explorer: 'https://litecoinspace.org/tx/{}',
	},
	Dash: {
		name: 'Dash',
		family: 'utxo',
		blockSeconds: 150,
		pollSeconds: 5,
		confirmations: [
			{ aboveUsd: 0, blocks: 2, tag: 'chainlock' },
			{ aboveUsd: 0, blocks: 6 },
		],
		explorer: 'https://blockchair.com/dash/transaction/{}',
	},
	Ethereum: {
		name: 'Ethereum',
		family: 'evm',
		blockSeconds: 12,
		pollSeconds: 6,
		confirmations: [
			{ aboveUsd: 25_000, blocks: 12, tag: 'finalized' },
			{ aboveUsd: 0, blocks: 12 },
		],
		explorer: 'https://etherscan.io/tx/{}',
	},
	BSC: {
		name: 'BSC',
		family: 'evm',
		blockSeconds: 0.45,
		pollSeconds: 3,
		confirmations: [{ aboveUsd: 0, blocks: 15, tag: 'finalized' }],
		explorer: 'https://bscscan.com/tx/{}',
	},
	Polygon: {
		name: 'Polygon',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 30, tag: 'finalized' }],
		explorer: 'https://polygonscan.com/tx/{}',
	},
	Arbitrum: {
		name: 'Arbitrum',
		family: 'evm',
		blockSeconds: 0.25,
		pollSeconds: 3,
		confirmations: [
			{ aboveUsd: 25_000, blocks: 240, tag: 'finalized' },
			{ aboveUsd: 0, blocks: 240 },
		],
		explorer: 'https://arbiscan.io/tx/{}',
	},
	Optimism: {
		name: 'Optimism',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [
			{ aboveUsd: 25_000, blocks: 30, tag: 'finalized' },
			{ aboveUsd: 0, blocks: 30 },
		],
		explorer: 'https://optimistic.etherscan.io/tx/{}',
	},
	Avalanche: {
		name: 'Avalanche',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 12 }],
		explorer: 'https://snowtrace.io/tx/{}',
	},
	Solana: {
		name: 'Solana',
		family: 'solana',
		blockSeconds: 0.4,
		pollSeconds: 3,
		confirmations: [{ aboveUsd: 0, blocks: 1, tag: 'finalized' }],
		explorer: 'https://solscan.io/tx/{}',
	},
	Tron: {
		name: 'Tron',
		family: 'tron',
		blockSeconds: 3,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 19, tag: 'finalized' }],
		explorer: 'https://tronscan.org/#/transaction/{}',
	},
	Monero: {
		name: 'Monero',
		family: 'monero',
		blockSeconds: 120,
		pollSeconds: 10,
		confirmations: [{ aboveUsd: 0, blocks: 10 }],
		explorer: 'https://xmrchain.net/tx/{}',
	},
} as const satisfies Record<string, NetworkRow>;

export type NetworkName = keyof typeof NETWORKS;
export type Network = NetworkRow & { readonly name: NetworkName };
export type Family = NetworkRow['family'];

export const NETWORK_NAMES = Object.keys(NETWORKS) as NetworkName[];

export const networkNamed = (name: NetworkName): Network => NETWORKS[name];

export const isNetworkName = (text: string): text is NetworkName => Object.hasOwn(NETWORKS, text);
