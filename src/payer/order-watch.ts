/**
 * OrderWatch: one Durable Object that finds out which of the watched orders have changed. Every two seconds one query of
 * D1 reads the versions of all of them, and only the objects of those that changed are called. While no order is watched
 * nothing runs. The path of money knows nothing of it.
 *
 * The rounds are alarms, so that nothing ends them. Nothing else is stored: after a restart the orders' objects register
 * again, within a minute.
 */
import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import type { Env } from '../env.ts';
import { logError } from '../log.ts';
import { waitingOn } from '../orders/shown.ts';
import { objectNamed } from '../region.ts';
import { type OrderWatchRpc, WATCH_MILLISECONDS } from './rpc.ts';
import { type WatchedRow, watchedRows } from './store.ts';
import { versionOf } from './version.ts';

const PACE_MILLISECONDS = 2_000;
/** A round that is later than this was lost. */
const LATE_MILLISECONDS = 10_000;
/** The agents are asked for confirmations at every fifth round. */
const ROUNDS_PER_DEPTHS = 5;
/** Two registrations may be lost. */
const KEPT_MILLISECONDS = 3 * WATCH_MILLISECONDS;
/** Orders that one query asks for. The pages of further ones poll. */
const MAX_WATCHED = 5_000;

interface Watched {
	version: string;
	/** Null where they were not told. */
	confirmations: number | null;
	/** Unix milliseconds of the last registration. */
	at: number;
}

export class OrderWatch extends DurableObject<Env> implements OrderWatchRpc {
	readonly #watched = new Map<string, Watched>();
	/** Of the next round, Unix milliseconds; 0 while no order is watched. */
	#dueAt = 0;
	#rounds = 0;

	async watch(orderId: string, version: string): Promise<boolean> {
		const known = this.#watched.get(orderId);
		if (!known && this.#watched.size >= MAX_WATCHED) return false;
		const at = Date.now();
		if (known) known.at = at;
		else this.#watched.set(orderId, { version, confirmations: confirmationsIn(version), at });
		if (this.#dueAt < at - LATE_MILLISECONDS) await this.#next(at + 1);
		return true;
	}

	/** Never throws: the next round follows in any case, as long as an order is watched. */
	override async alarm(): Promise<void> {
		const startedAt = Date.now();
		for (const [id, { at }] of this.#watched) if (at < startedAt - KEPT_MILLISECONDS) this.#watched.delete(id);
		if (this.#watched.size === 0) {
			this.#dueAt = 0;
			return;
		}
		try {
			await this.#look();
		} catch (error) {
			logError('watched_orders_not_read', error, { orders: this.#watched.size });
		}
		await this.#next(Math.max(startedAt + PACE_MILLISECONDS, Date.now() + 1));
	}

	async #next(at: number): Promise<void> {
		this.#dueAt = at;
		await this.ctx.storage.setAlarm(at);
	}

	async #look(): Promise<void> {
		const rows = await watchedRows(drizzle(this.env.DB), [...this.#watched.keys()]);
		if (this.#rounds++ % ROUNDS_PER_DEPTHS === 0) await this.#askForDepths(rows);
		await Promise.all(
			rows.map(async (row) => {
				const known = this.#watched.get(row.id);
				const version = versionOf(row, row.status === 'PENDING' ? (known?.confirmations ?? null) : null);
				if (!known || known.version === version) return;
				known.version = version;
				const isWatched = await objectNamed(this.env, this.env.ORDER_STREAM, row.id).changed(version);
				if (!isWatched) this.#watched.delete(row.id);
			}),
		);
	}

	/** One call for each network on which a watched order waits for confirmations. */
	async #askForDepths(rows: readonly WatchedRow[]): Promise<void> {
		const pending = rows.filter(({ status }) => status === 'PENDING');
		const byNetwork = Map.groupBy(pending, ({ fromNetwork }) => fromNetwork);
		await Promise.all(
			[...byNetwork].map(async ([network, own]) => {
				const ids = own.map(({ id }) => id);
				const waiting = await waitingOn(this.env, network, ids);
				for (const id of ids) {
					const known = this.#watched.get(id);
					if (known) known.confirmations = waiting[id]?.confirmations ?? null;
				}
			}),
		);
	}
}

/** Of a version that was made elsewhere. */
function confirmationsIn(version: string): number | null {
	const text = version.slice(version.lastIndexOf('.') + 1);
	return /^\d+$/.test(text) ? Number(text) : null;
}
