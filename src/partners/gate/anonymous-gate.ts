/**
 * AnonymousGate: one Durable Object per endpoint and client network (/24, /48), 60 calls a minute (book: contract,
 * "Limits"), and one per network for the pages of orders, whose budget the caller names. Its window is stored with every admitted call and thrown away by an alarm once it is empty, so that
 * addresses that came once leave nothing behind.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../../env.ts';
import type { AnonymousGateRpc, AnonymousSpend } from './rpc.ts';
import { SlidingWindow, WINDOW_MILLISECONDS } from './window.ts';

const ONE_CALL: AnonymousSpend = { weight: 1, perMinute: 60 };
const KEY = 'window';

interface Entry {
	readonly at: number;
	readonly weight: number;
}

export class AnonymousGate extends DurableObject<Env> implements AnonymousGateRpc {
	readonly #window = new SlidingWindow();
	#alarmed = false;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.blockConcurrencyWhile(async () => {
			for (const { at, weight } of (await ctx.storage.get<Entry[]>(KEY)) ?? []) this.#window.add(at, weight);
		});
	}

	/** Seconds to wait, or null when the call is admitted. Check and record are one turn; the answer waits for the write. */
	admit({ weight, perMinute }: AnonymousSpend = ONE_CALL): number | null {
		const now = Date.now();
		const retryAfterSeconds = this.#window.retryAfterSeconds(now, weight, perMinute);
		if (retryAfterSeconds !== null) return retryAfterSeconds;
		this.#window.add(now, weight);
		this.ctx.storage.put(KEY, this.#window.entries(now));
		if (!this.#alarmed) {
			this.#alarmed = true;
			this.ctx.storage.setAlarm(now + WINDOW_MILLISECONDS + 1);
		}
		return null;
	}

	override async alarm(): Promise<void> {
		const now = Date.now();
		const newest = this.#window.entries(now).at(-1);
		if (newest) {
			await this.ctx.storage.setAlarm(newest.at + WINDOW_MILLISECONDS + 1);
			return;
		}
		this.#alarmed = false;
		await this.ctx.storage.deleteAll();
	}
}
