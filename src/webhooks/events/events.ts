/** Every event that partners can subscribe to: one file each, and one name here. Pure data. */
import { orderStatusChanged } from './order-status-changed.ts';
import { partnerPaidOut } from './partner-paid-out.ts';

export const EVENTS = [orderStatusChanged, partnerPaidOut] as const;

export type EventType = (typeof EVENTS)[number]['type'];

export const EVENT_TYPES: readonly EventType[] = EVENTS.map(({ type }) => type);
