/**
 * What transactions cost, in sun. Prices come from the chain's own parameters, held between a floor and a ceiling: a
 * node that names too little makes a transaction that fails and burns its fee; above the ceiling payouts wait. Bandwidth
 * and energy that the wallet has staked, or gets each day for nothing, make the real fee smaller, never larger.
 */
import { hex } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';
import type { HouseCosts } from '../port.ts';
import { simulate } from './accounts.ts';
import { tronAddress } from './address.ts';
import type { TronNode } from './node.ts';
import { CHAIN_PARAMETERS, type Header } from './shapes.ts';

export interface Prices {
	/** Sun per unit of energy, and per byte. */
	readonly energy: bigint;
	readonly bandwidth: bigint;
	/**
	 * Sun for a first transfer of coins to an address, which brings the account into being; it is paid instead of
	 * bytes.
	 */
	readonly activation: bigint;
}

interface Bounds {
	readonly key: string;
	readonly floor: bigint;
	readonly ceiling: bigint;
}

const TRX = 1_000_000n;
const ENERGY: Bounds = { key: 'getEnergyFee', floor: 10n, ceiling: 1_000n };
const BANDWIDTH: Bounds = { key: 'getTransactionFee', floor: 100n, ceiling: 10_000n };
const CREATE_ACCOUNT: Bounds = { key: 'getCreateAccountFee', floor: 0n, ceiling: TRX };
const CREATE_SYSTEM: Bounds = { key: 'getCreateNewAccountFeeInSystemContract', floor: 0n, ceiling: 10n * TRX };

/** Energy that a transfer of USDT takes to an address that holds none; half of it where the address holds some. */
const FRESH_ENERGY = 130_000n;
/** No transfer of a token takes less, whatever a node says. */
const LEAST_ENERGY = 30_000n;
/** The price of a contract in demand may rise between the simulation and the block: a fifth more. */
const MARGIN = { numerator: 6n, denominator: 5n } as const;
/** No transaction's energy costs more. */
const MAX_FEE_LIMIT = 100n * TRX;

/** Bytes of a transfer of up to 4 million TRX, and of any of a token, as the network counts them. */
const TRANSFER_BYTES = 270n;
export const TOKEN_TRANSFER_BYTES = 345n;

/** @throws ChainUnavailable */
export async function pricesOf(node: TronNode): Promise<Prices> {
	const { chainParameter } = await node.ask('/wallet/getchainparameters', CHAIN_PARAMETERS);
	const price = ({ key, floor, ceiling }: Bounds): bigint => {
		const value = chainParameter.find((parameter) => parameter.key === key)?.value ?? 0;
		const sun = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : ceiling + 1n;
		if (sun > ceiling) throw new ChainUnavailable(`${key} is ${String(value)} sun, at most ${ceiling} are paid`);
		return sun < floor ? floor : sun;
	};
	return {
		energy: price(ENERGY),
		bandwidth: price(BANDWIDTH),
		activation: price(CREATE_ACCOUNT) + price(CREATE_SYSTEM),
	};
}

/** `bytes`: of the signed transaction (`bandwidthOf`), the longest where that is not known. */
export const transferFee = (prices: Prices, recipientExists: boolean, bytes = TRANSFER_BYTES): bigint =>
	recipientExists ? bytes * prices.bandwidth : prices.activation;

/**
 * The most sun for the energy of a payout that took `energy` in a simulation: the recipient may have emptied the address
 * before the block comes, and then it takes what a fresh one takes.
 * @throws ChainUnavailable above the ceiling
 */
export const payoutLimit = (prices: Prices, energy: bigint): bigint =>
	energyFee(prices, withMargin(energy > FRESH_ENERGY ? energy : FRESH_ENERGY));

/**
 * What the energy of a sweep costs: `needed` now, and `wanted` so that it may rise a little. An address that has what is
 * needed is swept, and one that has not is sent what is wanted, so that a small rise between the two stops nothing.
 * @throws ChainUnavailable above the ceiling
 */
export function sweepEnergy(prices: Prices, energy: bigint): { readonly needed: bigint; readonly wanted: bigint } {
	const likely = energy > LEAST_ENERGY ? energy : LEAST_ENERGY;
	return { needed: energyFee(prices, likely), wanted: energyFee(prices, withMargin(likely)) };
}

const withMargin = (energy: bigint): bigint => (energy * MARGIN.numerator) / MARGIN.denominator;

function energyFee(prices: Prices, energy: bigint): bigint {
	const fee = energy * prices.energy;
	if (fee > MAX_FEE_LIMIT)
		throw new ChainUnavailable(`a transfer takes ${fee} sun of energy, at most ${MAX_FEE_LIMIT} are paid`);
	return fee;
}

/**
 * What a payout of the token is likely to cost: to an address that holds none of it, because many that people name are
 * emptied at once by those who run them. A block's id makes an address that nobody has paid before.
 * @throws ChainUnavailable
 */
export async function tokenFee(
	node: TronNode,
	prices: Prices,
	{ contract, from, head }: FreshTransfer,
): Promise<bigint> {
	const energy = await freshEnergy(node, { contract, from, head });
	const likely = energy > LEAST_ENERGY ? energy : LEAST_ENERGY;
	return energyFee(prices, likely) + TOKEN_TRANSFER_BYTES * prices.bandwidth;
}

interface FreshTransfer {
	readonly contract: string;
	readonly from: string;
	readonly head: Header;
}

async function freshEnergy(node: TronNode, { contract, from, head }: FreshTransfer): Promise<bigint> {
	const to = tronAddress(hex.decode(head.id).subarray(-20));
	const outcome = await simulate(node, { from, to, contract, amount: 1n });
	// A wallet that holds nothing cannot show it.
	return 'reverted' in outcome ? FRESH_ENERGY : outcome.energy;
}

/**
 * What an asset costs the house beside the payout that is quoted, sun. A token's pay-in address, mostly no account yet, is
 * sent coins for its energy; `token`: null for the coin. A recipient of coins may be no account yet; of a token, the quote
 * counts with the dearest. @throws ChainUnavailable
 */
export async function houseCosts(node: TronNode, prices: Prices, token: FreshTransfer | null): Promise<HouseCosts> {
	const plain = transferFee(prices, true);
	const opening = transferFee(prices, false);
	if (!token) return { deposit: plain, recipient: opening > plain ? opening - plain : 0n };
	// The hot wallet mostly holds some of the token, which is cheaper; the dearer case is counted.
	const { wanted } = sweepEnergy(prices, await freshEnergy(node, token));
	return { deposit: wanted + TOKEN_TRANSFER_BYTES * prices.bandwidth + opening, recipient: 0n };
}
