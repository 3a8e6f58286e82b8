/** What an asset costs the house beside the payout that is quoted: each deposit is swept, and a recipient may burn gas. */
import type { AssetId } from '../../catalog/assets.ts';
import type { HouseCosts } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { contractOf } from './erc20.ts';
import { tokenGas } from './fee-estimate.ts';
import { MOST_PLAIN_TRANSFERS, plainGas, withGasMargin } from './gas.ts';
import type { EvmParams } from './params.ts';
import { cautiousL1Fee, nativeSweepCost, pricesNow } from './sweep-cost.ts';

/** Wei, at the prices of sweeps and of fee estimates. @throws ChainUnavailable */
export async function houseCosts(
	rpc: JsonRpc,
	params: EvmParams,
	hotAddress: string,
	asset: AssetId,
): Promise<HouseCosts> {
	const contract = contractOf(params, asset);
	const plain = await plainGas(rpc, hotAddress);
	const bringing = await nativeSweepCost(rpc, params, hotAddress);
	const { likelyPerGas } = await pricesNow(rpc, params);
	if (contract === null)
		return { deposit: bringing.fee, recipient: (MOST_PLAIN_TRANSFERS - 1n) * plain * likelyPerGas };
	// The gas is brought to the address first. A token's transfer runs nothing of its recipient's.
	const gas = withGasMargin(await tokenGas(rpc, hotAddress, contract, plain));
	const deposit = gas * likelyPerGas + (await cautiousL1Fee(rpc, params, 'token')) + bringing.fee;
	return { deposit, recipient: 0n };
}
