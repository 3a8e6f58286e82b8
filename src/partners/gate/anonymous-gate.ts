/**
 * AnonymousGate: one Durable Object per endpoint and client network (/24, /48), 60 calls a minute (book: contract,
 * "Limits"), and one per network for the pages of orders, whose budget the caller names. Its window is in memory. What is
 * stored is never less than what was spent: the first call after the object wakes is stored by itself, the second one
 * stores the whole budget as spent, and the calls that follow cost no write. When no call has come for some seconds, what
 * was really spent is stored instead. So an object that goes to sleep loses nothing, and one that a crash or a deployment
 * ends counts all of its budget as spent when it wakes. An alarm deletes what is stored once the window is empty, so that
 * addresses that came once leave nothing behind.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../env.ts';
import type { AnonymousGateRpc, AnonymousSpend } from './rpc.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

const ONE_CALL: AnonymousSpend = { weight: 1, perMinute: 60 };
const KEY = 'window';
/** What was spent is stored when no call came for so long. The platform lets an object sleep after ten seconds. */
const QUIET_MILLISECONDS = 4_000;

interface Entry {
	readonly at: number;
	readonly weight: number;
	/** The whole budget, spent at whatever time it is found. */
	readonly isReserved?: true;
}

export class AnonymousGate extends DurableObject<Env> implements AnonymousGateRpc {
	readonly #window = new SlidingWindow();
	/** Has this object stored a call since it woke? */
	#isStored = false;
	/** Is the whole budget stored as spent? */
	#isReserved = false;
	/** Unix milliseconds of the last call that was admitted. */
	#calledAt = 0;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.blockConcurrencyWhile(async () => {
			const now = Date.now();
			for (const { at, weight, isReserved } of (await ctx.storage.get<Entry[]>(KEY)) ?? []) {
				this.#window.add(isReserved ? now : at, weight);
			}
		});
	}

	/** Seconds to wait, or null when the call is admitted. Check and record are one turn; the answer waits for its write, if there is one. */
	admit({ weight, perMinute }: AnonymousSpend = ONE_CALL): number | null {
		const now = Date.now();
		const retryAfterSeconds = this.#window.retryAfterSeconds(now, weight, perMinute);
		if (retryAfterSeconds !== null) return retryAfterSeconds;
		this.#window.add(now, weight);
		this.#calledAt = now;
		if (this.#isReserved) return null;
		if (this.#isStored) this.#reserve(now, perMinute);
		else this.#store(now);
		return null;
	}

	override async alarm(): Promise<void> {
		const now = Date.now();
		const newest = this.#window.entries(now).at(-1);
		if (newest) {
			await this.ctx.storage.setAlarm(newest.at + WINDOW_MILLISECONDS + 1);
			return;
		}
		this.#isStored = false;
		await this.ctx.storage.deleteAll();
	}

	/** Most networks call once. */
	#store(now: number): void {
		this.#isStored = true;
		this.ctx.storage.put(KEY, this.#window.entries(now));
		this.ctx.storage.setAlarm(now + WINDOW_MILLISECONDS + 1);
	}

	/** An older version of this code, which does not know what is reserved, forgets it at its time. */
	#reserve(now: number, perMinute: number): void {
		this.#isReserved = true;
		const all: Entry = { at: now + WINDOW_MILLISECONDS, weight: perMinute, isReserved: true };
		this.ctx.storage.put(KEY, [all]);
		this.#settleWhenQuiet(now);
	}

	#settleWhenQuiet(now: number): void {
		setTimeout(
			() => {
				const later = Date.now();
				if (later - this.#calledAt < QUIET_MILLISECONDS) return this.#settleWhenQuiet(later);
				this.#isReserved = false;
				this.ctx.storage.put(KEY, this.#window.entries(later));
			},
			this.#calledAt + QUIET_MILLISECONDS - now,
		);
	}
}
