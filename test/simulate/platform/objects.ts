/**
 * Durable Objects: one instance a name. Calls are copied, and an answer leaves only when what was written before it is
 * durable. Between two effects of an instance no other call runs, because all that follows from an event runs before the
 * next one. An instance that ends keeps its disk.
 */
import type { Owner, World } from '../world.ts';
import { copied } from './copy.ts';
import type { Isolate } from './isolate.ts';
import { Disk, storageOf } from './storage.ts';

type Method = (...args: unknown[]) => unknown;
type Instance = Record<string, unknown> & { alarm?: () => Promise<void> };

/** The platform tries an alarm again at most this often. */
const MAX_ALARM_TRIES = 6;
const ALARM_RETRY_MILLISECONDS = 2_000;
/** Milliseconds by which a mishap makes an alarm late, at most. */
const LATE_MILLISECONDS = 120_000;

/** An instance that was idle for so long is asleep: the platform ends it. */
const IDLE_MILLISECONDS = 10_000;

interface Life extends Owner {
	activeAt: number;
	/** Calls and alarms that are under way. */
	busy: number;
	readonly instance: Instance;
	/** Open until what `blockConcurrencyWhile` runs is done. */
	readonly ready: Promise<void>;
	readonly calls: Set<(error: Error) => void>;
}

export class SimulatedObject {
	readonly disk: Disk;
	readonly #world: World;
	readonly #name: string;
	readonly #className: string;
	readonly #isolateOf: () => Isolate;
	#life: Life | null = null;
	/** How often its alarm rang. */
	rings = 0;

	constructor(
		world: World,
		className: string,
		name: string,
		{ isolateOf, sizeOf }: { readonly isolateOf: () => Isolate; readonly sizeOf: SizeOf | undefined },
	) {
		this.#world = world;
		this.#className = className;
		this.#name = name;
		this.#isolateOf = isolateOf;
		this.disk = new Disk(world);
		if (sizeOf) this.disk.sizeOf = sizeOf;
		this.disk.onAlarm = (at) => {
			if (at !== null) this.#expectAlarm(at);
		};
	}

	/** Ends the instance: evicted, or reset. */
	end(why: string): void {
		const life = this.#life as (Life & { alive: boolean }) | null;
		if (!life) return;
		life.alive = false;
		this.#life = null;
		this.disk.crash();
		this.#world.note(`${this.#className} ${this.#name} ends: ${why}`);
		for (const fail of [...life.calls]) fail(new Error('Durable Object reset because its code was updated.'));
		const alarm = this.disk.alarm();
		if (alarm !== null) this.#expectAlarm(alarm);
	}

	get isLoaded(): boolean {
		return this.#life?.alive === true;
	}

	/** A call of a payer, who makes it again where the object ended meanwhile: what was not durable is gone then. */
	async callAgain(method: string, args: readonly unknown[]): Promise<unknown> {
		for (;;) {
			const life = this.#loaded();
			try {
				return await this.call(method, args);
			} catch (error) {
				if (life.alive) throw error;
			}
		}
	}

	async call(method: string, args: readonly unknown[]): Promise<unknown> {
		const life = this.#loaded();
		return new Promise((resolve, reject) => {
			life.calls.add(reject);
			this.#awake(life, this.#run(life, method, args)).then(resolve, reject);
		});
	}

	/** Calls, the alarm, and effects keep an instance awake. An alarm that is due sooner finds it awake. */
	#sleepWhereIdle(): void {
		const life = this.#life;
		if (!life || life.busy > 0 || this.#world.now - life.activeAt < IDLE_MILLISECONDS) return;
		const alarm = this.disk.alarm();
		if (alarm === null || alarm - life.activeAt >= IDLE_MILLISECONDS) this.end('it was idle');
	}

	async #run(life: Life, method: string, args: readonly unknown[]): Promise<unknown> {
		await life.ready;
		const found = life.instance[method];
		if (typeof found !== 'function') throw new TypeError(`the object has no method ${method}`);
		const value = await (found as Method).apply(life.instance, copied([...args]));
		if (life.alive) await this.disk.durable();
		return copied(value);
	}

	#awake<T>(life: Life, work: Promise<T>): Promise<T> {
		life.busy += 1;
		return work.finally(() => {
			life.busy -= 1;
			life.activeAt = this.#world.now;
		});
	}

	#loaded(): Life {
		this.#sleepWhereIdle();
		if (this.#life) return this.#life;
		const { disk } = this;
		const group = () => `${this.#className} ${this.#name} #${this.rings}`;
		const isolate = this.#isolateOf();
		const calls = new Set<(error: Error) => void>();
		const blocks: Promise<unknown>[] = [];
		const life = {
			alive: true,
			activeAt: this.#world.now,
			busy: 0,
			calls,
			get durableAt() {
				return disk.durableAt;
			},
			get group(): string {
				return group();
			},
			crash: () => this.end('its code crashed'),
		};
		const context = {
			id: { name: this.#name, toString: () => this.#name },
			storage: storageOf(disk, () => life.alive),
			waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
			abort: (why: string) => this.end(why),
			blockConcurrencyWhile(run: () => Promise<unknown>) {
				const done = run();
				blocks.push(done);
				return done;
			},
		};
		const Class = isolate.exports[this.#className] as new (context: object, env: object) => Instance;
		const instance = new Class(context, isolate.environmentFor(life));
		isolate.objects.add(this);
		// A getter above: the copy must not freeze it.
		const made = Object.assign(life, { instance, ready: Promise.all(blocks).then(() => undefined) });
		made.ready.catch((error) => this.end(String(error)));
		this.#life = made;
		return made;
	}

	#expectAlarm(at: number): void {
		const { striker, random } = this.#world;
		if (striker.happens('alarm lost', this.#world)) return;
		const late = striker.happens('alarm late', this.#world) ? random.next() * LATE_MILLISECONDS : 0;
		this.#world.at(at + random.next() * this.#world.alarmSlack + late, () => this.#ring(at, 1));
		if (striker.happens('alarm doubled', this.#world)) this.#world.at(at + late + 1, () => this.#ring(at, 1));
	}

	#ring(at: number, tries: number): void {
		if (this.disk.alarm() !== at) return;
		const life = this.#loaded();
		this.rings += 1;
		this.disk.setAlarm(null);
		const { alarm } = life.instance;
		if (!alarm) return;
		this.#world.note(`alarm ${this.#className} ${this.#name}`);
		this.#awake(
			life,
			life.ready.then(() => alarm.call(life.instance)),
		).catch((error: unknown) => {
			this.#world.note(`alarm of ${this.#className} ${this.#name} failed: ${String(error)}`);
			if (!life.alive || this.disk.alarm() !== null || tries >= MAX_ALARM_TRIES) return;
			const again = this.#world.now + ALARM_RETRY_MILLISECONDS * 2 ** (tries - 1);
			this.disk.setAlarm(again);
		});
	}
}

/** Is told what a method answered, also where the answer is lost. */
export type Watch = (method: string, args: readonly unknown[], answer: unknown) => void;

/** What an object's storage says of its size, by its bytes. */
export type SizeOf = (bytes: number) => number;

interface ObjectsMeans {
	readonly sleeps: (name: string) => boolean;
	readonly watch?: Watch;
	readonly sizeOf?: SizeOf | undefined;
}

/** A namespace of a Worker's objects: as its binding gives them to callers. */
export class Objects {
	readonly byName = new Map<string, SimulatedObject>();
	readonly #world: World;
	readonly #className: string;
	readonly #isolateOf: () => Isolate;
	readonly #sleeps: (name: string) => boolean;
	readonly #watch: Watch;
	readonly #sizeOf: SizeOf | undefined;

	/** `sleeps`: objects that nobody needs in this world; each method of theirs answers with nothing. */
	constructor(
		world: World,
		className: string,
		isolateOf: () => Isolate,
		{ sleeps, watch = () => undefined, sizeOf }: ObjectsMeans,
	) {
		this.#sizeOf = sizeOf;
		this.#world = world;
		this.#className = className;
		this.#isolateOf = isolateOf;
		this.#sleeps = sleeps;
		this.#watch = watch;
	}

	named(name: string): SimulatedObject {
		const known = this.byName.get(name);
		if (known) return known;
		const made = new SimulatedObject(this.#world, this.#className, name, {
			isolateOf: this.#isolateOf,
			sizeOf: this.#sizeOf,
		});
		this.byName.set(name, made);
		return made;
	}

	binding(owner: Owner): object {
		const stub = (name: string) => this.#stub(owner, name);
		return {
			getByName: stub,
			idFromName: (name: string) => ({ name, toString: () => name }),
			get: ({ name }: { readonly name: string }) => stub(name),
		};
	}

	#stub(owner: Owner, name: string): object {
		const methods =
			(method: string) =>
			(...args: unknown[]) => {
				if (this.#sleeps(name)) return Promise.resolve(ASLEEP);
				return this.#world.effect(owner, `${this.#className}.${method}`, async () => {
					const object = this.named(name);
					if (object.isLoaded && this.#world.striker.happens('eviction', this.#world)) object.end('evicted');
					const answer = await object.call(method, args);
					this.#watch(method, args, answer);
					return answer;
				});
			};
		return new Proxy({}, { get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : methods(key)) });
	}
}

/** The answer for a network that nobody uses: to the cron, and where reserves are signed. */
const ASLEEP = { lastError: null, freeAddresses: null, rows: [], unsigned: [] };
