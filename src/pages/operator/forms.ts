/**
 * Forms of the console. A form counts only if a page of this service sent it (its origin), in this session (its key), and
 * once (its id): a form that is sent again, by a reload or a second click, changes nothing.
 */
import { lt } from 'drizzle-orm';
import { sameDigest } from '../../crypto/tokens.ts';
import type { Db } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { ConsoleContext } from './asking.ts';
import { operatorForms } from './table.ts';

/** Far more than any command's form has. */
const MOST_BYTES = 64 * 1024;

export type Form = URLSearchParams;

/** Null for a body that is no form of ours. */
export async function readForm(c: ConsoleContext): Promise<Form | null> {
	const type = c.req.header('content-type') ?? '';
	if (!type.startsWith('application/x-www-form-urlencoded')) return null;
	if (Number(c.req.header('content-length') ?? 0) > MOST_BYTES) return null;
	const text = await c.req.text();
	return text.length > MOST_BYTES ? null : new URLSearchParams(text);
}

export const textOf = (form: Form, name: string): string => form.get(name) ?? '';

/** Browsers say with every form where it stands. */
export const isFromHere = (c: ConsoleContext): boolean => c.req.header('origin') === new URL(c.req.url).origin;

/** Is it from this service's page and of this session? */
export const isOwnForm = (c: ConsoleContext, form: Form): boolean =>
	isFromHere(c) && sameDigest(textOf(form, '_key'), c.var.operator.formKey);

const FORMS_KEPT_MILLISECONDS = DAY_MILLISECONDS;

/** True the first time that the form comes. Atomic: of two at once one is the first. */
export async function takeForm(db: Db, id: string, now: number): Promise<boolean> {
	const [, taken] = await db.batch([
		db.delete(operatorForms).where(lt(operatorForms.at, now - FORMS_KEPT_MILLISECONDS)),
		db.insert(operatorForms).values({ id, at: now }).onConflictDoNothing().returning(),
	]);
	return taken.length > 0;
}
