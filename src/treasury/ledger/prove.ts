/**
 * Proves one piece of the books: its entries are read, each order's sum to zero, together they are what the triggers
 * kept, and those that were sealed are unchanged. Each query reads one piece, whatever the history.
 *
 * Atomic: a piece is read in one batch, and its new seal is one compare-and-set on the seal and the number of entries
 * that were read. A piece in which something is wrong keeps its seal and is proven again by every check.
 */
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { type SealClaim, type SealKeys, seal, sealHolds } from '../../crypto/seals.ts';
import type { Db } from '../../platform/d1/database.ts';
import { keptSum } from '../../platform/d1/exact-sum.ts';
import { pick } from '../../platform/pick.ts';
import {
	type Balance,
	type Differing,
	differingOf,
	type EntryRow,
	openingText,
	type PieceRow,
	sealedText,
	type Unbalanced,
	unbalancedOf,
} from './proof.ts';
import { ledgerBalances, ledgerEntries, ledgerOrders, ledgerPieces } from './table.ts';

/** The opening balance. */
export const OPENING = 0;
/** Entries younger than this are not sealed yet: so only a write that arrives later than this is booked at another time. */
const YOUNG_MILLISECONDS = 600_000;

export interface Piece {
	readonly row: PieceRow;
	readonly entries: readonly EntryRow[];
	readonly kept: readonly Balance[];
}

export interface Proof {
	readonly unbalanced: readonly Unbalanced[];
	readonly differing: readonly Differing[];
	/** An entry that was sealed is not what it was. */
	readonly isSealBroken: boolean;
}

export const limbsOfBalances = [
	ledgerBalances.limb3,
	ledgerBalances.limb2,
	ledgerBalances.limb1,
	ledgerBalances.limb0,
] as const;

/** All pieces: one row for each thousand orders that are not archived. */
export const listPieces = (db: Db): Promise<PieceRow[]> =>
	db.select().from(ledgerPieces).orderBy(asc(ledgerPieces.number));

/** Null where there is no such piece. */
export async function readPiece(db: Db, number: number): Promise<Piece | null> {
	const [[row], entries, kept] = await db.batch([
		db.select().from(ledgerPieces).where(eq(ledgerPieces.number, number)),
		db
			.select(pick(ledgerEntries, 'orderId', 'cause', 'account', 'asset', 'amount', 'at'))
			.from(ledgerOrders)
			.innerJoin(ledgerEntries, eq(ledgerEntries.orderId, ledgerOrders.orderId))
			.where(eq(ledgerOrders.piece, number)),
		db
			.select({ ...pick(ledgerBalances, 'account', 'asset', 'entries'), amount: keptSum(limbsOfBalances) })
			.from(ledgerBalances)
			.where(eq(ledgerBalances.piece, number))
			.groupBy(ledgerBalances.account, ledgerBalances.asset),
	]);
	return row ? { row, entries, kept } : null;
}

/** The text that the seal of a piece is over. */
export const textOfPiece = ({ row, entries, kept }: Piece): string =>
	row.number === OPENING ? openingText(row, kept) : sealedText(row, entries);

/** The mistake in a piece as it was read. `claim`: more of its seal's claim. */
export async function judgePiece(keys: SealKeys, piece: Piece, claim: Pick<SealClaim, 'leaked'> = {}): Promise<Proof> {
	const { row, entries, kept } = piece;
	const text = textOfPiece(piece);
	const isUnsealed = row.seal === null && row.provenAt === 0 && (row.number !== OPENING || kept.length === 0);
	return {
		unbalanced: unbalancedOf(entries),
		differing: row.number === OPENING ? [] : differingOf(row.number, kept, entries),
		isSealBroken: !isUnsealed && !(await sealHolds(keys, { text, at: row.provenAt, sealed: row.seal ?? '', ...claim })),
	};
}

export const isProven = ({ unbalanced, differing, isSealBroken }: Proof): boolean =>
	unbalanced.length === 0 && differing.length === 0 && !isSealBroken;

/** Proves the piece and seals what was booked since. Null where it is gone: all of it was folded. */
export async function provePiece(db: Db, keys: SealKeys, number: number, now: number): Promise<Proof | null> {
	const piece = await readPiece(db, number);
	if (!piece) return null;
	const proof = await judgePiece(keys, piece);
	const isStill = and(eq(ledgerPieces.number, number), isSealStill(piece.row), entriesAre(piece));
	await db
		.update(ledgerPieces)
		.set(await outcome(keys, piece, proof, now))
		.where(isStill);
	return proof;
}

async function outcome(keys: SealKeys, piece: Piece, proof: Proof, now: number): Promise<Partial<PieceRow>> {
	if (!isProven(proof)) return { changed: true };
	return { changed: false, ...(await sealedAnew(keys, piece, now)) };
}

/** The seal over the piece as it is. It never covers less time than the one before. */
export async function sealedAnew(keys: SealKeys, { row, entries, kept }: Piece, now: number) {
	const sealedUntil = Math.max(row.sealedUntil, now - YOUNG_MILLISECONDS);
	const next = { number: row.number, orders: row.orders, provenAt: now, sealedUntil };
	const text = textOfPiece({ row: { ...row, ...next }, entries, kept });
	return { provenAt: now, sealedUntil, seal: await seal(keys, text) };
}

export const isSealStill = ({ seal: before }: PieceRow): SQL => sql`${ledgerPieces.seal} is ${before}`;

/** Holds while nothing was booked since the piece was read. */
const entriesAre = ({ row, kept }: Piece): SQL => {
	const entries = kept.reduce((sum, balance) => sum + balance.entries, 0);
	return sql`(select coalesce(sum(${ledgerBalances.entries}), 0) from ${ledgerBalances} where ${ledgerBalances.piece} = ${row.number}) = ${entries}`;
};
