/** Where a fault strikes: by chance in a run of many, or at named effects when crash points are enumerated. */
import { Random } from './random.ts';
import type { World } from './world.ts';

/**
 * `refused`: nothing was done. `answer lost`: it was done, and the caller is told that it failed. `crash …`: the caller
 * ends before or after it was done.
 */
export const FAULTS = ['refused', 'answer lost', 'crash before', 'crash after', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Striker {
	/** `isDear`: the caller is an isolate, and to begin another costs as much as a hundred effects. */
	strike(kind: string, world: World, isDear: boolean): Fault | null;
	/** For what is no effect of an owner: a message that is doubled, an alarm that is late. */
	happens(what: Mishap, world: World): boolean;
	/** How often each kind of effect was struck by each fault. */
	readonly struck: Map<string, number>;
}

const counted = (struck: Map<string, number>, what: string): void => {
	struck.set(what, (struck.get(what) ?? 0) + 1);
};

/** What happens to messages, alarms, the cron, objects and others of itself. */
export const MISHAPS = [
	...['message lost', 'message doubled', 'message late', 'alarm late', 'alarm doubled', 'alarm lost'],
	...['cron missed', 'cron doubled', 'eviction', 'isolate ends', 'cache behind', 'receiver fails', 'receiver lies'],
	...['prices lie', 'node lies', 'node floods', 'node forgets', 'outsider writes'],
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** Of ten runs some have many faults of one sort and none of another: that finds more than one mixture does. */
const SHARES = [0, 0, 0.02, 0.1, 0.3];
/** Of all effects, while it storms. */
const STRUCK = [0.1, 0.25, 0.4, 0.5];
const WEIGHTS = [0, 1, 2, 4];
/** How often a fault strikes one kind of effect, compared with others. */
const OF_A_KIND = [0.1, 0.5, 1, 1, 2];
/** Storms and calms follow one another, because in a storm alone nothing gets far. */
const LEVELS = [0.1, 0.5, 1, 1];
const WEATHER_MILLISECONDS = 8 * 60_000;
/** To end an isolate costs a hundred effects, and an outsider's write ends an order. */
const RARE: Partial<Record<Mishap, number>> = { 'isolate ends': 0.01, 'outsider writes': 0.4 };

/** Of crashes of an isolate so many happen; of the others the answer alone is lost, or nothing is done. */
const DEAR = 0.05;
const CHEAPER: Partial<Record<Fault, Fault>> = { 'crash before': 'refused', 'crash after': 'answer lost' };

/** Faults by chance, at rates that the seed draws, until `pause()`. */
export class Swarm implements Striker {
	readonly struck = new Map<string, number>();
	readonly #random: Random;
	readonly #faults: readonly (readonly [Fault, number])[];
	readonly #mishaps: ReadonlyMap<Mishap, number>;
	readonly #kinds = new Map<string, number>();
	#isQuiet = true;
	#level = 1;
	#levelUntil = 0;
	total = 0;

	constructor(random: Random) {
		this.#random = new Random(random.below(2 ** 32));
		const weights = FAULTS.map((fault) => [fault, random.pick(WEIGHTS)] as const);
		const sum = weights.reduce((so, [, weight]) => so + weight, 0) || 1;
		const share = random.pick(STRUCK);
		this.#faults = weights.map(([fault, weight]) => [fault, (weight * share) / sum]);
		this.#mishaps = new Map(MISHAPS.map((what) => [what, random.pick(SHARES) * (RARE[what] ?? 1)]));
	}

	/** No faults until `resume`. */
	pause(): void {
		this.#isQuiet = true;
	}

	resume(): void {
		this.#isQuiet = false;
	}

	strike(kind: string, world: World, isDear: boolean): Fault | null {
		if (this.#isQuiet) return null;
		const rate = this.#levelAt(world.now) * this.#ofKind(kind);
		let drawn = this.#random.next() / rate;
		const drawnFault = this.#faults.find(([, share]) => {
			drawn -= share;
			return drawn < 0;
		})?.[0];
		if (!drawnFault) return null;
		const fault = isDear && !this.#random.chance(DEAR) ? (CHEAPER[drawnFault] ?? drawnFault) : drawnFault;
		this.total += 1;
		counted(this.struck, `${kind} · ${fault}`);
		return fault;
	}

	happens(what: Mishap, world: World): boolean {
		if (this.#isQuiet || !this.#random.chance((this.#mishaps.get(what) ?? 0) * this.#levelAt(world.now))) return false;
		this.total += 1;
		counted(this.struck, what);
		return true;
	}

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

/** Faults at effects of which each is named by its number. */
export class Plan implements Striker {
	readonly struck = new Map<string, number>();
	readonly #at: ReadonlyMap<number, Fault>;
	readonly kinds: string[] = [];
	/** Counted from here. */
	isCounting = false;

	constructor(at: ReadonlyMap<number, Fault> = new Map()) {
		this.#at = at;
	}

	strike(kind: string): Fault | null {
		if (!this.isCounting) return null;
		const fault = this.#at.get(this.kinds.push(kind) - 1) ?? null;
		if (fault) counted(this.struck, `${kind} · ${fault}`);
		return fault;
	}

	happens(): boolean {
		return false;
	}
}
