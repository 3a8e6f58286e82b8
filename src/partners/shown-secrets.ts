/** A partner's secrets, for the partner to view in the cabinet (book: contract, "Partner credentials"). */
import { writeAudit } from '../audit/log.ts';
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import type { IssuedSecrets } from '../ports/gates.ts';
import type { GateOwner } from './changes.ts';
import { SECRET_NAMES } from './partner.ts';
import { openIssued, SEALED_COLUMNS } from './secrets.ts';

export type ShownSecrets = Required<IssuedSecrets>;

/**
 * Those that the gate admits by, whatever a row says. The row in the audit log is written before a secret is opened: nothing
 * is shown that the log does not have. Null where there is no such partner. @throws what D1 throws
 */
export async function showSecrets(
	env: GateOwner & KeyVariables & { readonly DB: D1Database },
	partnerId: string,
	now: number,
): Promise<ShownSecrets | null> {
	const sealed = await objectNamed(env, env.PARTNER_GATE, partnerId).secrets(partnerId);
	if (!sealed) return null;
	const writer = { db: databaseOf(env), now, actor: 'partner' };
	await writeAudit(writer, { command: 'cabinet secrets', subject: partnerId, changes: {} });
	const keys = keyRing(env, 'SECRETS_KEY');
	const [apiSecret = '', webhookSecret = ''] = await Promise.all(
		SECRET_NAMES.map((name) => openIssued(keys, { partnerId, name, stored: sealed[SEALED_COLUMNS[name]] })),
	);
	return { apiSecret, webhookSecret };
}
