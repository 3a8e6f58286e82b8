/**
 * Seals partners' records again: their secrets, their payout address and their settings for order pages; and the secrets of
 * their scoped keys. A gate takes the newly sealed text for the same secret: its time is the same.
 */
import { and, asc, eq, gt, isNotNull, or, type SQL } from 'drizzle-orm';
import type { KeyNumbers } from '../crypto/key-ring.ts';
import { isOldSeal } from '../crypto/seals.ts';
import { payoutClaim } from '../orders/seal.ts';
import { changePartner, type PartnerColumns, tellGate } from '../partners/changes.ts';
import { orderPageClaim } from '../partners/order-page.ts';
import { SECRET_NAMES } from '../partners/partner.ts';
import { nameOfScoped, SEALED_COLUMNS } from '../partners/secrets.ts';
import { type PartnerRow, partnerKeys, partners } from '../partners/table.ts';
import { runInBatches } from '../platform/d1/batches.ts';
import type { Context } from './command.ts';
import { keeperOf, numbersOf } from './env.ts';
import { isOld, PAGE, type Page, rowCount } from './reseal-page.ts';

export const isOldPartner = (env: Context['env']): SQL | undefined => {
	const [secretsKeys, sealKeys] = [numbersOf(env, 'SECRETS_KEY'), numbersOf(env, 'SEAL_KEY')];
	return or(
		isOld(partners.apiSecretSealed, secretsKeys),
		isOld(partners.webhookSecretSealed, secretsKeys),
		and(isNotNull(partners.payoutSeal), isOld(partners.payoutSeal, sealKeys)),
		and(isNotNull(partners.orderPageSeal), isOld(partners.orderPageSeal, sealKeys)),
	);
};

export async function resealPartners(context: Context, after: string): Promise<Page> {
	const { db, env } = context;
	const isNext = and(gt(partners.id, after), isOldPartner(env));
	const rows = await db.select().from(partners).where(isNext).orderBy(asc(partners.id)).limit(PAGE);
	const secrets = await secretsAgain(context, rows);
	const broken: string[] = [];
	for (const partner of rows)
		if (!(await resealPartner(context, partner, secrets.get(partner.id) ?? null))) broken.push(partner.id);
	return { resealed: rows.length - broken.length, broken, last: rows.at(-1)?.id ?? null };
}

/** False where a secret does not open, a seal does not match, or the record was changed meanwhile. */
async function resealPartner(context: Context, partner: PartnerRow, secrets: Secrets | null): Promise<boolean> {
	const paid = secrets && (await withPayoutSeal(context, partner, secrets));
	const columns = paid && (await withPageSeal(context, partner, paid));
	if (!columns) return false;
	const changes = { resealed: Object.keys(columns) };
	const after = await changePartner(context, partner, { columns, entry: { command: 'keys reseal', changes } });
	return after !== null && (await tellGate(context.env, partner.id));
}

type Secrets = Readonly<Record<string, string>>;

/** By partner the columns of the secrets that an older key has sealed, sealed again; null where one does not open. */
async function secretsAgain({ env }: Context, rows: readonly PartnerRow[]): Promise<Map<string, Secrets | null>> {
	const keys = numbersOf(env, 'SECRETS_KEY');
	// A partner whose secret leaked gets a new one.
	const old = keys.leaked.length > 0 ? [] : rows.flatMap((partner) => oldSecrets(keys, partner));
	const sealed = old.length === 0 ? [] : await keeperOf(env).sealAgain(old);
	const columns = new Map<string, Secrets | null>(rows.map(({ id }) => [id, {}]));
	for (const [i, { partnerId, name }] of old.entries()) {
		const [before, again] = [columns.get(partnerId), sealed[i]];
		columns.set(partnerId, before && again ? { ...before, [SEALED_COLUMNS[name]]: again } : null);
	}
	return columns;
}

const oldSecrets = (keys: KeyNumbers, partner: PartnerRow) =>
	SECRET_NAMES.map((name) => ({ partnerId: partner.id, name, stored: partner[SEALED_COLUMNS[name]] })).filter(
		({ stored }) => isOldSeal(keys, stored),
	);

/** Null where the payout address's seal does not match. */
async function withPayoutSeal({ env }: Context, partner: PartnerRow, columns: Secrets): Promise<PartnerColumns | null> {
	const { payoutAsset: asset, payoutAddress: address, payoutAddressChangedAt: changedAt, payoutSeal } = partner;
	const sealKeys = env.askedKeys();
	if (payoutSeal === null || !isOldSeal(sealKeys, payoutSeal)) return columns;
	if (asset === null || address === null || changedAt === null) return null;
	const terms = { partnerId: partner.id, asset, address, changedAt };
	const again = await sealKeys.asker.resealed(payoutClaim(terms, payoutSeal));
	return again === null ? null : { ...columns, payoutSeal: again };
}

/** Null where the seal of the settings for order pages does not match. */
async function withPageSeal({ env }: Context, partner: PartnerRow, columns: PartnerColumns) {
	const sealKeys = env.askedKeys();
	if (partner.orderPageSeal === null || !isOldSeal(sealKeys, partner.orderPageSeal)) return columns;
	const claim = orderPageClaim({ ...partner, partnerId: partner.id });
	const again = claim && (await sealKeys.asker.resealed(claim));
	return again === null ? null : { ...columns, orderPageSeal: again };
}

const isLeft = ({ env }: Context) => isOld(partnerKeys.secretSealed, numbersOf(env, 'SECRETS_KEY'));

export const countOldScoped = (context: Context): Promise<number> => rowCount(context.db, partnerKeys, isLeft(context));

/** A secret that leaked is not sealed again: its key is to be revoked. Atomic: each row is a compare-and-set on its secret. */
export async function resealScoped(context: Context, after: string): Promise<Page> {
	const { db, env } = context;
	const isNext = and(gt(partnerKeys.id, after), isLeft(context));
	const rows = await db.select().from(partnerKeys).where(isNext).orderBy(asc(partnerKeys.id)).limit(PAGE);
	const hasLeaked = numbersOf(env, 'SECRETS_KEY').leaked.length > 0;
	const secrets = rows.map((row) => ({ partnerId: row.partnerId, name: nameOfScoped(row), stored: row.secretSealed }));
	const sealed = hasLeaked || rows.length === 0 ? [] : await keeperOf(env).sealAgain(secrets);
	const changes = rows.flatMap(({ id, secretSealed }, i) => {
		const again = sealed[i];
		const isUnchanged = and(eq(partnerKeys.id, id), eq(partnerKeys.secretSealed, secretSealed));
		return again ? [db.update(partnerKeys).set({ secretSealed: again }).where(isUnchanged)] : [];
	});
	await runInBatches(db, changes);
	const broken = rows.filter((_, i) => !sealed[i]).map(({ partnerId, id }) => `key ${id} of partner ${partnerId}`);
	return { resealed: changes.length, broken, last: rows.at(-1)?.id ?? null };
}
