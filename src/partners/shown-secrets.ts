/** A partner's secrets, for the partner to view in the cabinet (book: contract, "Partner credentials"). */
import { drizzle } from 'drizzle-orm/d1';
import { writeAudit } from '../audit/log.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { openSecrets } from './secrets.ts';
import { findPartner } from './store.ts';

export interface ShownSecrets {
	readonly apiSecret: string;
	readonly webhookSecret: string;
}

/**
 * The row in the audit log is written before a
 * secret is opened: nothing is shown that the log does not have. Null where there is no such partner. `keys`: `SECRETS_KEY`. @throws what D1 throws
 */
export async function showSecrets(
	database: D1Database,
	keys: KeyRing,
	partnerId: string,
	now: number,
): Promise<ShownSecrets | null> {
	const db = drizzle(database);
	const partner = await findPartner(db, partnerId);
	if (!partner) return null;
	await writeAudit({ db, now, actor: 'partner' }, { command: 'cabinet secrets', subject: partnerId, changes: {} });
	return openSecrets(keys, partner);
}
