/**
 * The cost of moving an asset now: the payout, and what the house pays in addition. Updated every few seconds, so
 * estimates are enough.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import type { CostsOf, Fee } from '../port.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { contractOf, transferOf } from './erc20.ts';
import { callOf, isRevert, MOST_PLAIN_TRANSFERS, plainGas, withGasMargin } from './gas.ts';
import { l1Fee } from './gas-prices.ts';
import { type EvmRpc, read, unavailable } from './node.ts';
import { QUANTITY } from './shapes.ts';
import { cautious, coinTransferNow, nativeSweepCost, TRANSFER_GAS } from './sweep-cost.ts';

/**
 * For a token whose transfer cannot be simulated because the wallet holds none of it. With the 21 000 of a plain
 * transfer it makes 65 000 gas for a first-time holder.
 */
const TOKEN_GAS_BEYOND_PLAIN = 44_000n;
/**
 * The first 20 bytes of keccak256("a fresh holder"): an address of nobody, which never held a token. A transfer to a
 * first-time holder costs most.
 */
const FRESH_HOLDER = '0x16f3d291e01bfb70760b5843ad926af57b8e0e83';

/** Seldom does a token's contract change. */
const GAS_KEPT_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** The gas of a transfer of each asset. Where it also pays for Ethereum's blocks it changes all the time, and is not kept. */
export class KeptGas {
	readonly #kept = new Map<AssetId, { readonly gas: bigint; readonly at: number }>();

	/** Asks only where nothing is kept. @throws what `ask` throws */
	async of(asset: AssetId, ask: () => Promise<bigint>, isSteady: (gas: bigint) => boolean): Promise<bigint> {
		const kept = this.#kept.get(asset);
		if (kept && Date.now() - kept.at < GAS_KEPT_MILLISECONDS) return kept.gas;
		const gas = await ask();
		if (isSteady(gas)) this.#kept.set(asset, { gas, at: Date.now() });
		return gas;
	}
}

/**
 * In wei, at the prices that sweeps use. Asks for prices once. A deposit is swept, and a recipient's code may use
 * gas, so both cost the house.
 * @throws ChainUnavailable
 */
export async function costsNow(rpc: EvmRpc, hotAddress: string, kept: KeptGas): Promise<CostsOf> {
	const { params } = rpc;
	const isSteady = (plain: bigint) => plain === TRANSFER_GAS;
	const coin = await coinTransferNow(rpc, hotAddress, () =>
		kept.of(params.native, () => plainGas(rpc, hotAddress), isSteady),
	);
	const tokenL1Fee = await l1Fee(rpc, 'token');
	const topUp = nativeSweepCost(params, coin);
	const { likelyPerGas } = coin.prices;
	const feeOf = (amount: bigint): Fee => ({ asset: params.native, amount });
	return async (asset) => {
		await rpc.requireAsset(asset);
		const contract = contractOf(params, asset);
		if (contract === null) {
			const recipient = (MOST_PLAIN_TRANSFERS - 1n) * coin.gas * likelyPerGas;
			return { fee: feeOf(coin.gas * likelyPerGas + coin.l1Fee), house: { deposit: topUp.fee, recipient } };
		}
		const gas = await kept.of(
			asset,
			() => tokenGas(rpc, hotAddress, contract, coin.gas),
			() => isSteady(coin.gas),
		);
		if (gas > params.maxTokenGas)
			throw new ChainUnavailable(`the node says that a payout of ${asset} takes ${gas} gas`);
		// The gas top-up of the address comes first. A token's transfer does not run its recipient's code.
		const sweep = withGasMargin(gas) * likelyPerGas + cautious(tokenL1Fee);
		return { fee: feeOf(gas * likelyPerGas + tokenL1Fee), house: { deposit: sweep + topUp.fee, recipient: 0n } };
	};
}

/** Gas of a payout of this token; `coinGas`: of a transfer of coins. @throws ChainUnavailable */
async function tokenGas(rpc: JsonRpc, hotAddress: string, contract: string, coinGas: bigint): Promise<bigint> {
	const call = callOf(hotAddress, transferOf(contract, FRESH_HOLDER, 1n));
	try {
		return read(QUANTITY, 'eth_estimateGas', await rpc.call('eth_estimateGas', call));
	} catch (error) {
		if (error instanceof RpcError && isRevert(error)) return coinGas + TOKEN_GAS_BEYOND_PLAIN;
		throw unavailable('eth_estimateGas', error);
	}
}
