/** Batches of archived orders and pieces of the books that a leaked key has sealed. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { batchClaim } from '../../archive/objects.ts';
import { archivedBatches } from '../../archive/table.ts';
import { type AskedKeys, sealHolds } from '../../crypto/seals.ts';
import { runInBatches } from '../../platform/d1/batches.ts';
import { isoTime } from '../../platform/time.ts';
import { isProven, judgePiece, readPiece, sealedAnew, textOfPiece } from '../../treasury/ledger/prove.ts';
import { ledgerPieces } from '../../treasury/ledger/table.ts';
import type { Context } from '../command.ts';
import { type LeakedPage, type LeakedRow, type Reader, resealOne, SEAL_BROKEN, writeSeals } from './row.ts';

const BATCHES = 500;
/** Each piece is a thousand orders. */
const PIECES = 5;
const UNPROVEN = 'its entries do not add up: `ledger check --full` shows where';

const leakedNumbers = ({ leaked }: AskedKeys): string[] => leaked.map(({ number }) => `${number}.`);
const shownAs = (at: number, of: string) => ({
	partner: null,
	createdAt: isoTime(at),
	status: null,
	asked: of,
	to: null,
	recipient: null,
	refund: null,
});

async function batchPage({ env, db }: Context, after: string): Promise<LeakedPage> {
	const keys = env.askedKeys();
	const number = sql`substr(${archivedBatches.seal}, 1, instr(${archivedBatches.seal}, '.'))`;
	const isNext = and(gt(archivedBatches.number, Number(after)), inArray(number, leakedNumbers(keys)));
	const byNumber = asc(archivedBatches.number);
	const found = await db.select().from(archivedBatches).where(isNext).orderBy(byNumber).limit(BATCHES);
	const rows = await Promise.all(
		found.map(async (batch): Promise<LeakedRow> => {
			const claim = { ...batchClaim(batch), leaked: true } as const;
			return {
				id: String(batch.number),
				of: '',
				isOpen: false,
				atStake: [],
				terms: [batch.number, batch.object, batch.orders],
				shown: shownAs(batch.at, batch.object),
				doubt: (await sealHolds(keys, claim)) ? null : SEAL_BROKEN,
				reseal: () => resealOne(keys, batch.number, claim),
			};
		}),
	);
	return { rows, next: found.length === BATCHES ? String(found.at(-1)?.number) : null };
}

export const leakedBatches: Reader = {
	page: batchPage,
	write: ({ db }, changes) => writeSeals(db, { table: 'archived_batches', key: 'number', seal: 'seal' }, changes),
};

async function piecePage({ env, db, now }: Context, after: string): Promise<LeakedPage> {
	const keys = env.askedKeys();
	const number = sql`substr(${ledgerPieces.seal}, 1, instr(${ledgerPieces.seal}, '.'))`;
	const found = await db
		.select({ number: ledgerPieces.number })
		.from(ledgerPieces)
		.where(and(gt(ledgerPieces.number, after === '' ? -1 : Number(after)), inArray(number, leakedNumbers(keys))))
		.orderBy(asc(ledgerPieces.number))
		.limit(PIECES);
	const rows: LeakedRow[] = [];
	for (const { number: one } of found) {
		const piece = await readPiece(db, one);
		if (!piece?.row.seal) continue;
		const before = piece.row.seal;
		const proof = await judgePiece(keys, piece, { leaked: true });
		rows.push({
			id: String(one),
			of: '',
			isOpen: false,
			atStake: [],
			terms: [textOfPiece(piece)],
			shown: shownAs(piece.row.provenAt, `${piece.row.orders} orders`),
			doubt: isProven(proof) ? null : proof.isSealBroken ? SEAL_BROKEN : UNPROVEN,
			reseal: async () => ({ id: one, before, ...(await sealedAnew(keys, piece, now)) }),
		});
	}
	return { rows, next: found.length === PIECES ? String(found.at(-1)?.number) : null };
}

export const leakedPieces: Reader = {
	page: piecePage,
	// Entries that were booked since are younger than what the seal covers, so they do not break it.
	write: ({ db }, changes) =>
		runInBatches(
			db,
			changes.map(({ id, before, ...sealed }) =>
				db
					.update(ledgerPieces)
					.set(sealed)
					.where(and(eq(ledgerPieces.number, Number(id)), eq(ledgerPieces.seal, before))),
			),
		),
};
