/** Coins of ours as a chain shows them to prove that they are there. Pure. */
import type { AssetId } from '../catalog/assets.ts';
import type { ReserveBlock } from '../ports/reserves.ts';

export interface RestingPlace {
	readonly address: string;
	/** Base units, more than zero. */
	readonly holdings: readonly { readonly asset: AssetId; readonly amount: bigint }[];
}

/** The coins at addresses of ours in one block. */
export interface Resting {
	readonly block: ReserveBlock;
	/** The addresses that hold something. */
	readonly places: readonly RestingPlace[];
	/** Addresses that hold something too, beyond the most. */
	readonly others: number;
}

export interface WholeProof {
	readonly signature: string;
	/** Base units that it proves. */
	readonly amount: bigint;
}

/** The part of `Chain` that proves reserves. */
export interface ProvingReserves {
	/**
	 * The coins at these addresses in one late block, or where a wallet knows its own (`spendsDeposits`) at those of its addresses
	 * that hold most, at most so many. Absent on the sandbox, whose blocks nobody else has.
	 */
	resting?(addresses: readonly string[], most: number): Promise<Resting>;
	/** The signature as a stranger takes it, where the wallet alone cannot make it whole (Monero). */
	wholeProof?(signature: string): Promise<WholeProof>;
}

/** `held`: balances by asset, in the order of addresses. */
export function restingAt(
	block: ReserveBlock,
	addresses: readonly string[],
	held: ReadonlyMap<AssetId, readonly bigint[]>,
): Resting {
	const places = addresses.map((address, at) => {
		const holdings = [...held].map(([asset, amounts]) => ({ asset, amount: amounts[at] ?? 0n }));
		return { address, holdings: holdings.filter(({ amount }) => amount > 0n) };
	});
	return { block, places: places.filter(({ holdings }) => holdings.length > 0), others: 0 };
}
