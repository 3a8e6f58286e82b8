/** `partner.attention`: something began to wait for the partner. Pure. */
import * as z from 'zod/mini';
import type { AttentionReason, PartnerWait } from '../../ports/desk.ts';
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead, webhookEvent } from './event.ts';

export const PARTNER_ATTENTION = 'partner.attention';

const ATTENTION_REASONS = [
	'order_undecided',
	'refund_asked',
	'endpoint_failing',
	'payout_waits',
	'key_expires',
] as const satisfies readonly AttentionReason[];

const idOrNull = (description: string) => z.nullable(z.string()).check(z.describe(description));

export const partnerAttention = /* @__PURE__ */ webhookEvent({
	type: PARTNER_ATTENTION,
	operationId: 'partnerAttention',
	summary: 'Something waits for you',
	description:
		'Sent once for each thing that begins to wait for you, within a minute or two; for an endpoint that fails, at most ' +
		'once a day (UTC). The cabinet’s overview lists the same things while they wait.',
	data: /* @__PURE__ */ z.lazy(() =>
		z.object({
			reason: z
				.enum(ATTENTION_REASONS)
				.check(
					z.describe(
						'`order_undecided`: an order in EMERGENCY waits for your decision. `refund_asked`: its payer asked for a ' +
							'refund. `endpoint_failing`: an endpoint of yours failed three times in a row, or for the last time. ' +
							'`payout_waits`: your automatic payout cannot be made. `key_expires`: a scoped key ends within seven days.',
					),
				),
			orderId: idOrNull('The order, where it is about one.'),
			endpointId: idOrNull('The webhook endpoint, where it is about one.'),
			keyId: idOrNull('The scoped key, where it is about one.'),
			since: z.iso.datetime().check(z.describe('Since when it waits, ISO 8601. Of a key: seven days before its end.')),
		}),
	),
	example: {
		id: '3c1f7be2-60a4-8d15-9b7e-2f4a6c8e0d13',
		data: {
			reason: 'order_undecided',
			orderId: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
			endpointId: null,
			keyId: null,
			since: '2026-11-20T12:14:10.000Z',
		},
	},
});

export function attentionEvent(
	head: EventHead,
	{ reason, subject, since }: Omit<PartnerWait, 'partnerId'>,
): NewWebhookEventRow {
	const isOfOrder = reason === 'order_undecided' || reason === 'refund_asked';
	const data = {
		reason,
		orderId: isOfOrder ? subject : null,
		endpointId: reason === 'endpoint_failing' ? subject : null,
		keyId: reason === 'key_expires' ? subject : null,
		since: new Date(since).toISOString(),
	};
	return { ...dueEvent(head, PARTNER_ATTENTION, data), orderId: data.orderId };
}
