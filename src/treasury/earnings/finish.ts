/**
 * What follows when the network has taken a payout of a partner's earnings. Atomic: one batch makes it `sent`, names its
 * transaction, balances the books and makes `partner.paid_out` due. Done again it fails on the entries' key as a whole.
 */
import { eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { runBatch } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type PartnerRow, partners } from '../../partners/table.ts';
import { paidOutEvent } from '../../webhooks/events/partner-paid-out.ts';
import type { NewWebhookEventRow } from '../../webhooks/table.ts';
import { type PartnerPayoutRow, partnerPayouts, type TransactionRow } from '../table.ts';
import { sentStatement } from '../transactions/finish.ts';
import { bookStatements } from './statements.ts';

/** As `finishPayouts`. `done`: what the network has taken, of whatever kind. */
export async function finishEarnings(
	db: DrizzleD1Database,
	done: readonly TransactionRow[],
	now: number,
	firstLook: number,
): Promise<string[]> {
	const eventIds: string[] = [];
	for (const payout of done.filter(({ kind }) => kind === 'earnings')) {
		const booking = await bookingOf(db, payout, now);
		const sent = sentStatement(db, payout, now, firstLook);
		try {
			await runBatch(db, [sent, ...booking.statements]);
			eventIds.push(...booking.eventIds);
		} catch (error) {
			logError('earnings_payout_not_booked', error, { payoutId: payout.id });
		}
	}
	return eventIds;
}

/** What follows when earnings are paid, but for the payout's own row: `payout.txId` is what paid them. */
export async function bookingOf(db: DrizzleD1Database, payout: TransactionRow, now: number) {
	const event = await dueEvent(db, payout, now);
	const statements = bookStatements(db, { payoutId: payout.id, txId: payout.txId ?? '', event, now });
	return { statements, eventIds: event ? [event.id] : [] };
}

/** Null where the partner does not want it. */
async function dueEvent(db: DrizzleD1Database, { id, txId }: TransactionRow, now: number) {
	const [plan] = await db.select().from(partnerPayouts).where(eq(partnerPayouts.id, id));
	const [partner] = plan ? await db.select().from(partners).where(eq(partners.id, plan.partnerId)) : [];
	return plan && partner && txId ? paidOutEventOf(partner, plan, txId, now) : null;
}

/** What the partner is told of a payout that is made by this transaction; null where he does not want to be told. */
export function paidOutEventOf(
	{ id: partnerId, webhookUrl, webhookEvents }: PartnerRow,
	{ id: payoutId, asset, network, amount, usdCents, address, orderCount }: PartnerPayoutRow,
	txId: string,
	now: number,
): NewWebhookEventRow | null {
	if (webhookUrl === null || !webhookEvents.includes('partner.paid_out')) return null;
	return paidOutEvent({
		id: crypto.randomUUID(),
		partnerId,
		payoutId,
		asset,
		network,
		amount: fromBaseUnits(BigInt(amount), assetOf(asset).decimals),
		usd: usdText(decimal(fromBaseUnits(BigInt(usdCents), 2))),
		address,
		txId,
		orderCount,
		now,
	});
}
