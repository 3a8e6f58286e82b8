/** `order.status_changed`: one per status change of an order. Pure. */
import * as z from 'zod/mini';
import { EXAMPLE_DONE_ORDER } from '../../orders/example.ts';
import { orderSchema } from '../../orders/schema.ts';
import { ORDER_STATUSES } from '../../orders/status.ts';
import type { OrderView } from '../../orders/view.ts';
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead, webhookEvent } from './event.ts';

export const ORDER_STATUS_CHANGED = 'order.status_changed';

export const orderStatusChanged = /* @__PURE__ */ webhookEvent({
	type: ORDER_STATUS_CHANGED,
	operationId: 'orderStatusChanged',
	summary: 'An order’s status changed',
	description:
		'One webhook per status change, the operator-finalised EXPIRED of an EMERGENCY order included; none for ' +
		'deleted orders. Attempts of different events can overtake each other: `sequence` says which is newest.',
	data: /* @__PURE__ */ z.lazy(() =>
		z.object({
			order: orderSchema,
			previousStatus: z.enum(ORDER_STATUSES).check(z.describe('The status before.')),
			sequence: z.int().check(z.minimum(1), z.describe('Counts from 1 per order; the highest is the newest.')),
		}),
	),
	example: {
		id: '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95',
		data: { order: EXAMPLE_DONE_ORDER, previousStatus: 'EXCHANGE', sequence: 3 },
	},
});

interface StatusChange extends EventHead {
	readonly orderId: string;
	/** Counts from 1 per order: tells the receiver which of two events is newer. */
	readonly sequence: number;
	readonly previousStatus: OrderView['status'];
	/** After the change. */
	readonly order: OrderView;
}

export function statusChangedEvent(change: StatusChange): NewWebhookEventRow {
	const { orderId, sequence, order, previousStatus } = change;
	return { ...dueEvent(change, ORDER_STATUS_CHANGED, { order, previousStatus, sequence }), orderId, sequence };
}
