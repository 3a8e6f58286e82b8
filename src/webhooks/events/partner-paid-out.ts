/** `partner.paid_out`: a payout of a partner's earnings was sent. It is about no order, so it has no sequence. Pure. */
import * as z from 'zod/mini';
import { decimalText } from '../../money/schema.ts';
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead, webhookEvent } from './event.ts';

const text = (description: string) => z.string().check(z.describe(description));

export const PARTNER_PAID_OUT = 'partner.paid_out';

export const partnerPaidOut = /* @__PURE__ */ webhookEvent({
	type: PARTNER_PAID_OUT,
	operationId: 'partnerPaidOut',
	summary: 'Your earnings were paid out',
	description: 'Sent when a payout of your earnings is broadcast.',
	data: /* @__PURE__ */ z.lazy(() =>
		z.object({
			payoutId: text('Id of the payout.'),
			asset: text('Asset id that was paid.'),
			network: text('Its network.'),
			amount: decimalText('What was sent.'),
			usd: decimalText('Its USD value, two decimal places.'),
			address: text('Where it went.'),
			txId: text('Transaction id.'),
			orderCount: z.int().check(z.minimum(1), z.describe('Orders whose earnings it pays.')),
		}),
	),
	example: {
		id: '0f6c2d0a-9f35-4f0e-b1d4-6a2f3b7f9c11',
		data: {
			payoutId: '4b3de8a5-93a7-4b5b-9f2f-fd9f0f7c6f21',
			asset: 'LTC',
			network: 'Litecoin',
			amount: '1.25',
			usd: '106.25',
			address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
			txId: '2c7a9e4f1b6d8c3a5e7f9b2d4c6a8e0f1d3b5a7c9e2f4d6b8a0c1e3f5d7b9a2c',
			orderCount: 7,
		},
	},
});

type PaidOut = EventHead & z.input<typeof partnerPaidOut.data>;

export const paidOutEvent = ({ id, partnerId, now, ...data }: PaidOut): NewWebhookEventRow =>
	dueEvent({ id, partnerId, now }, PARTNER_PAID_OUT, data);
