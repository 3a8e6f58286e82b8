/**
 * Finishes a payout of a partner's earnings that the network has taken. Atomic: one batch stores `sent` and the
 * transaction's id, balances the books and makes `partner.paid_out` due.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { paidOutEvent } from '../../webhooks/events/partner-paid-out.ts';
import type { NewWebhookEventRow } from '../../webhooks/table.ts';
import type { TransactionRow } from '../table.ts';
import type { RecordSent } from '../transactions/context.ts';
import { storeSent } from '../transactions/store.ts';
import { bookStatements } from './statements.ts';
import { payoutWithPartner } from './store.ts';
import type { PartnerPayoutRow } from './table.ts';

/** As `Effects.recordSent`. A payout that is booked already fails on the key of its entries, which is logged. */
export const recordEarningsSent: RecordSent = async (db, taken, now, firstPoll) => {
	const eventIds: string[] = [];
	for (const row of taken) {
		const booked = await bookEarnings(db, row, now);
		try {
			await runBatch(db, [storeSent(db, row, now, firstPoll), ...booked.statements]);
			eventIds.push(...booked.eventIds);
		} catch (error) {
			logError('earnings_payout_not_booked', error, { payoutId: row.id });
		}
	}
	return eventIds;
};

/** As `Effects.booked`: `row.txId` is what paid. */
export async function bookEarnings(db: DrizzleD1Database, { id, txId }: TransactionRow, now: number) {
	const found = await payoutWithPartner(db, id);
	const event = found && txId ? paidOutEventOf(found.partner, found.plan, txId, now) : null;
	const statements = bookStatements(db, { payoutId: id, txId: txId ?? '', event, now });
	return { statements, eventIds: event ? [event.id] : [] };
}

/** The event of a payout that this transaction makes; null where the partner does not want it. */
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
		usd: usdOfCents(usdCents),
		address,
		txId,
		orderCount,
		now,
	});
}
