/** What archived orders add to the sums of the pay-in addresses. Pure. */
import { type Sum, type SumName, sumOf } from '../../archive/sums.ts';
import { type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';

/** Archived pay-in addresses of a network that sweeps, in the terms of `addressSums`. */
export function archivedAddresses(sums: readonly Sum[], network: NetworkName, native: AssetId) {
	const here = (wanted: SumName) =>
		sums
			.filter(({ what, asset }) => what === wanted && assetOf(asset).network === network)
			.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) }));
	return {
		received: here('deposits'),
		taken: here('swept').map(({ asset, amount }) => ({
			...{ asset, amount },
			fees: isNative(assetOf(asset)) ? sumOf(sums, 'fee of coin sweeps', native) : 0n,
		})),
		gas: [{ asset: native, amount: sumOf(sums, 'gas', native), fees: 0n }],
		sweeps: [{ asset: native, amount: 0n, fees: sumOf(sums, 'fee of token sweeps', native) }],
	};
}
