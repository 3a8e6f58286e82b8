/**
 * The journal's older volumes. As soon as the journal is large (`SPLIT_BYTES`), each call that signs moves its oldest orders
 * to the newest volume, an object of its own: `journal-1`, and when that is full `journal-2`. What belongs to no order stays:
 * counters, caps, addresses, earnings that are not paid, withdrawals, the chain of the audit log.
 *
 * Moving has three steps, and the next call begins again where one was broken off. (1) The volume is opened: one statement
 * names it here. (2) It takes the orders' entries: one transaction of its own; it answers once they are durable. Calls have
 * numbers, so that one which comes late overwrites nothing newer. (3) Atomic:
 * one transaction here deletes these entries and stores their keys (`moved.ts`), unless one has changed since. Until (3) the
 * volume's copy counts for nothing, so at each moment the entries of an order are in exactly one place. Nothing is signed on
 * any network meanwhile.
 *
 * Before anything is judged, the entries of its names are brought back here, and move again later: so every rule reads and
 * writes one storage in one synchronous turn, as if there was one volume. Who forgets that cannot write (`mustBeHere`). A
 * volume that does not answer, or has not what it took, stops what belongs to it: what it has counts as signed.
 */
import { NETWORK_NAMES, networkNamed } from '../../catalog/networks.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { within } from '../../platform/within.ts';
import type { VolumeReport } from '../../ports/copy.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { SignerEnv } from '../env.ts';
import { addMoved, type EntryName, isMoved, removeMoved, volumesOf } from './moved.ts';
import { entriesOf, insertEntries, namesOf, type OrderEntries, removeEntries } from './order-entries.ts';
import { JournalPart } from './part.ts';
import { stillRead } from './spends.ts';
import type { JournalVolume, VolumeState } from './volume.ts';

/** From here on the oldest orders move to a volume, and a volume is closed. Alerts begin at 7 GB, of the platform's 10. */
const SPLIT_BYTES = 65e8;

/** Signatures whose orders one call moves: far more than one call makes. */
const PER_MOVE = 50;
/** Nothing is signed while a volume is waited for. */
const WAIT_MILLISECONDS = 10_000;

/** Whose payments leave coins available again once one of several versions is final (`Versions.decide`). */
const COINS = JSON.stringify(NETWORK_NAMES.filter((name) => ['utxo', 'monero'].includes(networkNamed(name).family)));
const UNDECIDED = `network IN (SELECT value FROM json_each(?))
	AND EXISTS (SELECT 1 FROM versions WHERE versions.payout_id = signatures.payout_id AND version > 0)
	AND NOT EXISTS (SELECT 1 FROM decided WHERE decided.payout_id = signatures.payout_id)`;

interface Known {
	readonly [column: string]: SqlStorageValue;
	readonly number: number;
	readonly takes: number;
	readonly orders: number;
	readonly closedAt: number | null;
}

export interface VolumesMeans {
	readonly env: Pick<SignerEnv, 'JOURNAL_VOLUME' | 'REGION'>;
	/** Why nothing may be written now; null where it may. */
	readonly closed: () => SignerRefusal | null;
	/** Runs while nothing is judged or signed. */
	readonly alone: (run: () => Promise<void>) => Promise<void>;
}

export class Volumes extends JournalPart {
	readonly #means: VolumesMeans;
	readonly #splitBytes: number;
	#isMoving = false;

	constructor(storage: DurableObjectStorage, means: VolumesMeans, splitBytes = SPLIT_BYTES) {
		super(storage);
		this.#means = means;
		this.#splitBytes = splitBytes;
	}

	/** In the order of time. */
	all(): Known[] {
		return this.rows<Known>('SELECT number, takes, orders, closed_at AS closedAt FROM volumes ORDER BY number');
	}

	/** @throws where the volume fails, or does not answer in time */
	ask<T>(number: number, call: (volume: DurableObjectStub<JournalVolume>) => Promise<T>): Promise<T> {
		const { env } = this.#means;
		return within(call(objectNamed(env, env.JOURNAL_VOLUME, `journal-${number}`)), WAIT_MILLISECONDS, () => {
			throw new Error(`journal-${number} did not answer in time`);
		});
	}

	/**
	 * Brings back all entries of these names. Why not; null where they are here, or nowhere. Atomic for each volume: one
	 * transaction puts them back and deletes their keys. @throws what `ask` throws
	 */
	async bring(names: readonly EntryName[]): Promise<SignerRefusal | null> {
		const { sql } = this.storage;
		for (const [number, wanted] of volumesOf(sql, names)) {
			const { state, orders } = await this.ask(number, (volume) => volume.give(wanted));
			const closed = this.#means.closed();
			if (closed) return closed;
			if (this.#isOlder(number, state)) return { kind: 'journal-volume-lost', volume: number };
			this.storage.transactionSync(() => {
				for (const order of orders) {
					const its = namesOf(order);
					// Another call may have been first; then what is here may be newer.
					if (!volumesOf(sql, its).has(number)) continue;
					// Some spends have stayed (`stillRead`).
					insertEntries(sql, order, 'IGNORE');
					removeMoved(sql, its);
				}
			});
			if (volumesOf(sql, wanted).has(number)) return { kind: 'journal-volume-lost', volume: number };
		}
		return null;
	}

	/**
	 * Asks volumes about many entries, each about those that it has. Nothing is brought back for that. @throws what `ask`
	 * throws, and where a volume has lost what it took
	 */
	async answers<Asked, Said>(
		asked: readonly Asked[],
		namesOfOne: (one: Asked) => readonly EntryName[],
		call: (volume: DurableObjectStub<JournalVolume>, some: readonly Asked[]) => Promise<Said[]>,
	): Promise<readonly (Said | null)[]> {
		const names = asked.map(namesOfOne);
		const said = asked.map((): Said | null => null);
		for (const [number, moved] of volumesOf(this.storage.sql, names.flat())) {
			const has = new Set(moved);
			const places = asked.flatMap((_, i) => (names[i]?.some((name) => has.has(name)) ? [i] : []));
			const some = places.map((place) => asked[place] as Asked);
			const state = await this.ask(number, (volume) => volume.state());
			if (this.#isOlder(number, state)) throw new Error(`journal-${number} has lost what it took`);
			const answers = await this.ask(number, (volume) => call(volume, some));
			for (const [i, place] of places.entries()) said[place] ??= answers[i] ?? null;
		}
		return said;
	}

	/** Moves the oldest orders where the journal is large. Never throws: it grows meanwhile, and the next call tries again. */
	async move(): Promise<void> {
		if (this.#isMoving || this.storage.sql.databaseSize < this.#splitBytes) return;
		this.#isMoving = true;
		try {
			await this.#means.alone(() => this.#moveOldest());
		} catch (error) {
			logError('journal_not_moved', error);
		} finally {
			this.#isMoving = false;
		}
	}

	async #moveOldest(): Promise<void> {
		const orders = this.#oldest();
		if (orders.length === 0 || this.#means.closed()) return;
		const number = await this.#open();
		const next = 'UPDATE volumes SET asked = asked + 1 WHERE number = ? RETURNING asked, takes';
		const call = this.first<{ asked: number; takes: number }>(next, number);
		if (!call) return;
		const taken = await this.ask(number, (volume) => volume.take(orders, { ...call, most: this.#splitBytes }));
		if (this.#isOlder(number, taken)) throw new Error(`journal-${number} has lost what it took`);
		this.storage.transactionSync(() => {
			const moved = taken.hasTaken ? orders.filter((order) => this.#forget(order, number)).length : 0;
			this.rows(
				'UPDATE volumes SET asked = max(asked, ?1), takes = ?1, orders = orders + ?2, closed_at = ?3 WHERE number = ?4',
				taken.takes,
				moved,
				taken.isClosed ? Date.now() : null,
				number,
			);
		});
		// It was closed by entries whose answer was lost, and the next volume takes them; or this journal was set back.
		if (!taken.hasTaken) await this.#moveOldest();
	}

	/** Only inside the transaction of step 3. False where it stays. */
	#forget(order: OrderEntries, number: number): boolean {
		const { sql } = this.storage;
		const names = namesOf(order);
		const hasChanged = JSON.stringify(entriesOf(sql, order.orderId)) !== JSON.stringify(order);
		if (hasChanged || isMoved(sql, names)) return false;
		addMoved(sql, names, number);
		removeEntries(sql, order.orderId, stillRead(sql, Date.now()));
		return true;
	}

	#oldest(): OrderEntries[] {
		const { sql } = this.storage;
		const found = this.rows<{ id: string }>(
			`SELECT order_id AS id FROM signatures WHERE order_id <> '' AND NOT (${UNDECIDED}) ORDER BY number LIMIT ${PER_MOVE}`,
			COINS,
		);
		const orderIds = [...new Set(found.map(({ id }) => id))];
		const isUndecided = (id: string) =>
			this.has(`SELECT 1 FROM signatures WHERE order_id = ? AND ${UNDECIDED}`, id, COINS);
		return orderIds.filter((id) => !isUndecided(id)).map((id) => entriesOf(sql, id));
	}

	/** The number of the volume that takes entries now. One that has some already is of a journal that was lost. */
	async #open(): Promise<number> {
		const newest = this.all().at(-1);
		if (newest?.closedAt === null) return newest.number;
		for (let number = (newest?.number ?? 0) + 1; ; number++) {
			if ((await this.ask(number, (volume) => volume.state())).takes > 0) continue;
			this.rows('INSERT INTO volumes VALUES (?, 0, 0, 0, NULL)', number);
			return number;
		}
	}

	/** Has it lost something since it took entries last? */
	#isOlder(number: number, { takes }: VolumeState): boolean {
		return takes < (this.all().find((each) => each.number === number)?.takes ?? 0);
	}

	/** The answers of all, in the order of time. @throws what `ask` throws */
	each<T>(call: (volume: DurableObjectStub<JournalVolume>) => Promise<T>): Promise<T[]> {
		return Promise.all(this.all().map(({ number }) => this.ask(number, call)));
	}

	/** For `doctor`: each volume, asked now. */
	report(): Promise<VolumeReport[]> {
		return Promise.all(
			this.all().map(async ({ number, orders, closedAt }): Promise<VolumeReport> => {
				const found = await this.ask(number, (volume) => volume.state()).catch((error: unknown) => String(error));
				if (typeof found === 'string') return { number, orders, closedAt, bytes: 0, problem: found };
				const problem = this.#isOlder(number, found) ? 'it has lost what it took' : null;
				return { number, orders, closedAt, bytes: found.bytes, problem };
			}),
		);
	}
}
