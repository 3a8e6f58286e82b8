/**
 * When an agent polls. A network on which nothing is open is polled slowly. What can still come there is paid to addresses
 * whose window has closed, and no payer is late by it: late is who pays after the window as of the poll before
 * (`record.ts`), which is the more lenient the rarer polls are. Each poll asks D1, so a lost word of a new order, a
 * restart or a D1 that was set back costs one slow poll at most. Of all this only the alarm is stored.
 */
import { type SQL, sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName } from '../../catalog/networks.ts';
import type { NetworkMode } from '../../chains/configuration.ts';
import type { Db } from '../../platform/d1/database.ts';
import { Stored } from '../../platform/stored.ts';

/** An alarm that is later than this was lost. */
const LATE_MILLISECONDS = 30_000;
/** A sent transaction is queried in every second poll, and at least this often. */
const POLLS_PER_FOLLOWING = 2;
const FOLLOW_MILLISECONDS = 30_000;

/** How long a sent transaction waits until the chain is queried for it again. `pace`: milliseconds from poll to poll. */
export const followMilliseconds = (pace: number): number => Math.min(POLLS_PER_FOLLOWING * pace, FOLLOW_MILLISECONDS);

export class Pace extends Stored {
	#isPolling = false;
	#isWoken = false;
	#isIdle = false;
	#keptUntil = 0;
	#startedAt = 0;

	/** Sets an alarm that was lost. */
	async rearm(): Promise<void> {
		const alarm = await this.storage.getAlarm();
		const isLost = alarm === null ? !this.#isPolling : alarm < Date.now() - LATE_MILLISECONDS;
		if (isLost) await this.storage.setAlarm(Date.now() + 1);
	}

	/** The next poll comes at once. */
	async wake(): Promise<void> {
		this.#isIdle = false;
		if (this.#isPolling) this.#isWoken = true;
		else await this.storage.setAlarm(Date.now() + 1);
	}

	/** The next poll, and all in this time, come at the usual pace. */
	async keep(mode: NetworkMode, milliseconds: number): Promise<void> {
		this.#isIdle = false;
		this.#keptUntil = Math.max(this.#keptUntil, Date.now() + milliseconds);
		if (this.#isPolling) return;
		const alarm = await this.storage.getAlarm();
		const next = this.#usual(mode);
		if (alarm === null || alarm > next) await this.storage.setAlarm(next);
	}

	/** A poll begins. Did it come at the slow pace? */
	begin(now: number): boolean {
		const wasIdle = this.#isIdle;
		[this.#startedAt, this.#isPolling, this.#isWoken, this.#isIdle] = [now, true, false, false];
		return wasIdle;
	}

	/** The poll was whole and has left nothing open. */
	rest(): void {
		this.#isIdle = !this.#isWoken && Date.now() >= this.#keptUntil;
	}

	async end(network: NetworkName, mode: NetworkMode): Promise<void> {
		this.#isPolling = false;
		const next = this.#isIdle ? slowPollAfter(this.#startedAt, network, mode.idleSeconds) : this.#usual(mode);
		await this.storage.setAlarm(this.#isWoken ? Date.now() + 1 : Math.max(Date.now() + 1, next));
	}

	#usual({ pollSeconds }: NetworkMode): number {
		return Math.max(Date.now() + 1, this.#startedAt + 1000 * pollSeconds);
	}
}

/**
 * Unix milliseconds of a network's next slow poll: at most `idleSeconds` after the last one. Each network has its own
 * moment within that time, evenly apart, so that D1, and a machine that runs all networks, serve one after the other:
 * twelve polls at once held up all calls for a quarter of a second.
 */
export function slowPollAfter(startedAt: number, network: NetworkName, idleSeconds: number): number {
	const period = 1000 * idleSeconds;
	const moment = Math.floor((NETWORK_NAMES.indexOf(network) * period) / NETWORK_NAMES.length);
	return startedAt + period - ((startedAt - moment) % period);
}

/**
 * Is anything open that began on this network: a transaction, a deposit that is not final, an order that waits for its
 * deposit or for more of it, or one that time, a price or an answer of screening moves on, coins or a token that are to go
 * back now?
 */
export const isBusy = (db: Db, network: NetworkName, now: number): Promise<boolean> => holds(db, open(network, now));

/**
 * Is anything open, or is there anything that work in the background may move? One question in place of one for each part of
 * a slow poll: twelve networks ask it each minute, beside the calls of partners.
 */
export const hasWork = (db: Db, network: NetworkName, now: number): Promise<boolean> =>
	holds(
		db,
		sql`${open(network, now)}
			or exists (select 1 from sweep_candidates where network = ${network})
			or exists (select 1 from overflows where network = ${network} and due_at is not null and due_at <= ${now})`,
	);

async function holds(db: Db, condition: SQL): Promise<boolean> {
	const { found } = await db.get<{ readonly found: number }>(sql`select ${condition} as found`);
	return found === 1;
}

const open = (network: NetworkName, now: number): SQL => sql`
	exists (select 1 from transactions where network = ${network} and state <> 'final')
	or exists (select 1 from deposits indexed by deposits_open
		where network = ${network} and state <> 'final' and state = 'seen')
	or exists (select 1 from orders indexed by orders_unfunded
		where from_network = ${network} and status = 'NEW' and deleted_at is null)
	or exists (select 1 from orders indexed by orders_moving
		where from_network = ${network} and status in ('PENDING', 'EMERGENCY') and deleted_at is null
			and (status = 'PENDING' or emergency_choice is not null or expires_at > ${now}))
	or exists (select 1 from strays indexed by strays_due
		where network = ${network} and due_at is not null and due_at <= ${now})
	or exists (select 1 from unlisted_tokens indexed by unlisted_tokens_asked
		where network = ${network} and asked_at is not null)`;
