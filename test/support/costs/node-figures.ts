/**
 * What the service asks of its nodes, as the tests counted it (`test/nodes/node-calls.test.ts`): they fail where it is no
 * longer so. A call within a batch counts as one, as providers count.
 */
import type { NetworkName } from '../../../src/catalog/networks.ts';

export interface NodeFigure {
	/** Calls of a poll while nothing is open, at the slow pace and at the usual one. */
	readonly idle: number;
	readonly poll: number;
	/** What a poll asks beyond that for the figures of quotes. */
	readonly upkeep: number;
	/** The same while an order waits for its deposit, and while a deposit is not final. */
	readonly open: number;
	readonly deposit: number;
	/** For each block of the chain, whatever is open. */
	readonly block: number;
	/** Beside the polls, at most: one deposit that is found, one payout, one sweep, both Workers together. */
	readonly order: number;
}

const evm = (upkeep: number): NodeFigure => ({ idle: 2, poll: 2, upkeep, open: 1, deposit: 4, block: 0, order: 60 });

export const COUNTED_ON_NODES = {
	Ethereum: evm(14),
	BSC: evm(14),
	Polygon: evm(14),
	Arbitrum: evm(13),
	Optimism: evm(16),
	Avalanche: evm(14),
	Solana: { idle: 1, poll: 1, upkeep: 4, open: 0, deposit: 1, block: 0, order: 50 },
	Tron: { idle: 4, poll: 2, upkeep: 4, open: 0, deposit: 3, block: 1, order: 40 },
} as const satisfies Partial<Record<NetworkName, NodeFigure>>;

const utxo: NodeFigure = { idle: 1, poll: 1, upkeep: 2, open: 1, deposit: 1, block: 3, order: 20 };

/** By the design of what reads blocks. */
const FORESEEN = {
	Bitcoin: utxo,
	Litecoin: utxo,
	Dash: utxo,
	Monero: { idle: 2, poll: 2, upkeep: 1, open: 0, deposit: 1, block: 2, order: 40 },
} as const satisfies Partial<Record<NetworkName, NodeFigure>>;

export const NODE_FIGURES: Readonly<Record<NetworkName, NodeFigure>> = { ...COUNTED_ON_NODES, ...FORESEEN };
