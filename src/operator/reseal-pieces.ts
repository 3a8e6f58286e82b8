/**
 * Seals the pieces of the books with the current key. A piece is proven first: one in which something is wrong is named
 * and keeps its seal (`treasury/ledger/prove.ts`, which says what is atomic).
 */
import { and, asc, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { AskedKeys } from '../crypto/seals.ts';
import { isProven, provePiece } from '../treasury/ledger/prove.ts';
import { ledgerPieces } from '../treasury/ledger/table.ts';
import type { Context } from './command.ts';
import { isOld as isOldNow, rowCount } from './reseal-page.ts';

/** Each piece is a thousand orders. */
const PIECES_PER_PAGE = 5;

export async function countOldPieces({ db, env }: Context): Promise<number> {
	const isOlder = and(isNotNull(ledgerPieces.seal), isOldNow(ledgerPieces.seal, env.askedKeys()));
	return rowCount(db, ledgerPieces, isOlder);
}

const isOld = ({ current }: AskedKeys): SQL =>
	sql`${ledgerPieces.seal} is not null and ${ledgerPieces.seal} not like ${`${current.number}.%`}`;

/** `after`: number of the last piece of the page before; '' for the first page. */
export async function resealPieces({ db, env, now }: Context, after: string) {
	const keys = env.askedKeys();
	const rows = await db
		.select({ number: ledgerPieces.number })
		.from(ledgerPieces)
		.where(and(gt(ledgerPieces.number, after === '' ? -1 : Number(after)), isOld(keys)))
		.orderBy(asc(ledgerPieces.number))
		.limit(PIECES_PER_PAGE);
	const broken: string[] = [];
	for (const { number } of rows) {
		const proof = await provePiece(db, keys, number, now);
		if (proof && !isProven(proof)) broken.push(`piece ${number}`);
	}
	const last = rows.at(-1)?.number;
	return { resealed: rows.length - broken.length, broken, last: last === undefined ? null : String(last) };
}
