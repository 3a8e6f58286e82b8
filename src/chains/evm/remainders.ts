/**
 * How much of each address's balance no deposit explains yet, and the deposits that were found. Promises: the credited
 * deposits of an address never add up to more than its unexplained balance. So no mistake in explaining can create
 * money.
 */
import { greater } from '../../money/units.ts';
import type { Evidence } from './credits.ts';

export interface Target {
	/** Lower case. */
	readonly address: string;
	readonly known: readonly Evidence[];
	/** Balance beyond what is on record; positive. */
	readonly unexplained: bigint;
	/** Was the address swept? Then its balance is lower than what arrived. */
	readonly hasBeenSwept: boolean;
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

	constructor(targets: readonly Target[]) {
		this.#remaining = new Map(targets.map(({ address, unexplained }) => [address, unexplained]));
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
