/**
 * The networks that have to wait, as an isolate knows them. A wait never becomes shorter: a refused call spends nothing,
 * and an admitted one makes others wait longer. So the gate, which has named a time, is not asked before it, and a flood
 * of anonymous calls does not keep it too busy to answer. It names whole seconds, rounded up: in the last one it is asked
 * again, so nobody waits longer than it says. Pure but for its own memory.
 */
import type { Refusal } from '../../http/refusals.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { AnonymousSpend } from '../../ports/gates.ts';

const MAX_WAITS = 1_000;
const SECOND = 1_000;

export class KnownWaits {
	/** Unix milliseconds, by bucket and weight: where a call has to wait, a lighter one may pass. */
	readonly #until = new BoundedMap<string, number>(MAX_WAITS);

	/** Seconds to wait, rounded up; null where the gate has to be asked. */
	of(bucket: string, spent: AnonymousSpend | undefined, now: number): number | null {
		const key = keyOf(bucket, spent);
		const rest = (this.#until.get(key) ?? 0) - now;
		if (rest > SECOND) return Math.ceil(rest / SECOND);
		this.#until.delete(key);
		return null;
	}

	/** `now`: when the gate's answer was there. Counted from then, no caller is told to come too early. */
	remember(bucket: string, spent: AnonymousSpend | undefined, now: number, seconds: number): void {
		this.#until.set(keyOf(bucket, spent), now + seconds * SECOND);
	}
}

const keyOf = (bucket: string, spent: AnonymousSpend | undefined): string =>
	spent ? `${spent.weight}/${spent.perMinute} ${bucket}` : bucket;

type Exhausted = Extract<Refusal, { readonly kind: 'budget-exhausted' }>;

/** The same for scoped keys, with the refusal that the gate gave. */
export class ScopedWaits {
	readonly #waits = new KnownWaits();
	readonly #refusals = new BoundedMap<string, Exhausted>(MAX_WAITS);

	/** Null where the gate has to be asked. */
	of(bucket: string, now: number): Exhausted | null {
		const refusal = this.#refusals.get(bucket);
		const retryAfterSeconds = refusal ? this.#waits.of(bucket, undefined, now) : null;
		return refusal && retryAfterSeconds !== null ? { ...refusal, retryAfterSeconds } : null;
	}

	remember(bucket: string, now: number, refusal: Exhausted): void {
		this.#waits.remember(bucket, undefined, now, refusal.retryAfterSeconds);
		this.#refusals.set(bucket, refusal);
	}
}
