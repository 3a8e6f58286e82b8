/**
 * A chain of Ethereum's kind in the simulated world: its native coin, blocks by the world's clock, a mempool with a price.
 * Only blocks that hold a transaction are kept; a leap of the clock costs nothing.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';

const BLOCK_MILLISECONDS = 12_000;
const FIRST_HEIGHT = 1_000;
export const GAS = 21_000n;
export const GWEI = 1_000_000_000n;

export interface Transaction {
	readonly hash: string;
	readonly from: string;
	readonly to: string;
	readonly value: bigint;
	readonly nonce: number;
	readonly maxFee: bigint;
	readonly tip: bigint;
	readonly enteredAt: number;
	/** A payer's: its sender's balance and nonce do not matter. */
	readonly isForeign: boolean;
}

export type Mined = Transaction & { readonly height: number; readonly price: bigint };
export type Point = readonly [height: number, value: bigint];

export interface SavedChain {
	readonly startedAt: number;
	readonly height: number;
	readonly foreign: number;
	readonly mempool: readonly Transaction[];
	readonly balances: Map<string, Point[]>;
	readonly nonces: ReadonlyMap<string, number>;
	readonly mined: ReadonlyMap<string, Mined>;
}

export class EvmChain {
	/** Of the next blocks, wei. */
	baseFee = GWEI;
	/** The node answers, and takes no transaction. */
	takesNothing = false;
	protected readonly now: () => number;
	protected readonly startedAt: number;
	protected readonly balances: Map<string, Point[]>;
	protected readonly nonces: Map<string, number>;
	protected readonly mined: Map<string, Mined>;
	protected mempool: Transaction[];
	protected height: number;
	protected foreign: number;

	/** `saved`: what another run had. */
	constructor(now: () => number, saved: SavedChain | null = null) {
		const begun: SavedChain = saved ?? {
			startedAt: now(),
			height: FIRST_HEIGHT,
			foreign: 0,
			mempool: [],
			balances: new Map(),
			nonces: new Map(),
			mined: new Map(),
		};
		this.now = now;
		this.startedAt = begun.startedAt;
		this.balances = structuredClone(begun.balances);
		this.nonces = new Map(begun.nonces);
		this.mined = new Map(begun.mined);
		this.mempool = [...begun.mempool];
		this.height = begun.height;
		this.foreign = begun.foreign;
	}

	save(): SavedChain {
		const kept = { startedAt: this.startedAt, height: this.height, foreign: this.foreign };
		const [balances, nonces, mined] = [structuredClone(this.balances), new Map(this.nonces), new Map(this.mined)];
		return { ...kept, mempool: [...this.mempool], balances, nonces, mined };
	}

	/** The coins that an address has from the beginning. */
	fund(address: string, amount: bigint): void {
		this.add(address.toLowerCase(), amount, FIRST_HEIGHT);
	}

	/** A payer sends coins. Returns the id of the transaction. */
	deposit(address: string, value: bigint): string {
		this.advance();
		const hash = hashOf(`deposit ${this.foreign++} ${address}`);
		const from = `0x${hashOf(`payer ${this.foreign}`).slice(-40)}`;
		const paid = { hash, from, to: address.toLowerCase(), value, nonce: 0, maxFee: 10n ** 15n, tip: GWEI };
		this.mempool.push({ ...paid, enteredAt: this.now(), isForeign: true });
		return hash;
	}

	/** What left an address and is in a block. */
	payments(from: string): Mined[] {
		this.advance();
		return [...this.mined.values()].filter((one) => one.from === from.toLowerCase());
	}

	/** What payers sent and is in a block. */
	deposits(): Mined[] {
		this.advance();
		return [...this.mined.values()].filter(({ isForeign }) => isForeign);
	}

	/** Transactions of an address that no block has yet. */
	waiting(from: string): number {
		this.advance();
		return this.mempool.filter((one) => one.from === from.toLowerCase()).length;
	}

	/** Makes the blocks that are due. */
	protected advance(): void {
		const head = FIRST_HEIGHT + Math.floor((this.now() - this.startedAt) / BLOCK_MILLISECONDS);
		while (this.height < head) {
			const madeAt = this.startedAt + (this.height + 1 - FIRST_HEIGHT) * BLOCK_MILLISECONDS;
			const isTaken = this.mine(this.height + 1, madeAt);
			const waits = this.mempool.some(({ enteredAt }) => enteredAt >= madeAt);
			this.height = isTaken || waits ? this.height + 1 : head;
		}
	}

	protected mine(height: number, madeAt: number): boolean {
		let isTaken = false;
		for (const one of this.mempool.toSorted((a, b) => a.nonce - b.nonce)) {
			const isNext = one.isForeign || one.nonce === (this.nonces.get(one.from) ?? 0);
			if (one.enteredAt >= madeAt || !isNext || one.maxFee < this.baseFee) continue;
			const price = lesser(one.maxFee, this.baseFee + one.tip);
			if (!one.isForeign) {
				this.nonces.set(one.from, one.nonce + 1);
				this.add(one.from, -one.value - GAS * price, height);
			}
			this.add(one.to, one.value, height);
			this.mined.set(one.hash, { ...one, height, price });
			this.mempool = this.mempool.filter((other) => other !== one);
			isTaken = true;
		}
		return isTaken;
	}

	protected add(address: string, amount: bigint, height: number): void {
		const points = this.balances.get(address) ?? [];
		points.push([height, (points.at(-1)?.[1] ?? 0n) + amount]);
		this.balances.set(address, points);
	}
}

function lesser(one: bigint, other: bigint): bigint {
	if (one < other) return one;
	return other;
}

export const hashOf = (text: string): string => `0x${hex.encode(keccak_256(new TextEncoder().encode(text)))}`;
