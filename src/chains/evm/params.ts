/**
 * What the EVM networks differ in, as data: chain ids from EIP-155's list, fee bounds from what each network's nodes
 * enforce (floors) and from what we are ever willing to pay (ceilings). Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { Network, NetworkName } from '../../catalog/networks.ts';
import type { NodeChain } from '../configuration.ts';

export interface EvmParams {
	readonly chainId: number;
	/** The coin that pays for gas. */
	readonly native: AssetId;
	/** Bounds of maxPriorityFeePerGas (EIP-1559), wei per gas. */
	readonly minTip: bigint;
	readonly maxTip: bigint;
	/** Bounds of maxFeePerGas, wei per gas. Above the ceiling nothing is signed: payouts wait for cheaper blocks. */
	readonly minFeePerGas: bigint;
	readonly maxFeePerGas: bigint;
	/** The most gas that paying a recipient may take; one that asks for more is not paid. */
	readonly maxGas: bigint;
	/** The same for moving a token. */
	readonly maxTokenGas: bigint;
	/** An OP Stack chain: a transaction also pays for its place on Ethereum, beside its gas. */
	readonly paysL1Fee: boolean;
}

/**
 * The id of every `regtest` chain, which is what anvil and Hardhat start with. It is in each signature (EIP-155), so
 * that what was signed for a test chain is worth nothing on a main one, though both have the same addresses.
 */
export const TEST_CHAIN_ID = 31_337;

const GWEI = 1_000_000_000n;
/** A plain transfer takes 21 000; a smart wallet that receives coins stays well below this. */
const PLAIN_GAS = 120_000n;
/** Moving one of our tokens to a fresh holder takes 40 000 to 70 000; bridged ones behind proxies a little more. */
const TOKEN_GAS = 250_000n;

const PARAMS: Readonly<Partial<Record<NetworkName, EvmParams>>> = {
	Ethereum: {
		chainId: 1,
		native: 'ETH',
		minTip: GWEI / 100n,
		maxTip: 10n * GWEI,
		minFeePerGas: GWEI / 10n,
		maxFeePerGas: 500n * GWEI,
		maxGas: PLAIN_GAS,
		maxTokenGas: TOKEN_GAS,
		paysL1Fee: false,
	},
	BSC: {
		chainId: 56,
		native: 'BNB',
		// The base fee is zero; validators take nothing below 0.05 gwei.
		minTip: GWEI / 20n,
		maxTip: 10n * GWEI,
		minFeePerGas: GWEI / 10n,
		maxFeePerGas: 20n * GWEI,
		maxGas: PLAIN_GAS,
		maxTokenGas: TOKEN_GAS,
		paysL1Fee: false,
	},
	Polygon: {
		chainId: 137,
		native: 'POL',
		// Bor relays nothing with a tip below 25 gwei.
		minTip: 25n * GWEI,
		maxTip: 1_000n * GWEI,
		minFeePerGas: 50n * GWEI,
		maxFeePerGas: 5_000n * GWEI,
		maxGas: PLAIN_GAS,
		maxTokenGas: TOKEN_GAS,
		paysL1Fee: false,
	},
	Arbitrum: {
		chainId: 42161,
		native: 'ETHARB',
		// The sequencer takes transactions in the order of their arrival; a tip buys nothing.
		minTip: 0n,
		maxTip: 0n,
		minFeePerGas: GWEI / 50n,
		maxFeePerGas: 50n * GWEI,
		// The price of the place on Ethereum is counted in gas, so this follows Ethereum's fees.
		maxGas: 3_000_000n,
		maxTokenGas: 3_000_000n,
		paysL1Fee: false,
	},
	Optimism: {
		chainId: 10,
		native: 'ETHOP',
		minTip: GWEI / 1_000n,
		maxTip: 5n * GWEI,
		minFeePerGas: GWEI / 500n,
		maxFeePerGas: 50n * GWEI,
		maxGas: PLAIN_GAS,
		maxTokenGas: TOKEN_GAS,
		paysL1Fee: true,
	},
	Avalanche: {
		chainId: 43114,
		native: 'AVAX',
		minTip: 1n,
		maxTip: 50n * GWEI,
		minFeePerGas: GWEI / 10n,
		maxFeePerGas: 1_000n * GWEI,
		maxGas: PLAIN_GAS,
		maxTokenGas: TOKEN_GAS,
		paysL1Fee: false,
	},
};

/** @throws TypeError for a network of another family: configuration, not weather. */
export function evmParams(network: Network, chain: NodeChain = 'main'): EvmParams {
	const params = PARAMS[network.name];
	if (!params) throw new TypeError(`${network.name} has no EVM parameters`);
	return chain === 'main' ? params : { ...params, chainId: TEST_CHAIN_ID };
}
