/**
 * An isolate of a Worker: its own copy of the very bundle that is deployed, with module state, clock and globals of its
 * own. When it ends, all that it remembered and all that was under way in it ends too.
 */
import type { Owner, World } from '../world.ts';
import { type Code, PARAMETERS } from './code.ts';
import { globalsOf } from './globals.ts';
import type { SimulatedObject } from './objects.ts';

export type Exports = Readonly<Record<string, unknown>>;

/** As the platform's module has them. */
class Base {
	readonly ctx: object;
	readonly env: object;
	constructor(ctx: object, env: object) {
		this.ctx = ctx;
		this.env = env;
	}
}
const PLATFORM = {
	DurableObject: Base,
	WorkerEntrypoint: Base,
	RpcTarget: class {},
	tracing: { getActiveSpan: () => undefined },
};

export interface Outside {
	fetch(owner: Owner, request: Request): Promise<Response>;
	print(line: string): void;
}

/** An isolate's clock is ahead by at most this, in milliseconds. */
const MAX_SKEW = 1_500;

interface Loaded {
	readonly code: Code;
	readonly libraries: Readonly<Record<string, unknown>>;
	readonly bindings: (owner: Owner) => object;
}

export class Isolate implements Owner {
	readonly exports: Exports;
	readonly objects = new Set<SimulatedObject>();
	readonly skew: number;
	readonly durableAt = 0;
	readonly isDear = true;
	alive = true;
	readonly #bindings: (owner: Owner) => object;
	readonly #calls = new Set<(error: Error) => void>();

	constructor(world: World, { code, libraries, bindings }: Loaded, outside: Outside) {
		this.#bindings = bindings;
		this.skew = Math.floor(world.random.next() * MAX_SKEW);
		const module: { exports: Exports } = { exports: {} };
		const globals = globalsOf(world, {
			isAlive: () => this.alive,
			skew: this.skew,
			fetch: (input, init) => outside.fetch(this, new Request(input, init)),
			print: outside.print,
		});
		const given = {
			module,
			exports: module.exports,
			require: (name: string) => (name === 'cloudflare:workers' ? PLATFORM : libraries[name]),
			...globals,
		} as Record<string, unknown>;
		code(...PARAMETERS.map((name) => given[name]));
		this.exports = module.exports;
	}

	environmentFor(owner: Owner): object {
		return this.#bindings(owner);
	}

	/** As one call, message or run of the cron sees it. */
	environmentOf(group: string): object {
		const isAlive = () => this.alive;
		return this.#bindings({
			get alive() {
				return isAlive();
			},
			group,
			durableAt: 0,
			isDear: true,
			crash: () => this.crash(),
		});
	}

	crash(): void {
		if (!this.alive) return;
		this.alive = false;
		for (const object of this.objects) object.end('its isolate ended');
		for (const fail of [...this.#calls]) fail(new Error('Network connection lost.'));
	}

	/** A call from outside: it fails when the isolate ends first. */
	call<T>(run: () => Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			this.#calls.add(reject);
			run()
				.then(resolve, reject)
				.finally(() => this.#calls.delete(reject));
		});
	}
}
