/**
 * Which pay-in addresses a poll queries, for the families that query addresses one by one. Every address is watched
 * until its order's watch time ends. Families that query addresses in turn get an older address less often, so that the
 * cost of a poll follows the open orders and not the orders of a month:
 *
 * - each poll: orders that wait for their deposit, whose window closed in the last two hours, or that may move;
 * - one poll in ten: those whose window closed within a day;
 * - one poll in a hundred: all others, until `watch_until`.
 *
 * This makes no payer late. An order's age is taken as of the last poll that worked, so every order whose window was
 * open then is in the first class, also after an outage. A deposit that is found later came after the window closed.
 */
import { assetOf, isNative } from '../../catalog/assets.ts';
import type { DepositRef, WatchedAddress } from '../../chains/port.ts';
import type { DepositRow } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { storedSum } from '../../platform/d1/exact-sum.ts';
import { log } from '../../platform/log.ts';
import { type FeePayer, takenFrom } from '../ledger/reserve-rules.ts';
import type { TransactionRow } from '../table.ts';
import { hasFailed } from '../transactions/blocked.ts';
import {
	ALL_POLLS,
	classesOf,
	knownBesidesDust,
	knownDeposits,
	movesAt,
	ordersOf,
	PER_QUERY,
	type WatchedOrder,
	type WatchQuery,
} from './watch-store.ts';

/**
 * Most dust deposits that are recorded of one order. They cost the sender next to nothing, and us a row each. Later
 * ones stay in the wallet, in a sum of what no order has (`unattributed.ts`, or `unrecorded` of `ledger check`).
 */
export const DUST_PER_ORDER = 100;
/** Most pages of each class. Beyond them the oldest orders of the class are left out. */
const MAX_PAGES = 40;

export interface Watch extends WatchQuery {
	/** Who pays for a sweep; undefined where nothing is swept. */
	readonly feePayer?: FeePayer | undefined;
	/** Are coins found by what an address holds, gas of ours included? Else a scan never takes that for a deposit. */
	readonly byBalance?: boolean | undefined;
}

/** The addresses that this poll queries, each with what is on record for it. */
export async function watchedAddresses(db: Db, watch: Watch): Promise<WatchedAddress[]> {
	const found = new Map<string, WatchedAddress>();
	for (const which of classesOf(watch)) {
		let last: WatchedOrder | undefined;
		for (let page = 0; page < MAX_PAGES; page++) {
			const rows = await ordersOf(db, which, last);
			const fresh = rows.filter(({ id }) => !found.has(id));
			for (const [id, address] of await withRecord(db, watch, fresh)) found.set(id, address);
			last = rows.at(-1);
			if (rows.length < PER_QUERY) break;
			if (page === MAX_PAGES - 1) log('watch_cut', { network: watch.network, addresses: found.size });
		}
	}
	return [...found.values()];
}

/**
 * By order. An order that is flooded with dust is in one poll of a hundred, whatever its age: part of its dust is not
 * on record, and each poll would have to explain that part again. So a flood slows down its own order and no other.
 *
 * A family that queries addresses in turn gets the dust as one sum, from the order's own row, so recorded dust adds
 * nothing to the cost of a poll. When an address holds more than is on record, the family asks for that address and
 * gets each deposit.
 */
async function withRecord(
	db: Db,
	{ network, poll, which, feePayer, byBalance = false }: Watch,
	watched: readonly WatchedOrder[],
): Promise<Map<string, WatchedAddress>> {
	const inTurn = which === 'in turn';
	const isDue = ({ dustCount, payInIndex }: WatchedOrder) =>
		!inTurn || dustCount < DUST_PER_ORDER || payInIndex % ALL_POLLS === poll % ALL_POLLS;
	const due = watched.filter(isDue);
	if (due.length === 0) return new Map();
	const ids = due.map(({ id }) => id);
	const addresses = due.map(({ payInAddress }) => payInAddress);
	const records = inTurn ? knownBesidesDust(db, ids) : knownDeposits(db, ids);
	const [known, moves] = await db.batch([records, movesAt(db, network, addresses)]);
	const rows = Map.groupBy(known, ({ orderId }) => orderId);
	const movesOf = Map.groupBy(moves, ({ payInAddress }) => payInAddress);
	return new Map(
		due.flatMap((order): [string, WatchedAddress][] => {
			const ours = movedAt(order, movesOf.get(order.payInAddress) ?? [], { feePayer, byBalance });
			if (!ours) return [];
			const { gas, swept } = ours;
			const ofOrder = [...(rows.get(order.id) ?? []).map(refOf), ...(inTurn ? dustOf(order) : [])];
			const { payInAddress: address, fromAsset: asset } = order;
			return [[order.id, { address, asset, known: [...ofOrder, ...gas], swept }]];
		}),
	);
}

/**
 * The sums of the order's asset that our own transactions brought to the address, and took from it. Final ones only:
 * when a reorganisation undoes a sweep, its coins must not be taken for a new deposit. Gas for the sweep of a stray is
 * coin of ours at an address that may be paid in the coin. Null while such gas or sweep is under way, for then nobody
 * can tell what of the balance is a deposit.
 */
function movedAt(
	{ payInAddress: address, fromAsset: asset }: WatchedOrder,
	moves: readonly TransactionRow[],
	{ feePayer, byBalance }: Pick<Watch, 'feePayer' | 'byBalance'>,
): { readonly gas: DepositRef[]; readonly swept: bigint } | null {
	const final = moves.filter(({ state }) => state === 'final');
	const sweeps = final.filter(({ kind }) => kind === 'sweep');
	const swept = takenFrom(sweeps, asset, feePayer);
	if (!isNative(assetOf(asset)) || !byBalance) return { gas: [], swept };
	if (moves.some(({ state, sweepAsset }) => state !== 'final' && sweepAsset !== asset)) return null;
	const fees = final
		.filter((move) => move.kind === 'token' || (move.kind === 'sweep' && move.asset !== asset))
		.reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n);
	const gas = final.filter((move) => move.kind === 'gas' && !hasFailed(move));
	return {
		gas: gas.map(({ txId, amount }) => {
			return { txId: txId ?? '', position: 'native', address, asset, amount: BigInt(amount) };
		}),
		swept: swept + fees,
	};
}

/** All dust of an order as if it were one deposit. */
function dustOf({ payInAddress: address, fromAsset: asset, dustSum }: WatchedOrder): DepositRef[] {
	const amount = storedSum(dustSum);
	return amount > 0n ? [{ txId: '', position: 'dust', address, asset, amount }] : [];
}

export const refOf = ({ txId, position, address, asset, amount }: DepositRow): DepositRef => ({
	txId,
	position,
	address,
	asset,
	amount: BigInt(amount),
});
