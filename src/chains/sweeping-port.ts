/** How deposits get from the pay-in addresses of a network to its hot wallet, where they are not spent directly. */
import type { AssetId } from '../catalog/assets.ts';

/** One pay-in address and the asset to be moved from it to the hot wallet. */
export interface SweepTarget {
	readonly address: string;
	readonly asset: AssetId;
}

/** A token that is not listed at a pay-in address, and where it is to go from there. */
export interface TokenTarget {
	readonly address: string;
	readonly token: string;
	readonly to: string;
}

export interface SweepQuote {
	/** Base units of the asset that would arrive; 0 where nothing can be moved. */
	readonly amount: bigint;
	/** Its cost in the native coin's base units, the gas top-up's own fee included. */
	readonly fee: bigint;
	/** Native base units that the address still needs to pay for its sweep; 0 where it has enough. */
	readonly gas: bigint;
}

export interface Sweeping {
	/** Who pays the sweep's fee: the pay-in address, which may need a gas top-up first, or the hot wallet. */
	readonly feePayer: 'address' | 'wallet';
	/**
	 * May a deposit of the native coin stay unseen for good where a sweep takes it before a scan has seen it? Then such a
	 * sweep takes no more than what is on record. Absent where deposits are found wherever their coins went.
	 */
	readonly onlyRecorded?: true;
	/** From the chain's current state, in order: one quote per target, and what each address holds. */
	quote(targets: readonly SweepTarget[]): Promise<SweepQuote[]>;
	balances(asset: AssetId, addresses: readonly string[]): Promise<bigint[]>;
}
