/** The forms that were sent, as the console keeps them in D1. */
import { lt } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { operatorForms } from './table.ts';

const FORMS_KEPT_MILLISECONDS = DAY_MILLISECONDS;

/** True the first time that the form comes. Atomic: of two at once one is the first. */
export async function takeForm(db: DrizzleD1Database, id: string, now: number): Promise<boolean> {
	const [, taken] = await db.batch([
		db.delete(operatorForms).where(lt(operatorForms.at, now - FORMS_KEPT_MILLISECONDS)),
		db.insert(operatorForms).values({ id, at: now }).onConflictDoNothing().returning(),
	]);
	return taken.length > 0;
}
