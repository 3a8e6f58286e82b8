/** What one order costs, from its creation until it is archived, beyond what an idle service costs. */
import type { Counted, CountedEvent, Counts } from './counter.ts';
import { sumOf } from './service.ts';

const isPoll = ({ label }: CountedEvent): boolean => label === 'ChainAgent.alarm';
/** A poll with upkeep tells RateBook what it measured. */
const hasUpkeep = ({ counts }: CountedEvent): boolean => (counts.book ?? 0) > 1;
/** Reads of the market, and what the cron asks, are part of the idle service; calls of partners are counted by themselves. */
const IDLE = /^(RateBook\.|ChainAgent\.rearm|Vault\.limits|PartnerGate\.admit|AnonymousGate\.|GET \/|POST \/(?!api\/v1\/create))/;

/** Of each count the one in the middle: polls that had something to do are the few at the end. */
function median(events: readonly CountedEvent[]): Counts {
	const names = new Set(events.flatMap(({ counts }) => Object.keys(counts) as Counted[]));
	const middle = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
	return Object.fromEntries([...names].map((name) => [name, middle(events.map(({ counts }) => counts[name] ?? 0))]));
}

export interface Idle {
	readonly poll: Counts;
	readonly upkeep: Counts;
	readonly cron: Counts;
	readonly refresh: Counts;
}

export function idleOf(events: readonly CountedEvent[]): Idle {
	const labelled = (name: string) => events.filter(({ label }) => label === name);
	return {
		poll: median(events.filter((event) => isPoll(event) && !hasUpkeep(event))),
		upkeep: median(events.filter((event) => isPoll(event) && hasUpkeep(event))),
		cron: median(labelled('cron')),
		refresh: median(labelled('RateBook.alarm')),
	};
}

const beyond = (counts: Counts, idle: Counts): Counts =>
	Object.fromEntries(
		(Object.entries(counts) as [Counted, number][]).map(([what, by]) => [what, Math.max(0, by - (idle[what] ?? 0))]),
	);

/** Each RPC of an object is a request, and so is the alarm that it was woken for. */
export function orderOf(events: readonly CountedEvent[], idle: Idle): Counts & { objects: number } {
	const own = events
		.filter(({ label }) => !IDLE.test(label))
		.map((event) => ({
			...event,
			counts: isPoll(event)
				? beyond(event.counts, hasUpkeep(event) ? idle.upkeep : idle.poll)
				: event.label === 'cron'
					? beyond(event.counts, idle.cron)
					: event.counts,
		}));
	const requests = own.filter(({ label }) => /^\w+\.\w+$/.test(label) && label !== 'ChainAgent.alarm').length;
	const wakes = own.filter(({ label }) => label === 'ChainAgent.wake').length;
	return { ...sumOf(own), objects: requests + wakes };
}
