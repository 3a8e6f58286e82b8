/** The console's sessions by token, in D1. Each function is one statement or one batch. */
import { and, eq, gt, lte } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { HOUR_MILLISECONDS } from '../platform/time.ts';
import { operatorSessions } from './table.ts';

export const SESSION_MILLISECONDS = 12 * HOUR_MILLISECONDS;

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
