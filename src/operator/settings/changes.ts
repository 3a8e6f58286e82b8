/**
 * Writes what the operator sets. Atomic: the row, its line in the audit log and the revision of all settings are one
 * batch. The rate book is notified afterwards. A change is a compare-and-set on the revision: of two changes at once
 * the second is refused, so that they do not mix.
 */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { writeAuditIf } from '../../audit/log.ts';
import type { Settings } from '../../catalog/settings.ts';
import { loadSettings } from '../../catalog/store.ts';
import { site } from '../../catalog/table.ts';
import { offeredAssets } from '../../chains/configuration.ts';
import { type Decided, type Fields, looserFields, ruledFields } from '../../decisions/rules.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { RateBookRpc } from '../../ports/rate-book.ts';
import { type Context, type Failure, fail } from '../command.ts';

/** How often the rate book is called before the command fails. */
const NOTIFY_TRIES = 3;

/** As they are in D1 now, because a snapshot may be seconds old. */
export const currentSettings = ({ env }: Context): Promise<Settings> => loadSettings(env.DB, offeredAssets(env));

type Differences = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** The record with the wanted fields, and the fields that differ. A field that is undefined stays as it is. */
export function changed<Fields extends object>(
	before: Fields,
	wanted: { readonly [Name in keyof Fields]?: Fields[Name] | undefined },
): { readonly after: Fields; readonly changes: Differences } {
	const known: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(before));
	const differing = Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== known[name]);
	const changes = Object.fromEntries(differing.map(([name, to]) => [name, { from: known[name], to }]));
	return { after: { ...before, ...Object.fromEntries(differing) }, changes };
}

interface SettingsChange {
	/** The row, and the values that the person has named, also where they are so already. */
	readonly of: Omit<Decided, 'fields'> & { readonly named: Readonly<Record<string, unknown>> };
	readonly changes: Differences;
	/** The write; where the condition is false it changes nothing. */
	readonly write: (condition: SQL) => BatchItem<'sqlite'>;
}

/** Null when the change is made and applies. `revision`: that of the settings that `changes` was computed from. */
export async function changeSettings(
	context: Context,
	{ revision }: Settings,
	{ of: { table, name, named }, changes, write }: SettingsChange,
): Promise<Failure | null> {
	const { db } = context;
	const entry = { command: `${table} update`, subject: table === 'site' ? null : name, changes };
	const decided: Decided = { table, name, fields: ruledFields(table, named) };
	const looser = { ...decided, fields: loosened(decided, changes) };
	if (Object.keys(looser.fields).length > 0 && !(await told(context, (book) => book.decide(looser))))
		return fail(503, 'nothing was changed: the rate book, which remembers what you decide, does not answer');
	if (Object.keys(changes).length > 0) {
		const unchanged = sql`exists (select 1 from ${site} where ${site.revision} = ${revision})`;
		const next = { revision: revision + 1 };
		const [, , moved] = await db.batch([
			writeAuditIf(context, entry, unchanged),
			write(unchanged),
			db.update(site).set(next).where(eq(site.revision, revision)).returning({ revision: site.revision }),
		]);
		if (moved.length === 0) {
			await told(context, (book) => book.decide({ ...decided, fields: asBefore(looser.fields, changes) }));
			return fail(409, 'the settings were changed by somebody else meanwhile; run the command again');
		}
	}
	// Also where nothing differs: running the command again notifies a rate book that missed a change.
	if (await told(context, (book) => book.changed(decided))) return null;
	return fail(503, 'the change is stored, but does not apply at once everywhere; run the command again');
}

/** The named fields whose new value is looser than what D1 has. */
const loosened = ({ table, name, fields }: Decided, changes: Differences): Fields => {
	const before = { table, name, fields: asBefore(fields, changes) };
	const looser = looserFields(before, { ...before.fields, ...fields });
	return Object.fromEntries(Object.entries(fields).filter(([field]) => field in looser));
};

const asBefore = (fields: Fields, changes: Differences): Fields =>
	Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [
			name,
			name in changes ? (changes[name]?.from as typeof value) : value,
		]),
	);

/** False when the rate book cannot be reached. Repeating any of its calls changes nothing. */
export async function told(
	{ env }: Context,
	call: (book: DurableObjectStub<RateBookRpc>) => Promise<unknown>,
): Promise<boolean> {
	for (let tries = 0; tries < NOTIFY_TRIES; tries++) {
		try {
			// A stub that has failed may stay broken, so each try gets a new one.
			await call(objectNamed(env, env.RATE_BOOK, 'book'));
			return true;
		} catch (error) {
			logError('rate_book_not_told', error, { tries });
		}
	}
	return false;
}
