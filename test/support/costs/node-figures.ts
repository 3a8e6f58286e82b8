/**
 * What the service asks of its nodes, as the tests counted it (`nodes/node-calls.test.ts` and
 * `nodes/node-calls-coins.test.ts`): they fail where it is no longer so. A call within a batch counts as one, as providers count.
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

/** A `litecoind` stands in for all three, whose code is one. The signer asks its own provider up to eight calls for a block. */
const utxo: NodeFigure = { idle: 1, poll: 3, upkeep: 3, open: 0, deposit: 1, block: 3, order: 40 };

export const NODE_FIGURES: Readonly<Record<NetworkName, NodeFigure>> = {
	Ethereum: evm(14),
	BSC: evm(14),
	Polygon: evm(14),
	Arbitrum: evm(13),
	Optimism: evm(16),
	Avalanche: evm(14),
	Solana: { idle: 1, poll: 1, upkeep: 4, open: 0, deposit: 1, block: 0, order: 50 },
	Tron: { idle: 4, poll: 2, upkeep: 4, open: 0, deposit: 3, block: 1, order: 40 },
	Bitcoin: utxo,
	Litecoin: utxo,
	Dash: utxo,
	// Of its daemon; the wallets ask theirs by themselves.
	Monero: { idle: 2, poll: 2, upkeep: 2, open: 0, deposit: 1, block: 2, order: 40 },
};
