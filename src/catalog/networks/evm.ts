/** The networks of the EVM family. Pure data. */
import type { NetworkRow } from './row.ts';

const GWEI = 1_000_000_000n;
/** A plain transfer takes 21 000 gas; a smart wallet that receives coins stays well below this. */
const PLAIN_GAS = 120_000n;
/**
 * Moving one of our tokens to a first-time holder takes 40 000 to 70 000 gas; bridged ones behind proxies a little
 * more.
 */
const TOKEN_GAS = 250_000n;

export const EVM_NETWORKS = {
	Ethereum: {
		name: 'Ethereum',
		family: 'evm',
		blockSeconds: 12,
		pollSeconds: 6,
		confirmations: [
			// Two epochs and the one that it begins in.
			{ aboveUsd: 25_000, blocks: 12, tag: 'finalized', tagSeconds: 960 },
			{ aboveUsd: 0, blocks: 12 },
		],
		explorer: 'https://etherscan.io/tx/{}',
		params: {
			chainId: 1,
			minTip: GWEI / 100n,
			maxTip: 10n * GWEI,
			minFeePerGas: GWEI / 10n,
			maxFeePerGas: 500n * GWEI,
			maxGas: PLAIN_GAS,
			maxTokenGas: TOKEN_GAS,
			paysL1Fee: false,
		},
	},
	BSC: {
		name: 'BSC',
		family: 'evm',
		blockSeconds: 0.45,
		pollSeconds: 3,
		confirmations: [{ aboveUsd: 0, blocks: 15, tag: 'finalized' }],
		explorer: 'https://bscscan.com/tx/{}',
		params: {
			chainId: 56,
			// The base fee is zero; validators include nothing below 0.05 gwei.
			minTip: GWEI / 20n,
			maxTip: 10n * GWEI,
			minFeePerGas: GWEI / 10n,
			maxFeePerGas: 20n * GWEI,
			maxGas: PLAIN_GAS,
			maxTokenGas: TOKEN_GAS,
			paysL1Fee: false,
		},
	},
	Polygon: {
		name: 'Polygon',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 30, tag: 'finalized' }],
		explorer: 'https://polygonscan.com/tx/{}',
		params: {
			chainId: 137,
			// Bor relays nothing with a tip below 25 gwei.
			minTip: 25n * GWEI,
			maxTip: 1_000n * GWEI,
			minFeePerGas: 50n * GWEI,
			maxFeePerGas: 5_000n * GWEI,
			maxGas: PLAIN_GAS,
			maxTokenGas: TOKEN_GAS,
			paysL1Fee: false,
		},
	},
	Arbitrum: {
		name: 'Arbitrum',
		family: 'evm',
		blockSeconds: 0.25,
		pollSeconds: 3,
		confirmations: [
			// Its batch on Ethereum must be finalized there.
			{ aboveUsd: 25_000, blocks: 240, tag: 'finalized', tagSeconds: 1_200 },
			{ aboveUsd: 0, blocks: 240 },
		],
		explorer: 'https://arbiscan.io/tx/{}',
		params: {
			chainId: 42161,
			// The sequencer orders transactions by arrival; a tip buys nothing.
			minTip: 0n,
			maxTip: 0n,
			minFeePerGas: GWEI / 50n,
			maxFeePerGas: 50n * GWEI,
			// The cost of the data on Ethereum is charged as gas, so the gas follows Ethereum's fees.
			maxGas: 3_000_000n,
			maxTokenGas: 3_000_000n,
			paysL1Fee: false,
		},
	},
	Optimism: {
		name: 'Optimism',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [
			// Its batch on Ethereum must be finalized there.
			{ aboveUsd: 25_000, blocks: 30, tag: 'finalized', tagSeconds: 1_500 },
			{ aboveUsd: 0, blocks: 30 },
		],
		explorer: 'https://optimistic.etherscan.io/tx/{}',
		params: {
			chainId: 10,
			minTip: GWEI / 1_000n,
			maxTip: 5n * GWEI,
			minFeePerGas: GWEI / 500n,
			maxFeePerGas: 50n * GWEI,
			maxGas: PLAIN_GAS,
			maxTokenGas: TOKEN_GAS,
			paysL1Fee: true,
		},
	},
	Avalanche: {
		name: 'Avalanche',
		family: 'evm',
		blockSeconds: 2,
		pollSeconds: 4,
		confirmations: [{ aboveUsd: 0, blocks: 12 }],
		explorer: 'https://snowtrace.io/tx/{}',
		params: {
			chainId: 43114,
			minTip: 1n,
			maxTip: 50n * GWEI,
			minFeePerGas: GWEI / 10n,
			maxFeePerGas: 1_000n * GWEI,
			maxGas: PLAIN_GAS,
			maxTokenGas: TOKEN_GAS,
			paysL1Fee: false,
		},
	},
} as const satisfies Record<string, NetworkRow>;
