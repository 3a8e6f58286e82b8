/**
 * The cost of transactions, in sun. Prices come from the chain's own parameters, with a floor and a ceiling. If a node
 * reports too low a price, the transaction fails and burns its fee; hence the floor. Above the ceiling payouts wait.
 * Bandwidth and energy that the wallet has staked, or gets free each day, only lower the real fee.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { greater } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Costs } from '../port.ts';
import { simulate } from './accounts.ts';
import { tronAddress } from './address.ts';
import type { TronNode } from './node.ts';
import { contractOf } from './params.ts';
import { CHAIN_PARAMETERS } from './shapes.ts';

export interface Prices {
	/** Sun per unit of energy, and per byte. */
	readonly energy: bigint;
	readonly bandwidth: bigint;
	/**
	 * Sun for the first transfer of coins to an address, which creates the account. It is paid instead of the price per
	 * byte.
	 */
	readonly activation: bigint;
	/** Sun for a transaction with more than one signature, and for the bytes of the second one. */
	readonly second: bigint;
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
const MULTI_SIGN: Bounds = { key: 'getMultiSignFee', floor: TRX, ceiling: 10n * TRX };
/** Bytes of a signature with its tag and length. */
const SIGNATURE_BYTES = 67n;

/** Energy of a transfer of USDT to an address that holds none. It is half where the address holds some. */
const FRESH_ENERGY = 130_000n;
/** Least energy of any transfer of a token, whatever a node reports. */
const LEAST_ENERGY = 30_000n;
/** A fifth more, because a busy contract may cost more energy in the block than in the simulation. */
const MARGIN = { numerator: 6n, denominator: 5n } as const;
/** The most that any transaction's energy may cost. */
const MAX_FEE_LIMIT = 100n * TRX;

/** Bytes of a transfer of up to 4 million TRX, and of any token transfer, as the network counts them. */
const TRANSFER_BYTES = 270n;
export const TOKEN_TRANSFER_BYTES = 345n;

/** @throws ChainUnavailable */
export async function pricesOf(node: TronNode): Promise<Prices> {
	const { chainParameter } = await node.ask('/wallet/getchainparameters', CHAIN_PARAMETERS);
	const price = ({ key, floor, ceiling }: Bounds): bigint => {
		const value = chainParameter.find((parameter) => parameter.key === key)?.value ?? 0;
		const sun = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : ceiling + 1n;
		if (sun > ceiling) throw new ChainUnavailable(`${key} is ${String(value)} sun; we pay at most ${ceiling}`);
		return greater(floor, sun);
	};
	const bandwidth = price(BANDWIDTH);
	return {
		energy: price(ENERGY),
		bandwidth,
		second: price(MULTI_SIGN) + SIGNATURE_BYTES * bandwidth,
		activation: price(CREATE_ACCOUNT) + price(CREATE_SYSTEM),
	};
}

/** `bytes`: of the signed transaction (`bandwidthOf`); by default the longest. */
export const transferFee = (prices: Prices, recipientExists: boolean, bytes = TRANSFER_BYTES): bigint =>
	recipientExists ? bytes * prices.bandwidth : prices.activation;

/**
 * The most sun for the energy of a payout that took `energy` in a simulation. Before the block comes, the recipient may
 * empty the address. Then the payout costs as much as one to a fresh address.
 * @throws ChainUnavailable above the ceiling
 */
export const payoutLimit = (prices: Prices, energy: bigint): bigint =>
	energyFee(prices, withMargin(greater(energy, FRESH_ENERGY)));

/**
 * The cost of a sweep's energy: `needed` now, and `wanted` with room for a small rise. An address that has `needed`
 * is swept. One that has less is sent `wanted`, so that a small rise before the sweep does not stop it.
 * @throws ChainUnavailable above the ceiling
 */
export function sweepEnergy(prices: Prices, energy: bigint): { readonly needed: bigint; readonly wanted: bigint } {
	const likely = greater(energy, LEAST_ENERGY);
	return { needed: energyFee(prices, likely), wanted: energyFee(prices, withMargin(likely)) };
}

const withMargin = (energy: bigint): bigint => (energy * MARGIN.numerator) / MARGIN.denominator;

function energyFee(prices: Prices, energy: bigint): bigint {
	const fee = energy * prices.energy;
	if (fee > MAX_FEE_LIMIT)
		throw new ChainUnavailable(`a transfer costs ${fee} sun of energy; we pay at most ${MAX_FEE_LIMIT}`);
	return fee;
}

interface Asked {
	/** The hot wallet. */
	readonly from: string;
	readonly asset: AssetId;
	/** A payment of it needs a second signature. */
	readonly needsBoth: boolean;
}

/**
 * The cost of moving an asset now, in sun. `from`: the hot wallet. For coins the fee is that of a payment to an account that
 * exists: nearly all do. For a token it is that of a payout to an address that holds none of it. Many recipients'
 * addresses are like that, because the services that run them empty them at once. So no recipient of tokens costs more.
 * A token's pay-in address, usually not yet an account, is sent coins for its energy.
 * @throws ChainUnavailable
 */
export async function costsOf(node: TronNode, prices: Prices, { from, asset, needsBoth }: Asked): Promise<Costs> {
	const { params } = node;
	const second = needsBoth ? prices.second : 0n;
	const feeOf = (amount: bigint) => ({ asset: params.native, amount: amount + second });
	const plain = transferFee(prices, true);
	const opening = transferFee(prices, false);
	if (asset === params.native)
		return { fee: feeOf(plain), house: { deposit: plain, recipient: greater(opening - plain, 0n) } };
	const energy = await freshEnergy(node, contractOf(params, asset), from);
	const bandwidth = TOKEN_TRANSFER_BYTES * prices.bandwidth;
	// The hot wallet usually holds some of the token, which makes a sweep cheaper. We count the more expensive case.
	const { needed, wanted } = sweepEnergy(prices, energy);
	return { fee: feeOf(needed + bandwidth), house: { deposit: wanted + bandwidth + opening + second, recipient: 0n } };
}

/** Energy of a transfer to an address that nobody has paid before. @throws ChainUnavailable */
async function freshEnergy(node: TronNode, contract: string, from: string): Promise<bigint> {
	const to = tronAddress(crypto.getRandomValues(new Uint8Array(20)));
	const outcome = await simulate(node, { from, to, contract, amount: 1n });
	// A wallet that holds no tokens cannot simulate the transfer.
	return 'reverted' in outcome ? FRESH_ENERGY : outcome.energy;
}
