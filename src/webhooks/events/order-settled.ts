/** `order.settled`: an order was settled, or its settlement taken back. The operator's hedger alone is told. Pure. */
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead } from './event.ts';

export const ORDER_SETTLED = 'order.settled';

/** It names no order of the partner's own, so no deletion of an order ends it. */
export const orderSettledEvent = (
	head: EventHead,
	trade: Readonly<Record<string, unknown>> & { readonly sequence: number },
): NewWebhookEventRow => ({ ...dueEvent(head, ORDER_SETTLED, trade), sequence: trade.sequence });
