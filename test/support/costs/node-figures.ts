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
	/** Beside that, in ten minutes. */
	readonly seldom: number;
	/** What a poll asks more while an order waits for its deposit, and while a deposit is not final or, of coins, in no block. */
	readonly open: number;
	readonly deposit: number;
	/** For each block of the chain, whatever is open. */
	readonly block: number;
	/** Beside the polls, at most: one deposit that is found, one payout, one sweep, both Workers together. */
	readonly order: number;
}

const evm = (upkeep: number, seldom = 4): NodeFigure => ({
	idle: 2,
	poll: 2,
	upkeep,
	seldom,
	open: 1,
	deposit: 4,
	block: 0,
	order: 60,
});

/**
 * A `litecoind` stands in for all three, whose code is one. While one is busy, the size of the mempool is asked once a minute.
 * The signer asks its own provider up to eight calls for a block.
 */
const utxo: NodeFigure = { idle: 1, poll: 2, upkeep: 2, seldom: 10, open: 0, deposit: 1, block: 2, order: 40 };

export const NODE_FIGURES: Readonly<Record<NetworkName, NodeFigure>> = {
	Ethereum: evm(4),
	BSC: evm(4),
	Polygon: evm(4),
	Arbitrum: evm(3),
	Optimism: evm(6),
	Avalanche: evm(4),
	Solana: { idle: 1, poll: 1, upkeep: 4, seldom: 0, open: 0, deposit: 1, block: 0, order: 50 },
	// A poll reads a block and its receipts.
	Tron: { idle: 4, poll: 3, upkeep: 4, seldom: 0, open: 0, deposit: 3, block: 0, order: 40 },
	Bitcoin: utxo,
	Litecoin: utxo,
	Dash: utxo,
	// Of its daemon; the wallets ask theirs by themselves.
	Monero: { idle: 2, poll: 2, upkeep: 2, seldom: 0, open: 0, deposit: 1, block: 2, order: 40 },
};
