/**
 * AnonymousGate: one Durable Object per endpoint and client network (/24, /48), 60 calls a minute (book: contract,
 * "Limits"), and one per network for the pages of orders, whose budget the caller names. Its window is in memory. What is
 * stored is never less than what was spent: the first call after the object wakes is stored by itself, the second one
 * stores all that is left of the budget as if it were spent, and the calls that follow cost no write. A few seconds later
 * what was really spent is stored instead. So an object that goes to sleep loses nothing, and one that a crash or a
 * deployment ends counts what it reserved as spent. An alarm deletes what is stored once the window is empty, so that
 * addresses that came once leave nothing behind.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../env.ts';
import type { AnonymousGateRpc, AnonymousSpend } from './rpc.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

const ONE_CALL: AnonymousSpend = { weight: 1, perMinute: 60 };
const KEY = 'window';
/** A reservation is settled after so long. The platform lets an object sleep after ten seconds without a call. */
const SETTLE_MILLISECONDS = 4_000;
/** No call is admitted by an older reservation, should the timer be late. */
const RESERVED_MILLISECONDS = 8_000;

interface Entry {
	readonly at: number;
	readonly weight: number;
}

/** Weight that is stored as spent at `until`, and is not spent yet. */
interface Reserved {
	weight: number;
	/** Unix milliseconds. */
	readonly until: number;
}

export class AnonymousGate extends DurableObject<Env> implements AnonymousGateRpc {
	readonly #window = new SlidingWindow();
	#reserved: Reserved = { weight: 0, until: 0 };
	#isFirst = true;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.blockConcurrencyWhile(async () => {
			// A reservation that was lost was spent by now, if it was.
			const now = Date.now();
			for (const { at, weight } of (await ctx.storage.get<Entry[]>(KEY)) ?? []) {
				this.#window.add(Math.min(at, now), weight);
			}
		});
	}

	/** Seconds to wait, or null when the call is admitted. Check and record are one turn; the answer waits for its write, if there is one. */
	admit({ weight, perMinute }: AnonymousSpend = ONE_CALL): number | null {
		const now = Date.now();
		const retryAfterSeconds = this.#window.retryAfterSeconds(now, weight, perMinute);
		if (retryAfterSeconds !== null) return retryAfterSeconds;
		this.#window.add(now, weight);
		if (this.#reserved.weight >= weight && this.#reserved.until > now) this.#reserved.weight -= weight;
		else if (this.#isFirst) this.#storeFirst(now);
		else this.#reserve(now, perMinute);
		return null;
	}

	override async alarm(): Promise<void> {
		const now = Date.now();
		const newest = this.#window.entries(now).at(-1);
		if (newest) {
			await this.ctx.storage.setAlarm(newest.at + WINDOW_MILLISECONDS + 1);
			return;
		}
		this.#reserved = { weight: 0, until: 0 };
		this.#isFirst = true;
		await this.ctx.storage.deleteAll();
	}

	/** Most networks call once. */
	#storeFirst(now: number): void {
		this.#isFirst = false;
		this.ctx.storage.put(KEY, this.#window.entries(now));
		this.ctx.storage.setAlarm(now + WINDOW_MILLISECONDS + 1);
	}

	#reserve(now: number, perMinute: number): void {
		const reserved = { weight: perMinute - this.#window.used(now), until: now + RESERVED_MILLISECONDS };
		const ahead: Entry = { at: reserved.until, weight: reserved.weight };
		this.#reserved = reserved;
		this.ctx.storage.put(KEY, [...this.#window.entries(now), ahead]);
		setTimeout(() => {
			if (this.#reserved === reserved) this.#settle();
		}, SETTLE_MILLISECONDS);
	}

	/** From here on what is stored is what was spent. */
	#settle(): void {
		this.#reserved = { weight: 0, until: 0 };
		this.ctx.storage.put(KEY, this.#window.entries(Date.now()));
	}
}
