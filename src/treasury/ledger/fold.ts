/**
 * Folds the entries of archived orders into the opening balance (piece 0): the entries go, every balance stays. What is
 * folded was proven just before, so nothing that is wrong disappears with its entries.
 *
 * Atomic: the caller runs the statements in one batch, with what else they delete of these orders. The rows in
 * `ledger_folds` make the batch fail as a whole where something was booked for one of the orders, or a seal was renewed,
 * after this read them; then the caller asks again. Outside of such a batch no entry can be deleted.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type SealKeys, seal } from '../../crypto/seals.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { limbsOf } from '../../platform/d1/exact-sum.ts';
import { inJson, isIn } from '../../platform/d1/lists.ts';
import { type Balance, balanceKey, balancesOf, type EntryRow, openingText } from './proof.ts';
import { isProven, judgePiece, OPENING, type Piece, readPiece, sealedAnew } from './prove.ts';
import { ledgerBalances, ledgerEntries, ledgerFolds, ledgerOrders, ledgerPieces } from './table.ts';

/** Accounts of which nothing may be left: somebody is still owed, or will be. */
const OPEN_ACCOUNTS: ReadonlySet<string> = new Set(['payable', 'partnerPending', 'housePending', 'partner']);

/**
 * `orders`: those that cannot be folded; the others may be, by another call. `open`: they still owe somebody; of a
 * partner's share, until it was paid out. `not-proven`: in one of their pieces, or in the opening balance, something is
 * wrong.
 */
export type FoldRefusal =
	| { readonly refused: 'open'; readonly orders: readonly string[] }
	| { readonly refused: 'not-proven'; readonly orders: readonly string[]; readonly pieces: readonly number[] };

/** Orders of one piece that are folded, and their entries. */
interface Part {
	readonly piece: Piece;
	readonly folded: ReadonlyMap<string, readonly EntryRow[]>;
}

/** Orders without entries need no folding and are passed over; the list may be empty. At most 500 orders at once. */
export async function foldEntries(
	db: Db,
	keys: SealKeys,
	orderIds: readonly string[],
	now: number,
): Promise<{ readonly statements: readonly Statement[] } | FoldRefusal> {
	const parts = await readParts(db, orderIds);
	const opening = await readPiece(db, OPENING);
	if (!opening || parts.length === 0) return { statements: [] };
	const wrong = await wrongPieces(keys, [opening, ...parts.map(({ piece }) => piece)]);
	if (wrong.length > 0) {
		const without = parts.filter(({ piece }) => wrong.includes(OPENING) || wrong.includes(piece.row.number));
		return { refused: 'not-proven', orders: without.flatMap(({ folded }) => [...folded.keys()]), pieces: wrong };
	}
	const open = parts.flatMap(({ folded }) => [...folded].filter(([, entries]) => isOpen(entries)).map(([id]) => id));
	if (open.length > 0) return { refused: 'open', orders: open };
	const rest = await Promise.all(parts.map((part) => takenFrom(db, keys, part, now)));
	return {
		statements: [
			...parts.map((part) => guard(db, part, opening)),
			...(await addedTo({ db, keys }, opening, parts, now)),
			...rest.flat(),
			db.delete(ledgerFolds),
		],
	};
}

async function readParts(db: Db, orderIds: readonly string[]): Promise<Part[]> {
	const placed = await db.select().from(ledgerOrders).where(isIn(ledgerOrders.orderId, orderIds));
	const numbers = [...new Set(placed.map(({ piece }) => piece))];
	const pieces = await Promise.all(numbers.map((number) => readPiece(db, number)));
	return pieces.flatMap((piece): Part[] => {
		if (!piece) return [];
		const wanted = new Set(placed.filter((one) => one.piece === piece.row.number).map(({ orderId }) => orderId));
		const entries = piece.entries.filter(({ orderId }) => wanted.has(orderId));
		return [{ piece, folded: Map.groupBy(entries, ({ orderId }) => orderId) }];
	});
}

/** Numbers of the pieces in which something is wrong. */
async function wrongPieces(keys: SealKeys, pieces: readonly Piece[]): Promise<number[]> {
	const proofs = await Promise.all(pieces.map((piece) => judgePiece(keys, piece)));
	return pieces.flatMap(({ row }, i) => {
		const proof = proofs[i];
		return proof && isProven(proof) ? [] : [row.number];
	});
}

const isOpen = (entries: readonly EntryRow[]): boolean =>
	[...balancesOf(entries).values()].some(({ account, amount }) => OPEN_ACCOUNTS.has(account) && amount !== 0n);

/** Fails the batch unless the books of these orders are what was read. */
const guard = (db: Db, { piece, folded }: Part, opening: Piece): Statement =>
	db.insert(ledgerFolds).select(
		sql`select value ->> 0, value ->> 1, ${piece.row.number}, ${piece.row.seal}, ${opening.row.seal}
			from json_each(${JSON.stringify([...folded].map(([id, entries]) => [id, entries.length]))})`,
	);

/** The opening balance with the folded entries, each sum written as a whole: its limbs never grow. */
async function addedTo(
	{ db, keys }: { readonly db: Db; readonly keys: SealKeys },
	opening: Piece,
	parts: readonly Part[],
	now: number,
): Promise<Statement[]> {
	const sums = new Map(opening.kept.map((balance) => [balanceKey(balance), balance]));
	for (const balance of parts.flatMap(({ folded }) => [...balancesOf([...folded.values()].flat()).values()])) {
		const before = sums.get(balanceKey(balance));
		const amount = (before?.amount ?? 0n) + balance.amount;
		sums.set(balanceKey(balance), { ...balance, amount, entries: (before?.entries ?? 0) + balance.entries });
	}
	const balances = [...sums.values()];
	const orders = opening.row.orders + parts.reduce((sum, { folded }) => sum + folded.size, 0);
	const sealed = await seal(keys, openingText({ orders, provenAt: now }, balances));
	return [
		db
			.insert(ledgerBalances)
			.select(
				sql`select value ->> 0, value ->> 1, ${OPENING}, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
					from json_each(${asJson(balances)}) where true`,
			)
			.onConflictDoUpdate({
				target: [ledgerBalances.account, ledgerBalances.asset, ledgerBalances.piece],
				set: {
					entries: sql`excluded.entries`,
					limb3: sql`excluded.limb_3`,
					limb2: sql`excluded.limb_2`,
					limb1: sql`excluded.limb_1`,
					limb0: sql`excluded.limb_0`,
				},
			}),
		db.update(ledgerPieces).set({ orders, provenAt: now, seal: sealed, changed: false }).where(isPiece(OPENING)),
	];
}

/** Removes the entries, and takes them off the piece's balances. A piece without orders goes, unless it is the newest. */
async function takenFrom(db: Db, keys: SealKeys, { piece, folded }: Part, now: number): Promise<Statement[]> {
	const { number } = piece.row;
	const ids = inJson([...folded.keys()]);
	const left = piece.entries.filter(({ orderId }) => !folded.has(orderId));
	const sealed = await sealedAnew(keys, { ...piece, entries: left }, now);
	const gone = asJson([...balancesOf([...folded.values()].flat()).values()]);
	return [
		db
			.update(ledgerBalances)
			.set({
				entries: sql`${ledgerBalances.entries} - (value ->> 2)`,
				limb3: sql`${ledgerBalances.limb3} - (value ->> 3)`,
				limb2: sql`${ledgerBalances.limb2} - (value ->> 4)`,
				limb1: sql`${ledgerBalances.limb1} - (value ->> 5)`,
				limb0: sql`${ledgerBalances.limb0} - (value ->> 6)`,
			})
			.from(sql`json_each(${gone})`)
			.where(
				sql`${ledgerBalances.account} = value ->> 0 and ${ledgerBalances.asset} = value ->> 1 and ${ledgerBalances.piece} = ${number}`,
			),
		db.delete(ledgerBalances).where(sql`${ledgerBalances.piece} = ${number} and ${ledgerBalances.entries} = 0`),
		db.delete(ledgerEntries).where(sql`${ledgerEntries.orderId} in ${ids}`),
		db.delete(ledgerOrders).where(sql`${ledgerOrders.orderId} in ${ids}`),
		db
			.update(ledgerPieces)
			.set({ ...sealed, orders: sql`${ledgerPieces.orders} - ${folded.size}` })
			.where(isPiece(number)),
		db
			.delete(ledgerPieces)
			.where(
				sql`${isPiece(number)} and ${ledgerPieces.orders} = 0 and ${number} < (select max(number) from ledger_pieces)`,
			),
	];
}

const isPiece = (number: number): SQL => sql`${ledgerPieces.number} = ${number}`;

const asJson = (balances: readonly Balance[]): string =>
	JSON.stringify(balances.map(({ account, asset, amount, entries }) => [account, asset, entries, ...limbsOf(amount)]));
