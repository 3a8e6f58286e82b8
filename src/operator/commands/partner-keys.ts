/** `partner make-key`, `partner keys` and `partner revoke-key`: a partner's scoped keys. */
import { insertScoped, listScoped, MAX_KEYS, revokeScoped } from '../../partners/scoped.ts';
import { findPartner } from '../../partners/store.ts';
import type { PartnerKeyRow } from '../../partners/table.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { fail, type RunOf } from '../command.ts';
import { keeperOf, numbersOf } from '../env.ts';
import { noSuchPartner } from '../partners/update.ts';
import type { partner as topic } from '../topics/partner.ts';

const keyRecord = (row: PartnerKeyRow) => ({
	...pick(row, 'id', 'kind', 'label', 'apiKey', 'addresses'),
	...isoTimesOf(row, 'createdAt', 'lastUsedAt', 'expiresAt'),
});

export const makeKey: RunOf<typeof topic, 'make-key'> = async (context, { id: partnerId, days, ...given }) => {
	const { env, db, now } = context;
	if (!(await findPartner(db, partnerId))) return noSuchPartner(partnerId);
	for (const key of ['API_KEY_KEY', 'SECRETS_KEY'] as const) numbersOf(env, key);
	const chosen = { ...given, expiresAt: days === undefined ? null : now + days * DAY_MILLISECONDS };
	const { id, apiKey, secret, sealed } = await keeperOf(env).newScoped(partnerId, chosen);
	const row = { ...chosen, id, partnerId, apiKey, secretSealed: sealed, createdAt: now };
	const made = await insertScoped(env, context, 'partner make-key', row);
	if (!made) return fail(409, `partner ${partnerId} has ${MAX_KEYS} scoped keys, which is the most; revoke one first`);
	return { ...keyRecord(made), apiSecret: secret };
};

export const showKeys: RunOf<typeof topic, 'keys'> = async ({ env, db }, { id }) => {
	if (!(await findPartner(db, id))) return noSuchPartner(id);
	return (await listScoped(env, db, id)).map(keyRecord);
};

export const revokeKey: RunOf<typeof topic, 'revoke-key'> = async (context, { id: partnerId, key: id }) => {
	const isRevoked = await revokeScoped(context.env, context, 'partner revoke-key', { partnerId, id });
	return isRevoked ? { id, revoked: true } : fail(404, `partner ${partnerId} has no key ${id}`);
};
