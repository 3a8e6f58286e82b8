/** Every event: one file each, and one name here. Pure data. */
import { orderStatusChanged } from './order-status-changed.ts';
import { partnerPaidOut } from './partner-paid-out.ts';
import { webhookTest } from './webhook-test.ts';

/** Those that partners can subscribe to. */
const CHOSEN = [orderStatusChanged, partnerPaidOut] as const;

export const EVENTS = [...CHOSEN, webhookTest] as const;

export type EventType = (typeof CHOSEN)[number]['type'];

export const EVENT_TYPES: readonly EventType[] = CHOSEN.map(({ type }) => type);

/** Does a partner who chose these types get this one? A test is asked for by itself. */
export const isWantedType = (chosen: readonly string[], type: string): boolean =>
	type === webhookTest.type || chosen.includes(type);
