/**
 * What the console keeps in D1: sessions by token, tries to sign in, and the forms that were sent. Each function is one
 * statement or one batch.
 */
import { and, eq, gt, lt, lte, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { operatorForms, operatorSessions, operatorSignIns } from './table.ts';

export const SESSION_MILLISECONDS = 12 * 3_600_000;
const FORMS_KEPT = 24 * 3_600_000;
/** Wrong tokens that a network of clients may send in this time. */
const MOST_TRIES = 5;
export const TRIES_MILLISECONDS = 15 * 60_000;

export interface NewSession {
	readonly id: string;
	readonly mark: string;
}

/** Also deletes sessions that are over. The network's tries are forgotten: the token was right. */
export async function openSession(db: DrizzleD1Database, session: NewSession, network: string, now: number) {
	await db.batch([
		db.insert(operatorSessions).values({ ...session, createdAt: now, expiresAt: now + SESSION_MILLISECONDS }),
		db.delete(operatorSessions).where(lte(operatorSessions.expiresAt, now)),
		db.delete(operatorSignIns).where(eq(operatorSignIns.network, network)),
	]);
}

/** The mark of a session that is not over. */
export async function sessionMark(db: DrizzleD1Database, id: string, now: number): Promise<string | null> {
	const [row] = await db
		.select({ mark: operatorSessions.mark })
		.from(operatorSessions)
		.where(and(eq(operatorSessions.id, id), gt(operatorSessions.expiresAt, now)));
	return row?.mark ?? null;
}

export async function endSession(db: DrizzleD1Database, id: string): Promise<void> {
	await db.delete(operatorSessions).where(eq(operatorSessions.id, id));
}

/**
 * Takes one try of the network, before the token is compared. False when none is left. Atomic: of tries at once each takes
 * its own.
 */
export async function takeTry(db: DrizzleD1Database, network: string, now: number): Promise<boolean> {
	const [, taken] = await db.batch([
		db.delete(operatorSignIns).where(lt(operatorSignIns.since, now - TRIES_MILLISECONDS)),
		db
			.insert(operatorSignIns)
			.values({ network, since: now, tries: 1 })
			.onConflictDoUpdate({
				target: operatorSignIns.network,
				set: { tries: sql`${operatorSignIns.tries} + 1` },
				setWhere: lt(operatorSignIns.tries, MOST_TRIES),
			})
			.returning(),
	]);
	return taken.length > 0;
}

/** True the first time that the form comes. Atomic: of two at once one is the first. */
export async function takeForm(db: DrizzleD1Database, id: string, now: number): Promise<boolean> {
	const [, taken] = await db.batch([
		db.delete(operatorForms).where(lt(operatorForms.at, now - FORMS_KEPT)),
		db.insert(operatorForms).values({ id, at: now }).onConflictDoNothing().returning(),
	]);
	return taken.length > 0;
}
