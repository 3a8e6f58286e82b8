/** Partners in D1, through Drizzle. */
import { eq } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { type PartnerRow, partners, referenceCodes } from './table.ts';

export interface GateRecord {
	readonly partner: PartnerRow;
	readonly codes: ReadonlyMap<string, { readonly afftaxBps: number; readonly enabled: boolean }>;
}

/** What the gate decides by: the partner and all its codes; null for an id that has no row. */
export async function loadGateRecord(database: D1Database, partnerId: string): Promise<GateRecord | null> {
	const db = drizzle(database);
	const [rows, codes] = await db.batch([
		db.select().from(partners).where(eq(partners.id, partnerId)),
		db
			.select({ code: referenceCodes.code, afftaxBps: referenceCodes.afftaxBps, enabled: referenceCodes.enabled })
			.from(referenceCodes)
			.where(eq(referenceCodes.partnerId, partnerId)),
	]);
	const partner = rows[0];
	return partner ? { partner, codes: new Map(codes.map((code) => [code.code, code])) } : null;
}

export async function findPartner(db: DrizzleD1Database, id: string): Promise<PartnerRow | null> {
	return (await db.select().from(partners).where(eq(partners.id, id)))[0] ?? null;
}
