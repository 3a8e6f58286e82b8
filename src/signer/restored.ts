/**
 * Rules for a signer whose journal was restored from a backup, or lost, or set back (`lost.ts`). What it signed meanwhile is
 * not in the journal, but may be on the chain. So nothing that could have been signed then is signed before a person has
 * looked.
 *
 * - Orders that are newer than the mark are signed as always. Nobody can have paid them before: this journal derived their
 *   pay-in address after the mark, at an index that no earlier signer has reached. The index is part of the order's seal.
 * - Each older order waits until the operator has confirmed that nothing was sent for it, and the signer's own nodes show
 *   nothing either, unless the journal has its
 *   transaction: then the answer is that transaction, as always.
 * - What belongs to no order (earnings, withdrawals, gas, sweeps, consolidations) waits until the operator has confirmed
 *   all of it at once.
 *
 * An attacker who confirms too early can have a payment made twice that the journal has forgotten, and no other: seals,
 * deposits, prices and caps are checked as always.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { Stored } from '../platform/stored.ts';
import type { Doubted, MarkCause, OrderPlace, RestoredState } from '../ports/copy.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';

const MARK = 'restored';
const CLEARED = 'cleared ';

/** In the storage of the vault. */
interface Mark {
	readonly cause: MarkCause;
	/** Null where there was no backup. */
	readonly backupAt: number | null;
	readonly restoredAt: number;
	/** By network: the first derivation index that belongs to orders of after the mark. While there is none, none is newer. */
	readonly floors: Readonly<Record<string, number>>;
	/** When the operator confirmed what belongs to no order. */
	readonly confirmedAt: number | null;
	/** When the operator said that the case is closed; null while `attention` names it. */
	readonly endedAt: number | null;
}

const otherOf = (orderId: string, asset: string, txId: string): string => `${CLEARED}${orderId} ${asset} ${txId}`;

/** Entries that stay out of a backup: the next restore makes every order doubtful again. */
export const isMarkOfRestore = (name: string): boolean => name === MARK || name.startsWith(CLEARED);

export class Restored extends Stored {
	state(): RestoredState | null {
		const mark = this.#mark();
		if (!mark) return null;
		const { cause, backupAt, restoredAt, confirmedAt, endedAt } = mark;
		return { cause, backupAt, restoredAt, confirmedAt, endedAt };
	}

	/**
	 * Every order that there is now is an older one, also those that were confirmed before: what was signed for them then may
	 * be what was forgotten.
	 */
	begin(mark: Omit<Mark, 'confirmedAt' | 'endedAt'>): void {
		for (const [name] of [...this.storage.kv.list({ prefix: CLEARED })]) this.storage.kv.delete(name);
		this.storage.kv.put(MARK, { ...mark, confirmedAt: null, endedAt: null } satisfies Mark);
	}

	/** Is there a mark, and has nothing been derived for this network since? */
	wantsFloor(network: NetworkName): boolean {
		const mark = this.#mark();
		return mark !== null && mark.floors[network] === undefined;
	}

	/** `index`: the first that was derived for the network after the mark, above all that any journal has reached. */
	setFloor(network: NetworkName, index: number): void {
		const mark = this.#mark();
		if (mark && mark.floors[network] === undefined)
			this.storage.kv.put(MARK, { ...mark, floors: { ...mark.floors, [network]: index } } satisfies Mark);
	}

	/** The operator has closed the case: `attention` does not name it any more. What waits goes on waiting. */
	end(restoredAt: number, now: number): void {
		const mark = this.#mark();
		if (mark?.restoredAt === restoredAt) this.storage.kv.put(MARK, { ...mark, endedAt: now } satisfies Mark);
	}

	/** Nothing was sent for these orders: the chains show nothing, or the operator has looked (`older-orders.ts`). */
	clearOrders(orderIds: readonly string[], now: number): void {
		for (const id of orderIds) this.storage.kv.put(`${CLEARED}${id}`, now);
	}

	/** The operator has looked: this transaction paid something else than the return of this stray. Of other strays it says nothing. */
	clearOther(orderId: string, asset: string, txId: string, now: number): void {
		this.storage.kv.put(otherOf(orderId, asset, txId), now);
	}

	isOther(orderId: string, asset: string, txId: string): boolean {
		return this.storage.kv.get(otherOf(orderId, asset, txId)) !== undefined;
	}

	/** The operator has looked: nothing that belongs to no order is missing in the journal. */
	confirm(now: number): void {
		const mark = this.#mark();
		if (mark) this.storage.kv.put(MARK, { ...mark, confirmedAt: now } satisfies Mark);
	}

	/** `order`: its seal holds, so network and index are those that it was made with. */
	orderRefusal(order: OrderPlace): SignerRefusal | null {
		const mark = this.#mark();
		if (!mark || !this.isOlder(order)) return null;
		if (this.storage.kv.get(`${CLEARED}${order.id}`) !== undefined) return null;
		return { kind: 'restored-order', orderId: order.id, backupAt: mark.backupAt };
	}

	/** Was it made before the restore, confirmed or not? */
	isOlder({ fromNetwork, payInIndex }: Omit<OrderPlace, 'id'>): boolean {
		const mark = this.#mark();
		return mark !== null && payInIndex < (mark.floors[fromNetwork] ?? Number.POSITIVE_INFINITY);
	}

	doubted(placed: readonly OrderPlace[]): Doubted {
		const orders = placed.filter((order) => this.orderRefusal(order)).map(({ id }) => id);
		return { orders, own: this.otherRefusal() !== null };
	}

	/** Judges another version of a payment whose newest known one is of `signedAt`. `orderId`: empty where it has none. */
	versionRefusal(orderId: string, signedAt: number): SignerRefusal | null {
		const mark = this.#mark();
		if (!mark || signedAt > mark.restoredAt) return null;
		if (orderId === '') return this.otherRefusal();
		if (this.storage.kv.get(`${CLEARED}${orderId}`) !== undefined) return null;
		return { kind: 'restored-order', orderId, backupAt: mark.backupAt };
	}

	/** Judges what belongs to no order. */
	otherRefusal(): SignerRefusal | null {
		const mark = this.#mark();
		return mark && mark.confirmedAt === null ? { kind: 'restored', backupAt: mark.backupAt } : null;
	}

	#mark(): Mark | null {
		return this.storage.kv.get<Mark>(MARK) ?? null;
	}
}
