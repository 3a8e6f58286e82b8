/**
 * What a signer signs whose journal was restored from a backup, or lost (`lost.ts`). What it signed after the backup is not in the journal,
 * but may be on the chain. So nothing that could have been signed then is signed before a person has looked.
 *
 * - Orders that are newer than the restore are signed as always. Nobody can have paid them before: their pay-in address
 *   has an index that no earlier signer has reached. The index is part of the order's seal.
 * - Each older order waits until the operator has confirmed that nothing was sent for it, unless the journal has its
 *   transaction: then the answer is that transaction, as always.
 * - What belongs to no order (earnings, withdrawals, gas, sweeps, consolidations) waits until the operator has confirmed
 *   all of it at once.
 *
 * An attacker who confirms too early can have a payment made twice that was made between the backup and the restore, and
 * no other: seals, deposits, prices and caps are checked as always.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { RestoredState } from '../treasury/copy-port.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import { scopeOf } from './new-addresses.ts';

const MARK = 'restored';
const CLEARED = 'cleared ';

/** In the storage of the vault. Times are Unix milliseconds. */
interface Mark {
	/** Null where the journal was lost. */
	readonly backupAt: number | null;
	readonly restoredAt: number;
	/** By scope: the first derivation index that belongs to orders of after the restore. */
	readonly floors: Readonly<Record<string, number>>;
	/** When the operator confirmed what belongs to no order. */
	readonly confirmedAt: number | null;
}

/** Entries that stay out of a backup: the next restore makes every order doubtful again. */
export const isMarkOfRestore = (name: string): boolean => name === MARK || name.startsWith(CLEARED);

export class Restored {
	readonly #kv: DurableObjectStorage['kv'];

	constructor({ kv }: DurableObjectStorage) {
		this.#kv = kv;
	}

	state(): RestoredState | null {
		const mark = this.#mark();
		if (!mark) return null;
		const { backupAt, restoredAt, confirmedAt } = mark;
		return { backupAt, restoredAt, confirmedAt };
	}

	/** `floors`: as in `Mark`. False where there is a mark already, which stays. */
	begin(mark: Omit<Mark, 'confirmedAt'>): boolean {
		if (this.#mark()) return false;
		this.#kv.put(MARK, { ...mark, confirmedAt: null } satisfies Mark);
		return true;
	}

	/** The operator has looked: nothing was sent for these orders. */
	clearOrders(orderIds: readonly string[], now: number): void {
		for (const id of orderIds) this.#kv.put(`${CLEARED}${id}`, now);
	}

	/** The operator has looked: nothing that belongs to no order is missing in the journal. */
	confirm(now: number): void {
		const mark = this.#mark();
		if (mark) this.#kv.put(MARK, { ...mark, confirmedAt: now } satisfies Mark);
	}

	/** `order`: its seal holds, so network and index are those that it was made with. */
	orderRefusal(order: {
		readonly id: string;
		readonly fromNetwork: NetworkName;
		readonly payInIndex: number;
	}): SignerRefusal | null {
		const mark = this.#mark();
		if (!mark || order.payInIndex >= (mark.floors[scopeOf(order.fromNetwork)] ?? Number.POSITIVE_INFINITY)) return null;
		if (this.#kv.get(`${CLEARED}${order.id}`) !== undefined) return null;
		return { kind: 'restored-order', orderId: order.id, backupAt: mark.backupAt };
	}

	/** Of another version of a payment whose newest known one is of `signedAt`. `orderId`: empty where it has none. */
	versionRefusal(orderId: string, signedAt: number): SignerRefusal | null {
		const mark = this.#mark();
		if (!mark || signedAt > mark.restoredAt) return null;
		if (orderId === '') return this.otherRefusal();
		if (this.#kv.get(`${CLEARED}${orderId}`) !== undefined) return null;
		return { kind: 'restored-order', orderId, backupAt: mark.backupAt };
	}

	/** Of what belongs to no order. */
	otherRefusal(): SignerRefusal | null {
		const mark = this.#mark();
		return mark && mark.confirmedAt === null ? { kind: 'restored', backupAt: mark.backupAt } : null;
	}

	#mark(): Mark | null {
		return this.#kv.get<Mark>(MARK) ?? null;
	}
}
