/**
 * Scoped keys in D1: made, listed and revoked, with the audit line in the same batch. A key that is revoked ends in the
 * partner's gate first, where no database that is set back undoes it; its row is deleted then.
 */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { type Writer, writeAudit, writeAuditIf } from '../audit/log.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Db } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import type { Access } from '../ports/gates.ts';
import { newScopedApiKey } from './api-key.ts';
import { type GateOwner, tellGate } from './changes.ts';
import { nameOfScoped, newSecret } from './secrets.ts';
import { stillOpen } from './sign-in/access.ts';
import { findScoped } from './store.ts';
import { type PartnerKeyRow, partnerKeys } from './table.ts';

export const MAX_KEYS = 10;

/** The maker of a key chooses these. */
export type Chosen = Pick<PartnerKeyRow, 'kind' | 'label' | 'addresses' | 'expiresAt'>;

/** A key that has been made and is not stored yet. */
export interface NewScoped {
	readonly id: string;
	readonly apiKey: string;
	readonly secret: string;
	readonly sealed: string;
}

export async function newScoped(
	rings: { readonly apiKeys: KeyRing; readonly secrets: KeyRing },
	partnerId: string,
	chosen: Chosen,
): Promise<NewScoped> {
	const { id, apiKey } = await newScopedApiKey(rings.apiKeys, partnerId);
	return { id, apiKey, ...(await newSecret(rings.secrets, partnerId, nameOfScoped({ id, ...chosen }))) };
}

/**
 * Null where the partner has as many keys as a partner may have. Atomic: the insert counts them itself. The gate is told
 * afterwards; one that could not be told learns of the key within a minute.
 */
export async function insertScoped(
	env: GateOwner,
	writer: Writer,
	command: string,
	row: Omit<PartnerKeyRow, 'lastUsedAt'>,
): Promise<PartnerKeyRow | null> {
	const { id, partnerId, kind, label, addresses, expiresAt } = row;
	const hasRoom = sql`(select count(*) from ${partnerKeys} where ${eq(partnerKeys.partnerId, partnerId)}) < ${MAX_KEYS}`;
	const changes = { key: id, kind, label, addresses, expiresAt };
	const [, , found] = await writer.db.batch([
		writeAuditIf(writer, { command, subject: partnerId, changes }, hasRoom),
		writer.db.insert(partnerKeys).select(sql`
			select ${id}, ${partnerId}, ${kind}, ${label}, ${row.apiKey}, ${row.secretSealed}, ${JSON.stringify(addresses)},
				${expiresAt}, ${row.createdAt}, null
			where ${hasRoom}
		`),
		writer.db.select().from(partnerKeys).where(isRow(row)),
	]);
	if (found[0]) await tellGate(env, partnerId);
	return found[0] ?? null;
}

/** Newest first, without those that were revoked and that D1 has again. */
export async function listScoped(env: GateOwner, db: Db, partnerId: string): Promise<readonly PartnerKeyRow[]> {
	const ofPartner = db.select().from(partnerKeys).where(eq(partnerKeys.partnerId, partnerId));
	const rows = await ofPartner.orderBy(desc(partnerKeys.createdAt), sql`rowid desc`);
	return stillOpen((asked) => objectNamed(env, env.PARTNER_GATE, partnerId).hasEnded(asked), rows, accessOfScoped);
}

/** False where the partner has no such key. @throws where the gate or D1 does not answer; it may then be revoked already */
export async function revokeScoped(
	env: GateOwner,
	writer: Writer,
	command: string,
	{ partnerId, id }: Pick<PartnerKeyRow, 'partnerId' | 'id'>,
): Promise<boolean> {
	const row = await findScoped(writer.db, partnerId, id);
	if (!row) return false;
	await objectNamed(env, env.PARTNER_GATE, partnerId).endAccess({ one: accessOfScoped(row) });
	await writer.db.batch([
		writer.db.delete(partnerKeys).where(isRow(row)),
		writeAudit(writer, { command, subject: partnerId, changes: { key: id, kind: row.kind, label: row.label } }),
	]);
	return true;
}

export const accessOfScoped = ({ id, createdAt }: Pick<PartnerKeyRow, 'id' | 'createdAt'>): Access => ({
	kind: 'key',
	hash: id,
	createdAt,
});

export const isRow = ({ partnerId, id }: Pick<PartnerKeyRow, 'partnerId' | 'id'>): SQL | undefined =>
	and(eq(partnerKeys.partnerId, partnerId), eq(partnerKeys.id, id));

export const exists = (isOne: SQL | undefined): SQL => sql`exists (select 1 from ${partnerKeys} where ${isOne})`;
