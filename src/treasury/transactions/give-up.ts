/**
 * Takes back a transaction that is planned and was never signed. First the signer stores that it will never sign it,
 * then the rows change. Atomic: one batch writes the audit line, reverses the settlement in the books, frees the
 * deposits and deletes the row, each only while the row is planned. A crash between the two leaves a row that is never
 * signed; the same command, run again, does the rest.
 */
import type { SQL } from 'drizzle-orm';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { SignerService } from '../../ports/signer.ts';
import { freeDeposits } from '../deposits/settle-store.ts';
import { withdrawStatements } from '../earnings/statements.ts';
import { reverseSettlement } from '../ledger/store.ts';
import { giveUpMove, type Move } from '../moves.ts';
import type { SignerRefusal } from '../signer-refusal.ts';
import { freeStray } from '../strays/store.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import { isPlanned, remove } from './store.ts';

interface GiveUp {
	/** The move that persons confirm first; null where nobody is asked. */
	readonly move: (row: TransactionRow) => Move | null;
	/** Makes the signer never sign it. Null where it is given up, else why not. */
	readonly ask: (signer: SignerService, row: TransactionRow) => Promise<SignerRefusal | null>;
	/** `when`: holds while the row is planned. */
	readonly write: (db: Db, row: TransactionRow, when: SQL, now: number) => Statement[];
}

/** Only its row has to be deleted. */
const ROW: GiveUp = {
	move: ({ id }) => giveUpMove(id, null),
	ask: (signer, { id }) => signer.giveUp(id, null),
	write: (db, row) => [remove(db, row)],
};

const REFUND: GiveUp = {
	...ROW,
	write: (db, row, when, now) => [...freeDeposits(db, row, when, now), remove(db, row)],
};

/** The stray that it would have returned is planned again, by another id. */
const STRAY: GiveUp = { ...ROW, write: (db, row, when, now) => [...freeStray(db, row, when, now), remove(db, row)] };

/** Null for kinds that move coins between our own wallets: the service gives these up by itself. */
const GIVE_UP: Readonly<Record<TransactionKind, GiveUp | null>> = {
	payout: {
		// The signer then signs no other payout of the order either.
		move: ({ id, orderId }) => giveUpMove(id, orderId),
		ask: (signer, { id, orderId }) => signer.giveUp(id, orderId),
		write: (db, row, when, now) => [reverseSettlement(db, row, when, now), ...REFUND.write(db, row, when, now)],
	},
	refund: REFUND,
	// The partner is still owed it, so nobody is asked.
	earnings: {
		move: () => null,
		ask: async (signer, { id }) => ((await signer.withdrawEarnings(id)) ? null : { kind: 'signed-already' }),
		write: (db, { id }) => withdrawStatements(db, id),
	},
	withdrawal: ROW,
	stray: STRAY,
	gas: null,
	sweep: null,
	token: null,
	consolidation: null,
};

/** The moves that persons confirm before it is given up. */
export function giveUpMoves(row: TransactionRow): readonly Move[] {
	const move = GIVE_UP[row.kind]?.move(row);
	return move ? [move] : [];
}

export const canBeGivenUp = ({ kind }: Pick<TransactionRow, 'kind'>): boolean => GIVE_UP[kind] !== null;

/** Makes the signer never sign it. Null where it is given up, else why not. @throws where the signer does not answer */
export const askSigner = async (signer: SignerService, row: TransactionRow): Promise<SignerRefusal | null> =>
	(await GIVE_UP[row.kind]?.ask(signer, row)) ?? null;

/**
 * `row`: a transaction that the signer has given up. `audit`: the line of the audit log, written if the condition
 * holds.
 */
export function giveUpStatements(db: Db, row: TransactionRow, audit: (isPlanned: SQL) => Statement, now: number) {
	const when = isPlanned(row);
	return [audit(when), ...(GIVE_UP[row.kind]?.write(db, { ...row, state: 'planned' }, when, now) ?? [])];
}
