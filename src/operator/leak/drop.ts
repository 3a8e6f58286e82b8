/**
 * Drops after a leak what nobody can tell to be genuine and its owner can make again: passkeys with their sessions,
 * invitations, challenges, the seals of payout addresses and of webhook endpoints, callbacks of orders, the addresses that strays go to, free pay-in addresses. Safe to repeat: what the new key has sealed stays.
 *
 * Atomic: one batch drops the rows and writes the audit line; free addresses are one turn of each agent.
 */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { writeAudit } from '../../audit/log.ts';
import { cabinetChallenges, cabinetInvitations, cabinetPasskeys } from '../../partners/sign-in/table.ts';
import { partners, webhookEndpoints } from '../../partners/table.ts';
import { strays, unlistedTokens } from '../../treasury/strays/table.ts';
import type { Context } from '../command.ts';
import { resealFreeAddresses } from '../reseal-addresses.ts';
import { isOld } from '../reseal-page.ts';

export interface Dropped {
	readonly passkeys: number;
	readonly invitations: number;
	readonly payoutAddresses: number;
	readonly freeAddresses: number;
	readonly webhookEndpoints: number;
	/** Whose passkeys were dropped just now, or whose payout address has no seal: what they need next. */
	readonly partners: readonly { readonly partner: string; readonly name: string; readonly next: string }[];
}

const reseal = 'keys reseal --leaked';

export async function dropLeaked(context: Context): Promise<Dropped> {
	const { env, db, now } = context;
	const keys = env.askedKeys();
	const old = (column: SQLiteColumn): SQL => isOld(column, keys);
	const address = {
		id: partners.id,
		name: partners.name,
		asset: partners.payoutAsset,
		address: partners.payoutAddress,
	};
	const [hadAddress, hadPasskey] = await db.batch([
		db.select(address).from(partners).where(old(partners.payoutSeal)),
		db
			.selectDistinct({ id: partners.id, name: partners.name })
			.from(cabinetPasskeys)
			.innerJoin(partners, eq(partners.id, cabinetPasskeys.partnerId))
			.where(old(cabinetPasskeys.seal)),
	]);
	const changes = { payoutAddresses: hadAddress, passkeys: hadPasskey };
	const [endpoints, , passkeys, invitations] = await db.batch([
		...endpointStatements(db, old(webhookEndpoints.seal)),
		db.delete(cabinetPasskeys).where(old(cabinetPasskeys.seal)).returning({ partnerId: cabinetPasskeys.partnerId }),
		db
			.delete(cabinetInvitations)
			.where(old(cabinetInvitations.seal))
			.returning({ partnerId: cabinetInvitations.partnerId }),
		db.delete(cabinetChallenges).where(old(cabinetChallenges.seal)),
		db
			.update(partners)
			.set({ payoutSeal: null, payoutAddressChangedAt: now, updatedAt: sql`max(${now}, ${partners.updatedAt} + 1)` })
			.where(old(partners.payoutSeal)),
		// The partner sets again what payers are shown of them.
		db.update(partners).set({ orderPage: {}, orderPageSeal: null }).where(old(partners.orderPageSeal)),
		// The stray then goes to its order's refund address, or waits for a person again.
		db.update(strays).set({ toAddress: null, toSeal: null, dueAt: now }).where(old(strays.toSeal)),
		db.update(unlistedTokens).set({ toSeal: null, askedAt: null }).where(old(unlistedTokens.toSeal)),
		writeAudit(context, { command: reseal, subject: null, changes }),
	]);
	const freeAddresses = await dropFreeAddresses(context);
	return {
		passkeys: passkeys.length,
		invitations: invitations.length,
		freeAddresses,
		payoutAddresses: hadAddress.length,
		webhookEndpoints: endpoints.length,
		partners: [
			...hadPasskey.map(({ id, name }) => ({ partner: id, name, next: `partner invite ${id}` })),
			...(await partnersToAsk(context)),
		],
	};
}

/** The endpoint of a partner loses its seal, the callback of an order ends. */
const endpointStatements = (db: Context['db'], isOldSeal: SQL) =>
	[
		db
			.update(webhookEndpoints)
			.set({ seal: null })
			.where(and(isOldSeal, isNull(webhookEndpoints.orderId)))
			.returning({ id: webhookEndpoints.id }),
		db.delete(webhookEndpoints).where(and(isOldSeal, isNotNull(webhookEndpoints.orderId))),
	] as const;

/** Also those of an earlier run: who lost its answer is told again. */
async function partnersToAsk({ db }: Context): Promise<Dropped['partners']> {
	const named = { id: partners.id, name: partners.name };
	const [addresses, endpoints] = await db.batch([
		db
			.select({ ...named, asset: partners.payoutAsset, address: partners.payoutAddress })
			.from(partners)
			.where(and(isNotNull(partners.payoutAddress), isNull(partners.payoutSeal))),
		db
			.select({ ...named, url: webhookEndpoints.url })
			.from(webhookEndpoints)
			.innerJoin(partners, eq(partners.id, webhookEndpoints.partnerId))
			// Literal, for the partial index.
			.where(sql`${webhookEndpoints.orderId} is null and ${webhookEndpoints.seal} is null`),
	]);
	return [
		...addresses.map(({ id, name, asset, address }) => ({
			partner: id,
			name,
			next: `ask the partner, then partner update ${id} --payout-asset ${asset} --payout-address ${address}`,
		})),
		...endpoints.map(({ id, name, url }) => ({
			partner: id,
			name,
			next: `the partner sets the webhook URL ${url} again, in the cabinet or by webhooks/change`,
		})),
	];
}

async function dropFreeAddresses(context: Context): Promise<number> {
	let dropped = 0;
	for (let after: string | null = ''; after !== null; ) {
		const page = await resealFreeAddresses(context, after);
		dropped += page.resealed;
		after = page.last;
	}
	return dropped;
}
