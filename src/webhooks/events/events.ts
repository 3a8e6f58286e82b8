/** Every event: one file each, and one name here. Pure data. */
import { ORDER_SETTLED } from './order-settled.ts';
import { ORDER_STATUS_CHANGED, orderStatusChanged } from './order-status-changed.ts';
import { PARTNER_ATTENTION, partnerAttention } from './partner-attention.ts';
import { PARTNER_PAID_OUT, partnerPaidOut } from './partner-paid-out.ts';
import { PAYOUT_ADDRESS_CHANGED, payoutAddressChanged } from './payout-address-changed.ts';
import { WEBHOOK_TEST, webhookTest } from './webhook-test.ts';

/** As the document describes them. */
export const EVENTS = [
	orderStatusChanged,
	partnerPaidOut,
	partnerAttention,
	payoutAddressChanged,
	webhookTest,
] as const;

/** Those that partners can subscribe to. */
export const EVENT_TYPES = [ORDER_STATUS_CHANGED, PARTNER_PAID_OUT, PARTNER_ATTENTION] as const;

/** Those that are sent whatever types a partner chose: one they asked for, one that they must know, and the hedger's. */
const ALWAYS: readonly string[] = [PAYOUT_ADDRESS_CHANGED, WEBHOOK_TEST, ORDER_SETTLED];

/** Does a partner who chose these types get this one? */
export const isWantedType = (chosen: readonly string[], type: string): boolean =>
	chosen.includes(type) || ALWAYS.includes(type);
