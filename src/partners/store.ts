/** Partners and their reference codes in D1, through Drizzle. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import {
	type PartnerKeyRow,
	type PartnerRow,
	partnerKeys,
	partners,
	type ReferenceCodeRow,
	referenceCodes,
} from './table.ts';

/** Rows of one list (book: contract, "Limits"). */
const LIST_LIMIT = 100;
/** Tries at a write that may be repeated as it is. */
const MAX_TRIES = 3;

export interface GateRecord {
	readonly partner: PartnerRow;
	readonly codes: ReadonlyMap<string, { readonly afftaxBps: number; readonly enabled: boolean }>;
	readonly keys: readonly PartnerKeyRow[];
}

/** The record that the gate decides by: the partner, all its codes and scoped keys; null for an id that has no row. */
export async function loadGateRecord(database: D1Database, partnerId: string): Promise<GateRecord | null> {
	const db = databaseOf({ DB: database });
	const [rows, codes, keys] = await db.batch([
		db.select().from(partners).where(eq(partners.id, partnerId)),
		db
			.select({ code: referenceCodes.code, afftaxBps: referenceCodes.afftaxBps, enabled: referenceCodes.enabled })
			.from(referenceCodes)
			.where(eq(referenceCodes.partnerId, partnerId)),
		db.select().from(partnerKeys).where(eq(partnerKeys.partnerId, partnerId)),
	]);
	const partner = rows[0];
	return partner ? { partner, codes: new Map(codes.map((code) => [code.code, code])), keys } : null;
}

export async function findScoped(db: Db, partnerId: string, id: string): Promise<PartnerKeyRow | null> {
	const isOne = and(eq(partnerKeys.partnerId, partnerId), eq(partnerKeys.id, id));
	return (await db.select().from(partnerKeys).where(isOne))[0] ?? null;
}

export async function findPartner(db: Db, id: string): Promise<PartnerRow | null> {
	return (await db.select().from(partners).where(eq(partners.id, id)))[0] ?? null;
}

/**
 * Atomic: the insert counts enabled and disabled codes against the partner's cap itself, and the row read in the same
 * batch says what came of it. Repeatable, by the row's own id.
 */
export function insertCode(
	db: Db,
	code: Omit<ReferenceCodeRow, 'enabled'>,
): Promise<ReferenceCodeRow | 'code taken' | 'limit'> {
	const { id, partnerId, label, afftaxBps, createdAt } = code;
	const isOfPartner = eq(referenceCodes.partnerId, partnerId);
	const isCode = and(isOfPartner, eq(referenceCodes.code, code.code));
	return repeatedly(async () => {
		const [, [row]] = await db.batch([
			db
				.insert(referenceCodes)
				.select(sql`
					select ${id}, ${partnerId}, ${code.code}, ${label}, ${afftaxBps}, 1, ${createdAt}
					where (select count(*) from ${referenceCodes} where ${isOfPartner})
						< (select ${partners.maxRefCodes} from ${partners} where ${eq(partners.id, partnerId)})
				`)
				.onConflictDoNothing(),
			db.select().from(referenceCodes).where(isCode),
		]);
		if (!row) return 'limit';
		return row.id === id ? row : 'code taken';
	});
}

/** Enabled and disabled, newest first. */
export function newestCodes(db: Db, partnerId: string): Promise<ReferenceCodeRow[]> {
	return db
		.select()
		.from(referenceCodes)
		.where(eq(referenceCodes.partnerId, partnerId))
		.orderBy(desc(referenceCodes.createdAt), sql`rowid desc`)
		.limit(LIST_LIMIT);
}

/** The record as it now is; null when the partner has no such code. */
export function setCodeEnabled(db: Db, partnerId: string, code: string, enabled: boolean) {
	const isCode = and(eq(referenceCodes.partnerId, partnerId), eq(referenceCodes.code, code));
	return repeatedly(async () => {
		const [row] = await db.update(referenceCodes).set({ enabled }).where(isCode).returning();
		return row ?? null;
	});
}

/** D1's answer may be lost, and the write with it or not: the write is made again, which changes nothing twice. */
async function repeatedly<T>(write: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await write();
		} catch (error) {
			if (tries === MAX_TRIES) throw error;
			logError('code_answer_lost', error, { tries });
		}
	}
}
