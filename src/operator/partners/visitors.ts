/**
 * Visitors of the public sandbox (`partners/visitors.ts`): a partner that a stranger made, what happens to its orders, and
 * its end. Nothing of it is in the audit log but the end: a stranger must not fill what is never deleted.
 */
import { and, eq, isNull, lt, sql } from 'drizzle-orm';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
import { sandboxVisitors } from '../../chains/configuration.ts';
import { orders } from '../../orders/table.ts';
import { codeTotals, partnerKeys, partners, referenceCodes, visitors } from '../../partners/table.ts';
import { DEPOSITS_PER_ORDER, VISIT_MILLISECONDS, VISITS_PER_NETWORK } from '../../partners/visitors.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Played, SandboxEvent, Visit } from '../../ports/operator.ts';
import { type Context, isFailure } from '../command.ts';
import { confirmDeposit, dropDeposit, newDeposit, sendDeposits } from '../commands/sandbox.ts';
import { newCredentials } from './credentials.ts';
import { applyUpdate } from './update.ts';

/** Some calls a second for somebody who tries things out, and a create now and then. */
const WEIGHT_PER_MINUTE = 300;
const MAX_CODES = 3;
/** In one minute. */
const ENDED_AT_ONCE = 20;

/** As `Sandbox.openVisit`. Atomic: of those who come at once, no more get in than may. */
export async function openVisit({ env, db, now }: Context, network: string): Promise<Visit | null> {
	const perDay = sandboxVisitors(env);
	if (perDay === 0) return null;
	const { sealed, secrets } = await newCredentials(env);
	const { id, apiKey } = sealed;
	const today = sql`select count(*) from ${visitors} where ${visitors.beganAt} > ${now - DAY_MILLISECONDS}`;
	const limits = { weightPerMinute: WEIGHT_PER_MINUTE, maxRefCodes: MAX_CODES };
	const partner = { ...sealed, name: `Visitor ${id.slice(0, 8)}`, ...limits, createdAt: now, updatedAt: now };
	const visit = sql`select ${id}, ${network}, ${now}, null where (${today}) < ${perDay} and (${today} and ${visitors.network} = ${network}) < ${VISITS_PER_NETWORK}`;
	const [, , turnedAway] = await db.batch([
		db.insert(partners).values(partner),
		db.insert(visitors).select(visit),
		db
			.delete(partners)
			.where(and(eq(partners.id, id), sql`not exists (select 1 from ${visitors} where ${visitors.partnerId} = ${id})`))
			.returning({ id: partners.id }),
	]);
	return turnedAway.length > 0 ? null : { apiKey, ...secrets };
}

/** As `Sandbox.playSandbox`. */
export async function playSandbox(context: Context, partnerId: string, event: SandboxEvent): Promise<Played> {
	const { env, db } = context;
	if (sandboxVisitors(env) === 0) return { isFound: false };
	const isTheirs = and(eq(orders.id, event.id), eq(orders.partnerId, partnerId));
	const [order] = await db.select().from(orders).where(isTheirs);
	if (!order) return { isFound: false };
	if (event.event === 'confirmed')
		return (await confirmDeposit(context, order)) > 0 ? NO_DEPOSIT : { problem: 'the order has no deposit' };
	if (event.event === 'dropped')
		return (await dropDeposit(context, order)) > 0
			? NO_DEPOSIT
			: { problem: 'the order has no deposit that is not final' };
	const there = await objectNamed(env, env.SANDBOX_LEDGER, order.fromNetwork).count(order.payInAddress);
	if (there >= DEPOSITS_PER_ORDER) return { problem: `the order has ${there} deposits, and may have no more here` };
	const { amount, confirmations = FINAL_CONFIRMATIONS } = event;
	const deposit = await newDeposit(context, order, { amount, asset: undefined, confirmations });
	if (isFailure(deposit)) return { problem: deposit.error };
	await sendDeposits(context, [deposit]);
	return { isFound: true, txId: deposit.txId };
}

const NO_DEPOSIT: Played = { isFound: true, txId: null };

/**
 * Ends visits that are over: the key is refused from then on. A partner without orders is deleted; orders end, and are
 * archived, like all others. A run that breaks off is done again by the next one.
 */
export async function endVisits(context: Context): Promise<void> {
	const { db, now } = context;
	const isOver = and(isNull(visitors.endedAt), lt(visitors.beganAt, now - VISIT_MILLISECONDS));
	const over = await db.select({ id: visitors.partnerId }).from(visitors).where(isOver).limit(ENDED_AT_ONCE);
	for (const { id } of over) {
		const ended = await applyUpdate(context, { id, enabled: false }, 'visit end');
		if (isFailure(ended)) logError('watchdog_failed', ended.error, { part: 'visits' });
		else await forget(context, id);
	}
}

async function forget({ db, now }: Context, id: string): Promise<void> {
	const without = (column: Parameters<typeof eq>[0]) =>
		and(eq(column, id), sql`not exists (select 1 from ${orders} where ${orders.partnerId} = ${id})`);
	await db.batch([
		db.update(visitors).set({ endedAt: now, network: '' }).where(eq(visitors.partnerId, id)),
		db.delete(partnerKeys).where(without(partnerKeys.partnerId)),
		db.delete(referenceCodes).where(without(referenceCodes.partnerId)),
		db.delete(codeTotals).where(without(codeTotals.partnerId)),
		db.delete(visitors).where(without(visitors.partnerId)),
		db.delete(partners).where(without(partners.id)),
	]);
}
