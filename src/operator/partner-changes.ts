/**
 * Writing partners: the record and its line in the audit log are one batch, and the partner's gate is told afterwards.
 * A change is a compare-and-set on `updatedAt`, which always grows: of two operators at once the second is refused
 * rather than mixed with the first.
 */
import { and, eq, sql } from 'drizzle-orm';
import { logError } from '../http/log.ts';
import { type PartnerRow, partners } from '../partners/table.ts';
import { writeAuditIf } from './audit.ts';
import { type Context, type Failure, fail } from './command.ts';

/** Tries at telling the gate. */
const GATE_TRIES = 3;

export type PartnerColumns = Partial<PartnerRow>;

/** The columns that would differ. What is undefined is not asked for. */
export function differences(before: PartnerRow, wanted: { readonly [name: string]: unknown }): PartnerColumns {
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(
		Object.entries(wanted).filter(
			([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(known[name]),
		),
	) as PartnerColumns;
}

/** `{ field: { from, to } }`, for the log. */
export function changesOf(before: PartnerRow, columns: PartnerColumns) {
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(Object.entries(columns).map(([name, to]) => [name, { from: known[name], to }]));
}

export async function changePartner(
	{ db, now }: Context,
	before: PartnerRow,
	columns: PartnerColumns,
	entry: { readonly command: string; readonly changes: unknown },
): Promise<PartnerRow | Failure> {
	const unchanged = and(eq(partners.id, before.id), eq(partners.updatedAt, before.updatedAt));
	const [, updated] = await db.batch([
		writeAuditIf(
			db,
			{ ...entry, at: now, subject: before.id },
			sql`exists (select 1 from ${partners} where ${unchanged})`,
		),
		db
			.update(partners)
			.set({ ...columns, updatedAt: Math.max(now, before.updatedAt + 1) })
			.where(unchanged)
			.returning(),
	]);
	return updated[0] ?? fail(409, `partner ${before.id} was changed by somebody else meanwhile; run the command again`);
}

/** Makes the change take effect at once: the gate reads the record anew. False when it could not be reached. */
export async function tellGate({ env }: Context, partnerId: string): Promise<boolean> {
	for (let tries = 0; tries < GATE_TRIES; tries++) {
		try {
			// A stub that has failed may stay broken, so each try asks for a new one.
			await env.PARTNER_GATE.getByName(partnerId).changed(partnerId);
			return true;
		} catch (error) {
			logError('gate_not_told', error, { partnerId, tries });
		}
	}
	return false;
}
