/** `partner.payout_address_changed`: where earnings are paid was changed. Nobody can choose not to hear of it. Pure. */
import * as z from 'zod/mini';
import { isoTime } from '../../platform/time.ts';
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead, webhookEvent } from './event.ts';

const orNull = (description: string) => z.nullable(z.string()).check(z.describe(description));

export const PAYOUT_ADDRESS_CHANGED = 'partner.payout_address_changed';

export const payoutAddressChanged = /* @__PURE__ */ webhookEvent({
	type: PAYOUT_ADDRESS_CHANGED,
	operationId: 'payoutAddressChanged',
	summary: 'Where your earnings are paid was changed',
	description:
		'Sent at each change, whatever events you chose. Nothing is paid to the new address before `usableAt`. If nobody of ' +
		'yours changed it, tell the operator before then.',
	data: /* @__PURE__ */ z.lazy(() =>
		z.object({
			asset: orNull('Asset id that earnings are paid in from now on.'),
			address: orNull('Where they are paid.'),
			previousAsset: orNull('The asset before; null where there was none.'),
			previousAddress: orNull('The address before; null where there was none.'),
			usableAt: z.iso.datetime().check(z.describe('Nothing is paid to the new address before this time, ISO 8601.')),
		}),
	),
	example: {
		id: 'c8a1b7de-52a4-4b7f-8a0c-6b1f3f0a9d27',
		data: {
			asset: 'LTC',
			address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
			previousAsset: null,
			previousAddress: null,
			usableAt: '2026-11-21T12:14:50.000Z',
		},
	},
});

/** `usableAt`: Unix milliseconds. */
type Changed = EventHead & Omit<z.input<typeof payoutAddressChanged.data>, 'usableAt'> & { readonly usableAt: number };

export const payoutAddressChangedEvent = ({ id, partnerId, now, usableAt, ...data }: Changed): NewWebhookEventRow =>
	dueEvent({ id, partnerId, now }, PAYOUT_ADDRESS_CHANGED, { ...data, usableAt: isoTime(usableAt) });
