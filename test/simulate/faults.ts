/** Where a fault strikes: by chance in a run of many, or at named effects when crash points are enumerated. */
import { Random } from '../cast/random.ts';
import type { Owner, World } from './world.ts';

/**
 * `refused`: nothing was done. `answer lost`: it was done, and the caller is told that it failed. `crash …`: the caller
 * ends before or after it was done. One of them strikes an effect at most; beside it the effect may begin late, and its
 * answer may come late, so that effects overtake one another.
 */
const OUTCOMES = ['refused', 'answer lost', 'crash before', 'crash after'] as const;
const DELAYS = ['late', 'slow'] as const;
export const FAULTS = [...OUTCOMES, ...DELAYS] as const;
export type Fault = (typeof FAULTS)[number];
const NONE: readonly Fault[] = [];

export interface Striker {
	/** Milliseconds by which a delay delays, at most. */
	readonly delay: number;
	strike(kind: string, world: World, owner: Owner): readonly Fault[];
	/** Of the effect that was asked about last; for `performed`. */
	readonly place: number;
	/** `hasChanged`: rows of the database, while it was performed. */
	performed(place: number, hasChanged: boolean): void;
	/** For what is no effect of an owner: a message that is doubled, an alarm that is late. */
	happens(what: Mishap, world: World): boolean;
	/** May what a customer paid be replaced, or lost by a reorganisation? */
	readonly paymentsVanish: boolean;
	/** How often each kind of effect was struck by each fault. */
	readonly struck: Map<string, number>;
}

const counted = (struck: Map<string, number>, what: string): void => {
	struck.set(what, (struck.get(what) ?? 0) + 1);
};

/** What happens to messages, alarms, the cron, objects and others of itself. */
export const MISHAPS = [
	'message lost',
	'message doubled',
	'message late',
	'alarm late',
	'alarm doubled',
	'alarm lost',
	'cron missed',
	'cron doubled',
	'eviction',
	'isolate ends',
	'cache behind',
	'receiver fails',
	'receiver lies',
	'prices lie',
	'node repeats',
	'node lies',
	'node floods',
	'node forgets',
	'outsider writes',
	'call doubled',
	'answer swapped',
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** Of ten runs some have many faults of one sort and none of another: that finds more than one mixture does. */
const SHARES = [0, 0, 0.02, 0.1, 0.3];
/** Of all effects, while it storms; and of all effects those that are delayed, at the beginning or at the end. */
const STRUCK = [0.2, 0.4, 0.6, 0.8];
const DELAYED = [0.2, 0.5, 0.8, 1];
/** Milliseconds: within a turn of an object, within a poll, longer than time limits. Most delays are far shorter. */
const DELAY_MILLISECONDS = [20, 500, 3_000, 30_000];
const WEIGHTS = [0, 1, 2, 4];
/** How often a fault strikes one kind of effect, compared with others. */
const OF_A_KIND = [0.1, 0.5, 1, 1, 2];
/** Storms and calms follow one another, because in a storm alone nothing gets far. */
const LEVELS = [0.05, 0.5, 1];
const WEATHER_MILLISECONDS = 8 * 60_000;
/**
 * How often a mishap comes, compared with others. To begin an isolate costs a hundred effects; an object that ends at each third
 * call does little; and most of what an outsider writes comes too late to matter.
 */
const RATES: Partial<Record<Mishap, number>> = { 'isolate ends': 0.01, eviction: 0.3, 'outsider writes': 3 };

/** Of crashes of an isolate so many happen; of the others the answer alone is lost, or nothing is done. */
const DEAR = 0.15;
const CHEAPER: Partial<Record<Fault, Fault>> = { 'crash before': 'refused', 'crash after': 'answer lost' };

/** Faults by chance, at rates that the seed draws, until `pause()`. */
export class Swarm implements Striker {
	readonly struck = new Map<string, number>();
	readonly #random: Random;
	readonly delay: number;
	readonly #faults: readonly (readonly [Fault, number])[];
	readonly #delays: readonly (readonly [Fault, number])[];
	readonly #mishaps: ReadonlyMap<Mishap, number>;
	readonly #kinds = new Map<string, number>();
	#isQuiet = true;
	#level = 1;
	#levelUntil = 0;
	total = 0;
	readonly paymentsVanish = true;
	readonly place = 0;

	constructor(random: Random) {
		this.#random = new Random(random.below(2 ** 32));
		const weights = OUTCOMES.map((fault) => [fault, random.pick(WEIGHTS)] as const);
		const sum = weights.reduce((so, [, weight]) => so + weight, 0) || 1;
		const share = random.pick(STRUCK);
		this.#faults = weights.map(([fault, weight]) => [fault, (weight * share) / sum]);
		this.delay = random.pick(DELAY_MILLISECONDS);
		this.#delays = DELAYS.map((fault) => [fault, random.pick(DELAYED)]);
		this.#mishaps = new Map(MISHAPS.map((what) => [what, random.pick(SHARES) * (RATES[what] ?? 1)]));
	}

	/** No faults until `resume`. */
	pause(): void {
		this.#isQuiet = true;
	}

	resume(): void {
		this.#isQuiet = false;
	}

	strike(kind: string, world: World, { isDear = false }: Owner): readonly Fault[] {
		if (this.#isQuiet) return NONE;
		const level = this.#levelAt(world.now);
		const outcome = this.#outcome(level * this.#ofKind(kind), isDear);
		const delays = this.#delays.filter(([, share]) => this.#random.chance(share)).map(([fault]) => fault);
		const struck = outcome ? [outcome, ...delays] : delays;
		this.total += struck.length;
		for (const fault of struck) counted(this.struck, `${kind} · ${fault}`);
		return struck;
	}

	#outcome(rate: number, isDear: boolean): Fault | null {
		let drawn = this.#random.next() / rate;
		const fault = this.#faults.find(([, share]) => {
			drawn -= share;
			return drawn < 0;
		})?.[0];
		if (!fault || !isDear || this.#random.chance(DEAR)) return fault ?? null;
		return CHEAPER[fault] ?? fault;
	}

	happens(what: Mishap, world: World): boolean {
		if (this.#isQuiet || !this.#random.chance((this.#mishaps.get(what) ?? 0) * this.#levelAt(world.now))) return false;
		this.total += 1;
		counted(this.struck, what);
		return true;
	}

	performed(): void {}

	#levelAt(now: number): number {
		if (now > this.#levelUntil) {
			this.#level = this.#random.pick(LEVELS);
			this.#levelUntil = now + this.#random.next() * WEATHER_MILLISECONDS;
		}
		return this.#level;
	}

	#ofKind(kind: string): number {
		const known = this.#kinds.get(kind);
		if (known !== undefined) return known;
		const drawn = this.#random.pick(OF_A_KIND);
		this.#kinds.set(kind, drawn);
		return drawn;
	}
}

export interface Effect {
	readonly kind: string;
	/** The poll, call or run that it belongs to; null where it belongs to none. */
	readonly group: string | null;
	/** Rows of the database have changed while it was performed. */
	hasChanged: boolean;
}

/** Faults at effects of which each is named by its number. */
export class Plan implements Striker {
	readonly struck = new Map<string, number>();
	readonly effects: Effect[] = [];
	readonly delay = 0;
	/** A flow is about one fault. */
	readonly paymentsVanish = false;
	readonly #at: ReadonlyMap<number, Fault>;
	/** Counted from here. */
	isCounting = false;

	constructor(at: ReadonlyMap<number, Fault> = new Map()) {
		this.#at = at;
	}

	get place(): number {
		return this.isCounting ? this.effects.length - 1 : -1;
	}

	strike(kind: string, _: World, owner: Owner): readonly Fault[] {
		if (!this.isCounting) return NONE;
		const group = owner.group ?? null;
		const fault = this.#at.get(this.effects.push({ kind, group, hasChanged: false }) - 1);
		if (!fault) return NONE;
		counted(this.struck, `${kind} · ${fault}`);
		return [fault];
	}

	performed(place: number, hasChanged: boolean): void {
		const effect = this.effects[place];
		if (effect && hasChanged) effect.hasChanged = true;
	}

	/** What happens whenever it can. */
	always: Mishap | null = null;

	happens(what: Mishap): boolean {
		return what === this.always;
	}
}
