/** Sums of what was counted: an idle service, and what an order asks beyond that. */
import type { Counted, CountedEvent, Counts } from './counter.ts';
import { sumOf } from './service.ts';

const isPoll = ({ label }: CountedEvent): boolean => label === 'ChainAgent.alarm';
/** A poll with upkeep tells RateBook what it measured. */
const hasUpkeep = ({ counts }: CountedEvent): boolean => (counts.book ?? 0) > 1;
/**
 * Reads of the market and what the cron asks belong to the idle service; calls of the API are counted by themselves. What an
 * upkeep reports is part of the upkeep, which is taken off.
 */
const ELSEWHERE =
	/^(?:RateBook\.(?!report)|ChainAgent\.(?:rearm|state)|Keeper\.|Vault\.limits|PartnerGate\.|AnonymousGate\.|[A-Z]+ \/)/;
const CALLED = ['gate', 'agent', 'book', 'keeper', 'vault', 'signer'] as const;

/** Requests of objects: each call is one, also that of the signer to its vault, and so is an alarm. */
export const objectsOf = ({ label, counts }: CountedEvent): number =>
	CALLED.reduce((sum, name) => sum + (counts[name] ?? 0), label.endsWith('.alarm') ? 1 : 0);

type Totals = Counts & { readonly objects: number };

/**
 * A poll writes its alarm, and its position too if ten seconds have passed. How many polls that is depends on the machine's
 * speed, so each counts as one that wrote both.
 */
const ROWS_OF_POLL = 2;

function totalsOf(event: CountedEvent): Totals {
	const totals = { ...event.counts, objects: objectsOf(event) };
	if (!isPoll(event)) return totals;
	return { ...totals, objectRowsWritten: Math.max(ROWS_OF_POLL, totals.objectRowsWritten ?? 0) };
}

/** Of each figure the one at this share of all, sorted: 0 is the lowest, a half the one in the middle. */
function quantile(events: readonly CountedEvent[], share: number): Totals {
	const totals = events.map(totalsOf);
	const names = [...new Set(totals.flatMap((each) => Object.keys(each)))] as (keyof Totals)[];
	const at = (name: keyof Totals): number =>
		totals.map((each) => each[name] ?? 0).toSorted((a, b) => a - b)[Math.floor(totals.length * share)] ?? 0;
	return Object.fromEntries(names.map((name) => [name, at(name)])) as unknown as Totals;
}

const beyond = (totals: Totals, idle: Totals): Totals =>
	Object.fromEntries(
		(Object.entries(totals) as [Counted, number][]).map(([what, by]) => [what, by - (idle[what] ?? 0)]),
	) as unknown as Totals;

export interface Idle {
	readonly poll: Totals;
	/** Beyond the poll. */
	readonly upkeep: Totals;
	readonly cron: Totals;
	readonly refresh: Totals;
}

/** A run of the cron: the API Worker's event, and the operator Worker's. */
export const CRON = ['cron', 'cron operator'];

/** Most polls have nothing to do. The first upkeep has more to do than the later ones. */
export function idleOf(events: readonly CountedEvent[]): Idle {
	const labelled = (...names: string[]) => events.filter(({ label }) => names.includes(label));
	const poll = quantile(
		events.filter((event) => isPoll(event) && !hasUpkeep(event)),
		0.5,
	);
	const upkeep = quantile(
		events.filter((event) => isPoll(event) && hasUpkeep(event)),
		0,
	);
	const runs = labelled('cron');
	const asked = sumOf(
		labelled('ChainAgent.rearm', 'ChainAgent.state', 'Keeper.minute', 'RateBook.wake', 'Vault.limits'),
	);
	const { objectRowsRead = 0, objectRowsWritten = 0 } = asked;
	return {
		poll,
		upkeep: plus(beyond(upkeep, poll), quantile(labelled('RateBook.report'), 0.5)),
		cron: {
			...CRON.map((label) => quantile(labelled(label), 0.5)).reduce(plus),
			objectRowsRead: objectRowsRead / runs.length,
			objectRowsWritten: objectRowsWritten / runs.length,
		},
		refresh: quantile(labelled('RateBook.alarm'), 0.5),
	};
}

const plus = (one: Totals, other: Totals): Totals =>
	sumOf([one, other].map((counts) => ({ label: '', counts }))) as Totals;

/** What these events asked beyond an idle service. A wake is one more poll. */
export function beyondIdle(events: readonly CountedEvent[], idle: Idle): Totals {
	const own = events.filter(({ label }) => !ELSEWHERE.test(label));
	const wakes = own.filter(({ label }) => label === 'ChainAgent.wake').length;
	const totals = own.map((event): Totals => {
		const all = totalsOf(event);
		if (event.label === 'cron') return beyond(all, idle.cron);
		if (!isPoll(event)) return all;
		const polled = beyond(all, idle.poll);
		return hasUpkeep(event) ? beyond(polled, idle.upkeep) : polled;
	});
	const sum = sumOf(totals.map((counts) => ({ label: '', counts }))) as Totals;
	const { objects, objectRowsWritten = 0 } = sum;
	return {
		...sum,
		objects: objects + wakes * idle.poll.objects,
		objectRowsWritten: objectRowsWritten + wakes * ROWS_OF_POLL,
	};
}
