/** How figures and states are said on the pages of the cabinet. Pure. */
import { fromBaseUnits } from '../../money/units.ts';
import type { OrderStatus } from '../../orders/status.ts';
import type { Tone } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';

export const STATUS_WORDS: Readonly<Record<OrderStatus, readonly [Tone, string]>> = {
	NEW: ['plain', 'Waiting for deposit'],
	PENDING: ['busy', 'Confirming'],
	EXCHANGE: ['busy', 'Sending'],
	DONE: ['good', 'Done'],
	EXPIRED: ['plain', 'Expired'],
	EMERGENCY: ['warn', 'Needs a decision'],
};

export const usd = (text: string): string => `$${grouped(text)}`;

/** Whole cents, exact. */
export function usdOfCents(cents: number): string {
	const [whole = '0', fraction = ''] = fromBaseUnits(BigInt(cents), 2).split('.');
	return usd(`${whole}.${fraction.padEnd(2, '0')}`);
}

/** One decimal, rounded to the nearest: a figure to look at. */
export function percent(part: number, whole: number): string {
	return whole === 0 ? '–' : `${(Math.round((part * 1000) / whole) / 10).toFixed(1)} %`;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

/** Rounded to the nearest second, or minute from an hour on. */
export function span(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	if (seconds < MINUTE_SECONDS) return `${seconds} s`;
	if (seconds < HOUR_SECONDS) return `${Math.floor(seconds / MINUTE_SECONDS)} min ${seconds % MINUTE_SECONDS} s`;
	const minutes = Math.round(seconds / MINUTE_SECONDS);
	return `${Math.floor(minutes / MINUTE_SECONDS)} h ${minutes % MINUTE_SECONDS} min`;
}

export const counted = (count: number, one: string, many: string): string =>
	`${grouped(String(count))} ${count === 1 ? one : many}`;

/** Basis points as a percentage, exact. */
export const bps = (points: number): string => `${fromBaseUnits(BigInt(points), 2)} %`;
