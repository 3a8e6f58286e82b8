/**
 * A partner's secrets: issued here, shown once, kept sealed (book: contract, "Rotation"). What is stored says when the
 * secret was issued, `<sealed>.<Unix milliseconds>`, and is sealed for that time: of two the later one counts, so that a
 * secret that was replaced does not come back with the row that had it (`gate/newest-secrets.ts`).
 */
import { writeAudit } from '../audit/log.ts';
import { hmacKey } from '../crypto/hmac.ts';
import { type KeyRing, type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { openSecret, sealSecret } from '../crypto/sealed.ts';
import { randomToken, sha256Hex } from '../crypto/tokens.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';
import type { IssuedSecrets, SealedSecrets } from '../ports/gates.ts';
import type { NamedKey } from './api-key.ts';
import type { GateOwner } from './changes.ts';
import type { Secret } from './gate/verdict.ts';
import { SECRET_NAMES, type SecretName } from './partner.ts';
import { findPartner, findScoped } from './store.ts';
import type { PartnerKeyRow, PartnerRow } from './table.ts';

export type KeyTerms = Pick<PartnerKeyRow, 'id' | 'kind' | 'addresses' | 'expiresAt'>;

export const SEALED_COLUMNS = {
	apiSecret: 'apiSecretSealed',
	webhookSecret: 'webhookSecretSealed',
} as const satisfies Record<SecretName, keyof PartnerRow>;

/**
 * The context that a sealed secret is bound to: moved to another partner or column, or to another time, it does not open.
 * `name`: a `SecretName`, or `nameOfScoped`.
 */
const contextOf = (partnerId: string, name: string, issuedAt: number): string =>
	`partner:${partnerId}:${name}:${issuedAt}`;

/** Zero where the text names none. Only what opens has shown that it is true. */
export const issuedAt = (stored: string): number => Number(/\.(\d{1,15})$/.exec(stored)?.[1] ?? 0);

/**
 * Far later than any clock of ours is wrong: made up, by somebody who has or had `SECRETS_KEY`, so that no secret that replaces
 * it would ever be later.
 */
export const isOfFuture = (stored: string): boolean => issuedAt(stored) > Date.now() + DAY_MILLISECONDS;

/** The columns of a secret that was issued then. */
export async function sealIssued(
	keys: KeyRing,
	{ partnerId, name, secret, at }: { partnerId: string; name: string; secret: string; at: number },
): Promise<string> {
	return `${await sealSecret(keys, secret, contextOf(partnerId, name, at))}.${at}`;
}

/** @throws when what is stored was not sealed under `keys` for this partner, name and time. */
export async function openIssued(
	keys: KeyRing,
	{ partnerId, name, stored }: { partnerId: string; name: string; stored: string },
): Promise<string> {
	return openSecret(keys, stored.slice(0, stored.lastIndexOf('.')), contextOf(partnerId, name, issuedAt(stored)));
}

/**
 * A new secret, and what of it is stored. It is later than the one that it replaces, whatever the clock says. `keys`:
 * `SECRETS_KEY`.
 */
export async function newSecret(keys: KeyRing, partnerId: string, name: string, replaced = '') {
	const secret = randomToken();
	const at = Math.max(Date.now(), isOfFuture(replaced) ? 0 : issuedAt(replaced) + 1);
	return { secret, sealed: await sealIssued(keys, { partnerId, name, secret, at }) };
}

/** @throws as `openIssued` */
export async function openApiSecret(keys: KeyRing, { id, apiSecretSealed }: PartnerRow): Promise<string> {
	return openIssued(keys, { partnerId: id, name: 'apiSecret', stored: apiSecretSealed });
}

/** All that a scoped key may do: its secret opens for a row that says the same, and for no other. */
export const nameOfScoped = ({ id, kind, addresses, expiresAt }: KeyTerms): string =>
	JSON.stringify(['key', id, kind, addresses, expiresAt]);

/** @throws as `openIssued` */
export async function openScoped(keys: KeyRing, row: PartnerKeyRow): Promise<Secret> {
	const { partnerId, secretSealed: stored } = row;
	return { sealed: stored, key: await hmacKey(await openIssued(keys, { partnerId, name: nameOfScoped(row), stored })) };
}

/** As D1 has it now, ready to verify with; null for a partner or key that is not there. `keys`: `SECRETS_KEY`. */
export async function readApiSecret(db: Db, keys: KeyRing, { partnerId, keyId }: NamedKey): Promise<Secret | null> {
	if (keyId !== null) {
		const row = await findScoped(db, partnerId, keyId);
		return row && openScoped(keys, row);
	}
	const partner = await findPartner(db, partnerId);
	if (!partner) return null;
	return { sealed: partner.apiSecretSealed, key: await hmacKey(await openApiSecret(keys, partner)) };
}

/** Names this generation of both secrets, without telling anything of them. */
export const secretsVersion = ({ apiSecretSealed, webhookSecretSealed }: SealedSecrets): Promise<string> =>
	sha256Hex(`${apiSecretSealed} ${webhookSecretSealed}`);

/** A partner's secrets, for the partner to view in the cabinet (book: contract, "Partner credentials"). */
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
