/**
 * The simulated world: one clock, one scheduler, one source of chance. Nothing in it is parallel. The scheduler takes the
 * event that is due next, moves the clock to it, and lets all that follows from it run before it takes the next one. No
 * code in it waits for anything real, so a seed decides everything.
 *
 * An effect is a step that reaches something durable or outside: a database batch, a call of an object, a message, an
 * answer. Here each can be struck (`faults.ts`).
 */
import { createHash } from 'node:crypto';
import type { Random } from '../cast/random.ts';
import type { Fault, Striker } from './faults.ts';

/** Who does something and can die: an isolate of a Worker, an object, or somebody outside who never dies. */
export interface Owner {
	readonly alive: boolean;
	/** To begin another one costs much. */
	readonly isDear?: boolean;
	/** The poll, call or run that it is busy with. */
	readonly group?: string;
	/** When it began or ended an effect last. */
	activeAt?: number;
	/** When what it wrote before is durable: nothing leaves it sooner (the platform's output gate). */
	readonly durableAt: number;
	/** It ends at once, and what it waited for never comes. */
	crash(): void;
}

interface Event {
	readonly at: number;
	readonly order: number;
	readonly run: () => void;
}

/** Milliseconds that an effect takes to begin and to answer. */
const FASTEST = 0.2;
const SPREAD = 4;
/** Of delays one in two is shorter than a sixtieth of the longest. */
const MOST_ARE_SHORT = 6;

export class World {
	/** Unix milliseconds. */
	now: number;
	readonly random: Random;
	readonly striker: Striker;
	readonly trace: string[] | null;
	/** Milliseconds by which alarms are late at most while nothing else is wrong: idle polls are most of a run. */
	alarmSlack = 0;
	/** Milliseconds between two runs of the cron. */
	cronEvery = 60_000;
	effects = 0;
	/** Of rows of the database, that of the minutes of the status page excepted. */
	changes = 0;
	/** Turns of the machine until all that follows from an event has settled; streams of a body take more. */
	turns = 1;
	readonly #hash = createHash('sha256');
	readonly #events: Event[] = [];
	#order = 0;

	constructor(random: Random, striker: Striker, startedAt: number, traced: boolean) {
		this.random = random;
		this.striker = striker;
		this.now = startedAt;
		this.trace = traced ? [] : null;
	}

	/** Part of what two runs of a seed must have in common. */
	note(line: string): void {
		this.#hash.update(`${this.now} ${line}\n`);
		this.trace?.push(`${(this.now / 1000).toFixed(4)} ${line}`);
	}

	digest(): string {
		return this.#hash.copy().digest('hex').slice(0, 16);
	}

	after(milliseconds: number, run: () => void): void {
		this.at(this.now + Math.max(0, milliseconds), run);
	}

	at(time: number, run: () => void): void {
		push(this.#events, { at: Math.max(time, this.now), order: this.#order++, run });
	}

	/** Nothing ran meanwhile; what was due comes now. */
	leap(milliseconds: number): void {
		this.now += milliseconds;
		this.note('a long outage ends');
	}

	sleep(milliseconds: number): Promise<void> {
		return new Promise((awake) => this.after(milliseconds, awake));
	}

	/** Runs until `until`, or until nothing is left to do. */
	async run(until: number, isOver: () => boolean = () => false): Promise<void> {
		for (;;) {
			const [next] = this.#events;
			if (!next || next.at > until || isOver()) break;
			pop(this.#events);
			this.now = Math.max(this.now, next.at);
			next.run();
			// By then every promise that follows from the event has settled, those of a body that is read included.
			for (let turn = 0; turn < this.turns; turn++) await new Promise<void>((settled) => setImmediate(settled));
			this.turns = 1;
		}
		this.now = Math.max(this.now, isOver() ? this.now : until);
	}

	latency(): number {
		return FASTEST + this.random.next() * this.random.next() * SPREAD;
	}

	/** What an owner does beyond its own memory. `errorOf`: as the platform words it when the step failed or its answer was lost. */
	effect<T>(owner: Owner, kind: string, perform: () => T | Promise<T>, lost: () => Error = connectionLost): Promise<T> {
		return new Promise((resolve, reject) => {
			this.effects += 1;
			owner.activeAt = this.now;
			const faults = this.striker.strike(kind, this, owner);
			const { place } = this.striker;
			this.note(faults.length > 0 ? `${kind} ! ${faults.join(', ')}` : kind);
			const begin = () => {
				if (!owner.alive) return;
				if (faults.includes('refused')) return reject(lost());
				if (faults.includes('crash before')) {
					owner.crash();
					// Somebody outside outlives the connection.
					if (owner.alive) reject(lost());
					return;
				}
				this.#perform(owner, faults, this.#watched(place, perform)).then(
					(value) => (LOSES.some((fault) => faults.includes(fault)) ? reject(lost()) : resolve(value)),
					reject,
				);
			};
			const begins = Math.max(owner.durableAt, this.now) + this.latency();
			this.at(begins + this.#delay(faults.includes('late')), begin);
		});
	}

	#delay(isDelayed: boolean): number {
		return isDelayed ? this.random.next() ** MOST_ARE_SHORT * this.striker.delay : 0;
	}

	/** Tells whether rows of the database changed meanwhile. */
	#watched<T>(place: number, perform: () => T | Promise<T>): () => Promise<T> {
		return async () => {
			const before = this.changes;
			try {
				return await perform();
			} finally {
				this.striker.performed(place, this.changes !== before);
			}
		};
	}

	/** Settles only while the owner lives. */
	async #perform<T>(owner: Owner, faults: readonly Fault[], perform: () => T | Promise<T>): Promise<T> {
		const outcome = await Promise.resolve()
			.then(perform)
			.then(
				(value) => ({ value }),
				(error: unknown) => ({ error }),
			);
		await this.sleep(this.latency() + this.#delay(faults.includes('slow')));
		if (faults.includes('crash after')) owner.crash();
		if (!owner.alive) return new Promise(() => undefined);
		owner.activeAt = this.now;
		if ('error' in outcome) throw outcome.error;
		return outcome.value;
	}
}

/** Callers that died meanwhile are told nothing. */
const LOSES: readonly Fault[] = ['answer lost', 'crash after'];

const connectionLost = (): Error => new Error('Network connection lost.');

const isSooner = (one: Event, other: Event): boolean =>
	one.at < other.at || (one.at === other.at && one.order < other.order);

/** A binary heap. */
function push(heap: Event[], event: Event): void {
	let i = heap.push(event) - 1;
	while (i > 0) {
		const parent = (i - 1) >> 1;
		const above = heap[parent];
		if (!above || isSooner(above, event)) break;
		heap[i] = above;
		i = parent;
	}
	heap[i] = event;
}

function pop(heap: Event[]): void {
	const last = heap.pop();
	if (!last || heap.length === 0) return;
	let i = 0;
	for (;;) {
		const [left, right] = [heap[2 * i + 1], heap[2 * i + 2]];
		const [child, below] = right && left && isSooner(right, left) ? [2 * i + 2, right] : [2 * i + 1, left];
		if (!below || isSooner(last, below)) break;
		heap[i] = below;
		i = child;
	}
	heap[i] = last;
}
