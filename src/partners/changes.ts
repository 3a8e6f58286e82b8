/**
 * Writing a partner's record: the record and its line in the audit log are one batch, and the partner's gate is told
 * afterwards. A change is a compare-and-set on `updatedAt`, which always grows: of two changes at once the second is
 * refused instead of mixed with the first, and a delayed write finds that it is too late.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { writeAuditIf } from '../audit/log.ts';
import type { Statement } from '../platform/d1/batches.ts';
import type { Db } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import type { PartnerGateRpc, SwitchedCode } from '../ports/gates.ts';
import { type PartnerRow, partners } from './table.ts';

/** Tries at telling the gate. */
const GATE_TRIES = 3;

export type PartnerColumns = Partial<PartnerRow>;

export interface ChangeEntry {
	readonly command: string;
	readonly changes: unknown;
}

/**
 * The record as it now is; null when it was changed by another command since `before` was read. `also`: what is written in
 * the same batch, where the condition holds that the record is still the one of before.
 */
export async function changePartner(
	writer: { readonly db: Db; readonly now: number; readonly actor: string },
	before: PartnerRow,
	{
		columns,
		entry,
		also = () => [],
	}: {
		readonly columns: PartnerColumns;
		readonly entry: ChangeEntry;
		readonly also?: (isUnchanged: SQL) => readonly Statement[];
	},
): Promise<PartnerRow | null> {
	const { db, now } = writer;
	const unchanged = and(eq(partners.id, before.id), eq(partners.updatedAt, before.updatedAt));
	const isUnchanged = sql`exists (select 1 from ${partners} where ${unchanged})`;
	const results = await db.batch([
		writeAuditIf(writer, { ...entry, subject: before.id }, isUnchanged),
		...also(isUnchanged),
		db
			.update(partners)
			.set({ ...columns, updatedAt: Math.max(now, before.updatedAt + 1) })
			.where(unchanged)
			.returning(),
	]);
	return (results.at(-1) as PartnerRow[])[0] ?? null;
}

export interface GateOwner extends Regional {
	readonly PARTNER_GATE: DurableObjectNamespace<PartnerGateRpc>;
}

/** Makes a change take effect at once: the gate reads the record again. False when it could not be reached. */
export async function tellGate(env: GateOwner, partnerId: string, code?: SwitchedCode): Promise<boolean> {
	for (let tries = 0; tries < GATE_TRIES; tries++) {
		try {
			// A stub that has failed may stay broken, so each try asks for a new one.
			await objectNamed(env, env.PARTNER_GATE, partnerId).changed(partnerId, code);
			return true;
		} catch (error) {
			logError('gate_not_told', error, { partnerId, tries });
		}
	}
	return false;
}
