/** Where a fault strikes: by chance in a run of many, or at named effects when crash points are enumerated. */
import type { Random } from './random.ts';
import type { World } from './world.ts';

/**
 * `refused`: nothing was done. `answer lost`: it was done, and whoever asked is told that it failed. `crash …`: whoever
 * asked ends before or after it was done.
 */
export const FAULTS = ['refused', 'answer lost', 'crash before', 'crash after', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Striker {
	strike(kind: string, world: World): Fault | null;
	/** For what is no effect of an owner: a message that is doubled, an alarm that is late. */
	happens(what: string, world: World): boolean;
	/** How often each kind of effect was struck by each fault. */
	readonly struck: Map<string, number>;
}

const counted = (struck: Map<string, number>, what: string): void => {
	struck.set(what, (struck.get(what) ?? 0) + 1);
};

/** What happens to messages, alarms, the cron and objects of themselves. */
export const MISHAPS = [
	...['message lost', 'message doubled', 'message late', 'alarm late', 'alarm doubled', 'alarm lost'],
	...['cron missed', 'cron doubled', 'eviction', 'isolate ends', 'cache behind', 'receiver fails'],
] as const;

/** Of ten runs some have many faults of one sort and none of another: that finds more than one mixture does. */
const SHARES = [0, 0, 0.005, 0.02, 0.06, 0.15];

/** Faults by chance, at rates that the seed draws, until `quiet()`. */
export class Swarm implements Striker {
	readonly struck = new Map<string, number>();
	readonly #rates: Readonly<Record<string, number>>;
	#isQuiet = false;
	total = 0;

	constructor(random: Random) {
		const rates = [...FAULTS, ...MISHAPS].map((what) => [what, random.pick(SHARES)] as const);
		this.#rates = Object.fromEntries(rates);
	}

	/** No faults until `resume`. */
	pause(): void {
		this.#isQuiet = true;
	}

	resume(): void {
		this.#isQuiet = false;
	}

	strike(kind: string, { random }: World): Fault | null {
		if (this.#isQuiet) return null;
		const fault = FAULTS.find((one) => random.chance(this.#rates[one] ?? 0));
		if (!fault) return null;
		this.total += 1;
		counted(this.struck, `${kind} · ${fault}`);
		return fault;
	}

	happens(what: string, { random }: World): boolean {
		if (this.#isQuiet || !random.chance(this.#rates[what] ?? 0)) return false;
		this.total += 1;
		counted(this.struck, what);
		return true;
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
