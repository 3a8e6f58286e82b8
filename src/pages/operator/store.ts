/**
 * What the console keeps in D1: sessions by token, and the forms that were sent. Each function is one
 * statement or one batch.
 */
import { and, eq, gt, lt, lte } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { operatorForms, operatorSessions } from './table.ts';

export const SESSION_MILLISECONDS = 12 * 3_600_000;
const FORMS_KEPT = 24 * 3_600_000;

export interface NewSession {
	readonly id: string;
	readonly mark: string;
}

/** Also deletes sessions that are over. */
export async function openSession(db: DrizzleD1Database, session: NewSession, now: number) {
	await db.batch([
		db.insert(operatorSessions).values({ ...session, createdAt: now, expiresAt: now + SESSION_MILLISECONDS }),
		db.delete(operatorSessions).where(lte(operatorSessions.expiresAt, now)),
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

/** True the first time that the form comes. Atomic: of two at once one is the first. */
export async function takeForm(db: DrizzleD1Database, id: string, now: number): Promise<boolean> {
	const [, taken] = await db.batch([
		db.delete(operatorForms).where(lt(operatorForms.at, now - FORMS_KEPT)),
		db.insert(operatorForms).values({ id, at: now }).onConflictDoNothing().returning(),
	]);
	return taken.length > 0;
}
