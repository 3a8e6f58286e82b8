/**
 * The books as a whole: what a run of `ledger check` proves. A run takes the pieces in which something was booked, and
 * in rotation those that were proven longest ago; a full check takes them all, in parts that one call can do. Its time
 * does not depend on the history.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { SealKeys } from '../../crypto/seals.ts';
import { amountsByAsset } from '../../money/units.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exposureByAsset } from '../hedge/store.ts';
import type { Balance, Differing, PieceRow, Unbalanced } from './proof.ts';
import { listPieces, OPENING, provePiece } from './prove.ts';
import { type DifferingFlow, differingDeposits, differingFlows, misplacedOrders, type Slice } from './slices.ts';
import { accountBalances, duesByAsset } from './store.ts';

/**
 * Pieces of one run: others in rotation, then those in which something was booked, the longest unproven first. Each takes
 * some tenths of a second, so after `RUN_MILLISECONDS` only the least number is proven.
 */
const ROTATED_PER_RUN = 3;
const CHANGED_PER_RUN = 12;
/** The opening balance, those in rotation, and three others. */
const LEAST_PER_RUN = 7;
const RUN_MILLISECONDS = 2_500;
/** Pieces of one call of a full check: each takes a few queries, its transactions as many (`sent-rows.ts`), and an invocation has a thousand. */
const FULL_PER_CALL = 60;
const FULL_MILLISECONDS = 20_000;

export interface Run {
	readonly now: number;
	/** All pieces from this number on; null proves what is new, and some of the rest. */
	readonly fullFrom: number | null;
}

export interface Books {
	readonly balances: readonly Balance[];
	/** Ever booked, folded ones included. */
	readonly orders: number;
	readonly entries: number;
	readonly pieces: number;
	readonly proven: number;
	/** Those of the proven pieces. */
	readonly slices: readonly Slice[];
	/** Pieces with new entries that this run had no time for. */
	readonly waiting: number;
	/** Where a full check goes on; null where it is done. */
	readonly next: number | null;
	/** When the piece was proven that waits longest; 0: never. */
	readonly oldest: number;
	readonly unbalanced: readonly Unbalanced[];
	readonly differing: readonly Differing[];
	readonly brokenSeals: readonly number[];
	readonly flows: readonly DifferingFlow[];
	/** Ids of orders (`MisplacedOrders`). */
	readonly withoutPiece: readonly string[];
	readonly wronglyPaid: readonly string[];
}

export async function proveBooks(db: Db, keys: SealKeys, { now, fullFrom }: Run): Promise<Books> {
	const pieces = await listPieces(db);
	const changed = pieces.filter((piece) => piece.changed && piece.number !== OPENING);
	const chosen = fullFrom === null ? chosenOf(pieces, changed) : pieces.filter(({ number }) => number >= fullFrom);
	const found = { unbalanced: [] as Unbalanced[], differing: [] as Differing[], brokenSeals: [] as number[] };
	const sliced = { flows: [] as DifferingFlow[], withoutPiece: [] as string[], wronglyPaid: [] as string[] };
	const done = new Map<number, Slice>();
	const least = fullFrom === null ? LEAST_PER_RUN : 0;
	const deadline = Date.now() + (fullFrom === null ? RUN_MILLISECONDS : FULL_MILLISECONDS);
	for (const { number } of chosen.slice(0, FULL_PER_CALL)) {
		if (done.size >= least && Date.now() > deadline) break;
		const slice = { index: pieces.findIndex((piece) => piece.number === number), count: pieces.length };
		const proof = await provePiece(db, keys, number, now);
		found.unbalanced.push(...(proof?.unbalanced ?? []));
		found.differing.push(...(proof?.differing ?? []));
		if (proof?.isSealBroken) found.brokenSeals.push(number);
		sliced.flows.push(...(await differingFlows(db, slice, now)));
		const misplaced = await misplacedOrders(db, slice);
		sliced.withoutPiece.push(...misplaced.withoutPiece);
		sliced.wronglyPaid.push(...misplaced.wronglyPaid);
		found.differing.push(...(await differingDeposits(db, slice)));
		done.set(number, slice);
	}
	const { balances, differing } = await judgeTotals(db);
	return {
		...found,
		...sliced,
		balances,
		differing: [...found.differing, ...differing],
		orders: pieces.reduce((sum, { orders }) => sum + orders, 0),
		entries: balances.reduce((sum, { entries }) => sum + entries, 0),
		pieces: pieces.length,
		proven: done.size,
		slices: [...done.values()],
		waiting: fullFrom === null ? changed.filter(({ number }) => !done.has(number)).length : 0,
		next: fullFrom === null ? null : (chosen.find(({ number }) => !done.has(number))?.number ?? null),
		oldest: Math.min(...pieces.map(({ number, provenAt }) => (done.has(number) ? now : provenAt))),
	};
}

/** The opening balance, which is one row per account and asset, is in every run. */
function chosenOf(pieces: readonly PieceRow[], changed: readonly PieceRow[]): PieceRow[] {
	const byAge = (list: readonly PieceRow[]) => list.toSorted((a, b) => a.provenAt - b.provenAt);
	const others = pieces.filter((piece) => !piece.changed && piece.number !== OPENING);
	return [
		...pieces.filter(({ number }) => number === OPENING),
		...byAge(others).slice(0, ROTATED_PER_RUN),
		...byAge(changed).slice(0, CHANGED_PER_RUN),
	];
}

/**
 * All accounts together are zero in each asset, the partners' dues are what the account `partner` owes, and the exposure that
 * the hedger is told is the account `market`.
 */
async function judgeTotals(db: Db) {
	const [balances, dues, exposed] = await db.batch([accountBalances(db), duesByAsset(db), exposureByAsset(db)]);
	const sums = [...amountsByAsset(balances)];
	const of = (account: string) => amountsByAsset(balances.filter((one) => one.account === account));
	const [partner, market] = [of('partner'), of('market')];
	const [owed, told] = [amountsByAsset(dues), amountsByAsset(exposed)];
	const judged = (account: string, figures: (asset: AssetId, all: bigint) => Pick<Differing, 'kept' | 'found'>) =>
		sums.map(([asset, all]): Differing => ({ account, asset, ...figures(asset, all), piece: null }));
	const differing = [
		...judged('all accounts', (_, kept) => ({ kept, found: 0n })),
		...judged('partner', (asset) => ({ kept: partner.get(asset) ?? 0n, found: owed.get(asset) ?? 0n })),
		...judged('exposure', (asset) => ({ kept: told.get(asset) ?? 0n, found: -(market.get(asset) ?? 0n) })),
	];
	return { balances, differing: differing.filter(({ kept, found }) => kept !== found) };
}
