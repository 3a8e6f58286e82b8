/**
 * Books a payout of a partner's earnings that the network has taken: stores the transaction's id, balances the books and
 * makes `partner.paid_out` due.
 */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { paidOutEvent } from '../../webhooks/events/partner-paid-out.ts';
import type { NewWebhookEventRow } from '../../webhooks/table.ts';
import type { Book } from '../transactions/context.ts';
import { bookStatements } from './statements.ts';
import { payoutWithPartner } from './store.ts';
import type { PartnerPayoutRow } from './table.ts';

/** A payout that is booked already fails on the key of its entries, which is logged. */
export const bookEarnings: Book = (db, rows, now) =>
	Promise.all(
		rows.map(async ({ id, txId }) => {
			const found = await payoutWithPartner(db, id);
			const event = found && txId ? paidOutEventOf(found.partner, found.plan, txId, now) : null;
			const statements = bookStatements(db, { payoutId: id, txId: txId ?? '', event, now });
			return { statements, eventIds: event ? [event.id] : [] };
		}),
	);

/** The event of a payout that this transaction makes. */
export function paidOutEventOf(
	{ id: partnerId }: PartnerRow,
	{ id: payoutId, asset, network, amount, usdCents, address, orderCount }: PartnerPayoutRow,
	txId: string,
	now: number,
): NewWebhookEventRow {
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
