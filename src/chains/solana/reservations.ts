/**
 * What signed transactions will still take from the payout wallet. Without this, two payouts that are signed in one
 * moment would both count on the same coins, and one would fail on chain. A transaction lives about a minute: after
 * its last block height, or once the chain holds it, it takes nothing more than the balance already shows. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';

export interface Reservation {
	readonly txId: string;
	/** The last block height at which the transaction may be taken. */
	readonly lastValidHeight: number;
	readonly asset: AssetId;
	/** Base units. */
	readonly amount: bigint;
}

const SPENT = /^(\d{1,13}):([1-9A-HJ-NP-Za-km-z]{64,88}):(\w{1,20}):(\d{1,20})$/;

/** As `SigningState.spent` keeps it. */
export const spentText = ({ txId, lastValidHeight, asset, amount }: Reservation): string =>
	`${lastValidHeight}:${txId}:${asset}:${amount}`;

/** Those that may still be taken above block height `height`. */
export function openReservations(spent: Iterable<string>, height: number): Reservation[] {
	return [...spent].flatMap((text): Reservation[] => {
		const [, lastValidHeight, txId = '', asset, amount] = SPENT.exec(text) ?? [];
		if (!amount || Number(lastValidHeight) <= height) return [];
		return [{ txId, lastValidHeight: Number(lastValidHeight), asset: asset as AssetId, amount: BigInt(amount) }];
	});
}

export const reservedOf = (reservations: readonly Reservation[], asset: AssetId): bigint =>
	reservations.filter((each) => each.asset === asset).reduce((sum, { amount }) => sum + amount, 0n);
