/**
 * JournalVolume: one Durable Object for each span of time, which has what the vault's journal has moved to it, in the same
 * tables. It has no key and signs nothing. It takes entries until it is as large as the journal was, and is closed for good
 * then. Only the vault asks it.
 */
import { DurableObject } from 'cloudflare:workers';
import { type Page, type Place, type ReadPage, readPage, rowsIn, writePage } from '../../backup/object-storage.ts';
import type { SignedOrder } from '../../ports/copy.ts';
import type { Contradiction, OrderClaim } from '../../treasury/order-claim.ts';
import type { SentClaim } from '../../treasury/sent-claim.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { Journal } from './journal.ts';
import type { EntryName } from './moved.ts';
import { entriesOf, insertEntries, type OrderEntries, orderNamed, removeEntries } from './order-entries.ts';
import { type SignedTerms, signedTerms } from './signed-terms.ts';

const CLOSED = 'closed';
const RESTORING = 'restoring';
const STEPS = 'schema_steps';

export interface VolumeState {
	/** The number of the call with which it took entries last. It never falls, so one that was set back is noticed. */
	readonly takes: number;
	readonly bytes: number;
	readonly isClosed: boolean;
	/** A restore fills it. */
	readonly isRestoring: boolean;
}

interface Taking {
	/** The number of this call: each has a higher one than those before. */
	readonly asked: number;
	/** The number of the last call whose answer the journal has. */
	readonly takes: number;
	/** Bytes. */
	readonly most: number;
}

export interface Taken extends VolumeState {
	/** False where it was closed or set back, or a later call was first. */
	readonly hasTaken: boolean;
}

export class JournalVolume extends DurableObject {
	readonly #journal = new Journal(this.ctx.storage);

	async state(): Promise<VolumeState> {
		const { refusal, entries } = this.#journal;
		if (refusal) throw new TypeError(refusalText(refusal));
		const { sql, kv } = this.ctx.storage;
		const is = { isClosed: kv.get(CLOSED) === true, isRestoring: this.#restoring() !== null };
		return { takes: entries.number(), bytes: sql.databaseSize, ...is };
	}

	/**
	 * Atomic: one transaction, which also closes a volume that has reached `most` bytes by it. An older copy of an order goes
	 * first, so the same entries may come again. A call that comes after a later one is refused: its entries are older.
	 */
	async take(orders: readonly OrderEntries[], { asked, takes, most }: Taking): Promise<Taken> {
		const before = await this.state();
		if (before.isClosed || before.takes < takes || asked <= before.takes) return { ...before, hasTaken: false };
		const { storage } = this.ctx;
		storage.transactionSync(() => {
			for (const order of orders) {
				removeEntries(storage.sql, order.orderId);
				// A coin of an older copy may have become free, and have been spent by this one.
				insertEntries(storage.sql, order, 'REPLACE');
			}
			storage.sql.exec('UPDATE entries SET number = ?', asked);
			if (storage.sql.databaseSize >= most) storage.kv.put(CLOSED, true);
		});
		return { ...(await this.state()), hasTaken: true };
	}

	/** All entries of the orders with these names, which stay here too. */
	async give(names: readonly EntryName[]): Promise<{ state: VolumeState; orders: OrderEntries[] }> {
		const { sql } = this.ctx.storage;
		const orderIds = new Set(names.flatMap((name) => orderNamed(sql, name) ?? []));
		return { state: await this.state(), orders: [...orderIds].map((orderId) => entriesOf(sql, orderId)) };
	}

	async contradictions(claims: readonly OrderClaim[]): Promise<(Contradiction | null)[]> {
		return claims.map((claim) => this.#journal.addressOrders.contradictionOf(claim));
	}

	async terms(claims: readonly SentClaim[]): Promise<SignedTerms[]> {
		return signedTerms(this.ctx.storage, claims);
	}

	async signed(below: number | null): Promise<SignedOrder[]> {
		return this.#journal.addressOrders.signed(below);
	}

	async rows(): Promise<Record<string, number>> {
		return rowsIn(this.ctx.storage);
	}

	async read(place: Place): Promise<ReadPage> {
		return readPage(this.ctx.storage, place, (name) => name === RESTORING);
	}

	/** Into an empty volume. The rows of a restore of another backup, which has not ended, go first. @throws where it took something */
	async write(backupId: string, page: Page): Promise<void> {
		const { storage } = this.ctx;
		const restoring = this.#restoring();
		if (restoring === null && (await this.state()).takes > 0) throw new Error('a volume of the journal is not empty');
		storage.transactionSync(() => {
			if (restoring !== backupId)
				for (const table of Object.keys(rowsIn(storage)))
					if (table !== STEPS) storage.sql.exec(`DELETE FROM "${table}"`);
			storage.kv.put(RESTORING, backupId);
			writePage(storage, page);
		});
	}

	async endRestore(): Promise<void> {
		this.ctx.storage.kv.delete(RESTORING);
	}

	#restoring(): string | null {
		return this.ctx.storage.kv.get<string>(RESTORING) ?? null;
	}
}
