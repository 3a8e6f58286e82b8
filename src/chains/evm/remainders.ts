/**
 * How much of each address's balance no deposit explains yet, and the deposits that were found. Promises: the credited
 * deposits of an address never add up to more than its unexplained balance. So no mistake in explaining can create
 * money.
 */
import { greater } from '../../money/units.ts';
import type { Grown } from '../by-balance.ts';
import type { Evidence } from './credits.ts';

/** Heights between which a search looks. */
export interface Heights {
	readonly head: number;
	/** Down to which to search, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
}

export interface Found extends Evidence {
	readonly address: string;
	readonly height: number;
}

export interface Explanation {
	readonly found: readonly Found[];
	/** Everything up to this height is explained. */
	readonly reached: number;
	/** Payments that could not be read and are not credited, one line each. */
	readonly unread: readonly string[];
}

export class Remainders {
	/** The credited deposits. */
	readonly found: Found[] = [];
	readonly #remaining: Map<string, bigint>;

	constructor(targets: readonly Grown[]) {
		this.#remaining = new Map(targets.map(({ place, unexplained }) => [place, unexplained]));
	}

	/** The part of the address's balance that nothing explains yet. */
	of(address: string): bigint {
		return this.#remaining.get(address) ?? 0n;
	}

	/** The addresses that still have a remainder. */
	open(): string[] {
		return [...this.#remaining.keys()].filter((address) => this.of(address) > 0n);
	}

	/** Credits the deposit, unless it is larger than its address's remainder. */
	credit(deposit: Found): void {
		if (deposit.amount > this.of(deposit.address)) return;
		this.giveUp(deposit.address, deposit.amount);
		this.found.push(deposit);
	}

	/** Lowers the remainder, to zero at most, without crediting anything. */
	giveUp(address: string, amount: bigint): void {
		this.#remaining.set(address, greater(this.of(address) - amount, 0n));
	}
}
