/** Every event: one file each, and one name here. Pure data. */
import { orderStatusChanged } from './order-status-changed.ts';
import { partnerPaidOut } from './partner-paid-out.ts';
import { payoutAddressChanged } from './payout-address-changed.ts';
import { webhookTest } from './webhook-test.ts';

/** Those that partners can subscribe to. */
const CHOSEN = [orderStatusChanged, partnerPaidOut] as const;

/** Those that are sent whatever types a partner chose: one they asked for, and one that they must know. */
const ALWAYS = [payoutAddressChanged, webhookTest] as const;

export const EVENTS = [...CHOSEN, ...ALWAYS] as const;

export type EventType = (typeof CHOSEN)[number]['type'];

export const EVENT_TYPES: readonly EventType[] = CHOSEN.map(({ type }) => type);

/** Does a partner who chose these types get this one? */
export const isWantedType = (chosen: readonly string[], type: string): boolean =>
	chosen.includes(type) || ALWAYS.some((always) => always.type === type);
