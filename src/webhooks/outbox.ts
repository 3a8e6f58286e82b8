/**
 * What a webhook says (decisions.md "Webhooks"). Pure: a change makes its row here and writes it in its own batch. The
 * body is serialised once; that string is what is stored, signed and posted at every attempt.
 */
import type { OrderView } from '../orders/view.ts';
import type { EventType } from '../partners/partner.ts';
import type { NewWebhookEventRow } from './table.ts';

interface StatusChange {
	/** The event's own id, new for each event. */
	readonly id: string;
	readonly partnerId: string;
	readonly orderId: string;
	/** Counts from 1 per order: tells the receiver which of two events is newer. */
	readonly sequence: number;
	readonly previousStatus: OrderView['status'];
	/** After the change. */
	readonly order: OrderView;
	/** Unix milliseconds. */
	readonly now: number;
}

/** `order.status_changed`: one per status change. */
export function statusChangedEvent(change: StatusChange): NewWebhookEventRow {
	const { orderId, sequence, order, previousStatus } = change;
	return { ...dueEvent(change, 'order.status_changed', { order, previousStatus, sequence }), orderId, sequence };
}

interface PaidOut {
	readonly id: string;
	readonly partnerId: string;
	readonly payoutId: string;
	readonly asset: string;
	readonly network: string;
	/** Coins and US dollars, as text. */
	readonly amount: string;
	readonly usd: string;
	readonly address: string;
	readonly txId: string;
	/** Orders whose earnings it pays. */
	readonly orderCount: number;
	/** Unix milliseconds. */
	readonly now: number;
}

/** `partner.paid_out`: about no order, so it has no sequence. */
export function paidOutEvent(paid: PaidOut): NewWebhookEventRow {
	const { payoutId, asset, network, amount, usd, address, txId, orderCount } = paid;
	return dueEvent(paid, 'partner.paid_out', { payoutId, asset, network, amount, usd, address, txId, orderCount });
}

function dueEvent(
	{ id, partnerId, now }: { readonly id: string; readonly partnerId: string; readonly now: number },
	type: EventType,
	data: Readonly<Record<string, unknown>>,
): NewWebhookEventRow {
	const createdAt = new Date(now).toISOString();
	const body = JSON.stringify({ id, type, createdAt, apiVersion: 'v1', data });
	return { id, partnerId, type, body, state: 'due', nextAttemptAt: now, createdAt: now };
}
