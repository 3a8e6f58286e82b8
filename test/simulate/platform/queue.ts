/** The queue: at least once, in no order; and the cache, which other places see late. */
import type { Owner, World } from '../world.ts';
import { copied } from './copy.ts';

/** Milliseconds until a message is delivered, and by how much a late one is late. */
const USUAL_MILLISECONDS = 200;
const LATE_MILLISECONDS = 2 * 3_600_000;
/** How long other isolates may see what was there before. */
const BEHIND_MILLISECONDS = 60_000;

export const queueBinding = (world: World, deliver: (bodies: readonly unknown[]) => void) => (owner: Owner) => {
	const enqueue = (body: unknown): void => {
		if (world.striker.happens('message lost', world)) return;
		const isLate = world.striker.happens('message late', world);
		const delay = () => world.random.next() * (isLate ? LATE_MILLISECONDS : USUAL_MILLISECONDS);
		world.after(delay(), () => deliver([body]));
		if (world.striker.happens('message doubled', world)) world.after(delay(), () => deliver([body]));
	};
	const sendAll = (bodies: readonly unknown[]) =>
		world.effect(owner, 'queue send', () => {
			for (const body of bodies) enqueue(copied(body));
		});
	return {
		send: (body: unknown) => sendAll([body]),
		sendBatch: (messages: Iterable<{ readonly body: unknown }>) => sendAll([...messages].map(({ body }) => body)),
	};
};

export interface Kept {
	readonly value: string;
	readonly before: string | null;
	readonly at: number;
}

export class SimulatedCache {
	readonly #world: World;
	readonly values: Map<string, Kept>;

	constructor(world: World, saved: ReadonlyMap<string, Kept> = new Map()) {
		this.#world = world;
		this.values = new Map(saved);
	}

	binding(owner: Owner): object {
		const world = this.#world;
		return {
			get: (key: string) =>
				world.effect(owner, 'kv get', () => {
					const kept = this.values.get(key);
					if (!kept) return null;
					const isBehind = world.now - kept.at < BEHIND_MILLISECONDS && world.striker.happens('cache behind', world);
					return isBehind ? kept.before : kept.value;
				}),
			put: (key: string, value: string) =>
				world.effect(owner, 'kv put', () => {
					const before = this.values.get(key)?.value ?? null;
					this.values.set(key, { value, before, at: world.now });
				}),
		};
	}
}
