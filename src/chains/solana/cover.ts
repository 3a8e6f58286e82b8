/** Checks that the hot wallet holds enough beyond what signed transactions may still take from it. For the signer. */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import { InsufficientReserve } from '../errors.ts';
import type { Reservation, ReservationOf } from '../reservations.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { accountsAt, tokenAccount } from './accounts.ts';
import { accountOf } from './assets.ts';
import { statusesOf } from './depth.ts';
import { SEEN } from './node.ts';
import { SLOT } from './shapes.ts';

/** The coins that no signed transaction can take any more. */
interface Free {
	readonly lamports: bigint;
	/** Base units of the requested token; 0 where that is SOL. */
	readonly tokens: bigint;
}

interface Need {
	readonly asset: AssetId;
	/** Base units of `asset` that are to leave the wallet. */
	readonly amount: bigint;
	/** For fee and rents, including the wallet's own rent: below that, the account could not exist. */
	readonly lamports: bigint;
}

const SOL = nativeAsset('Solana');

/** @throws ChainUnavailable */
export async function freeIn(
	rpc: JsonRpc,
	wallet: string,
	asset: AssetId,
	spent: Iterable<Reservation>,
): Promise<Free> {
	const reserved = await underWay(rpc, spent);
	const { accounts } = await accountsAt(rpc, [wallet, accountOf(wallet, asset)], SEEN);
	const [native = null, tokens = null] = accounts;
	return {
		lamports: (native?.lamports ?? 0n) - reservedOf(reserved, SOL),
		tokens: asset === SOL ? 0n : (tokenAccount(tokens)?.amount ?? 0n) - reservedOf(reserved, asset),
	};
}

/** @throws InsufficientReserve */
export function requireCovered(free: Free, { asset, amount, lamports }: Need): void {
	const needed = lamports + (asset === SOL ? amount : 0n);
	if (free.lamports < needed)
		throw new InsufficientReserve(
			`Solana needs ${needed} lamports, including the wallet's own rent; ${free.lamports} are free`,
		);
	if (asset !== SOL && amount > 0n && free.tokens < amount)
		throw new InsufficientReserve(`${amount} base units of ${asset} are to be paid; ${free.tokens} are free`);
}

/**
 * Signed transactions that the balance does not show yet. Asked before the balance, so that no transaction is missing
 * from both.
 */
async function underWay(rpc: JsonRpc, spent: Iterable<Reservation>): Promise<ReservationOf<'until height'>[]> {
	const height = await ask(rpc, SLOT, 'getBlockHeight', { commitment: SEEN });
	const open = openReservations(spent, height);
	const statuses = await statusesOf(rpc, txIdsOf(open));
	return open.filter(({ txId }) => (statuses.get(txId)?.depth.height ?? null) === null);
}

/** Reservations whose transactions can still be included above block height `height`: a transaction is valid for a minute. */
export const openReservations = (spent: Iterable<Reservation>, height: number): ReservationOf<'until height'>[] =>
	[...spent].filter((each) => each.kind === 'until height').filter(({ lastValidHeight }) => lastValidHeight > height);

/** Base units of the asset. */
export const reservedOf = (reservations: readonly ReservationOf<'until height'>[], asset: AssetId): bigint =>
	sumOf(reservations.filter((each) => each.asset === asset));
