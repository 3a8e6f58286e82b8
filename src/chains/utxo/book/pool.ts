/** First signs of payments: transactions of the mempool that pay us. A hint that is kept in memory alone, and never final. */
import { hex } from '@scure/base';
import type { Source } from '../source.ts';
import { type Form, type Outpoint, readTransaction, type Transaction } from '../transaction-bytes.ts';
import type { CoinBook } from './coin-book.ts';
import { unconfirmedMade } from './reads.ts';

/** Outputs that are looked after, the largest first: a flood of dust hides no deposit, and is seen once a block has it. */
const MOST = 1_000;
/** Most transactions of our own that no block holds. */
const MOST_MADE = 1_000;

export interface PoolCredit extends Outpoint {
	readonly address: string;
	/** Base units. */
	readonly amount: bigint;
}

/** A transaction that no block holds, and that the mempool does. */
export interface Unconfirmed {
	readonly txId: string;
	readonly spends: readonly Outpoint[];
	/** Its outputs to us. */
	readonly credits: readonly PoolCredit[];
	/** Signed by a key of ours. */
	readonly isOwn: boolean;
	/** Unconfirmed transactions that it depends on, itself included. */
	readonly ancestors: number;
}

type Seen = Omit<Unconfirmed, 'ancestors'>;

export class Pool {
	readonly #book: CoinBook;
	readonly #form: Form;
	#seen = new Map<string, Seen>();

	constructor(book: CoinBook, form: Form) {
		this.#book = book;
		this.#form = form;
	}

	/**
	 * Our transactions in the mempool now, and a line for the operator where not all of it is looked after.
	 * @throws ChainUnavailable
	 */
	async look(source: Source, addresses: readonly string[]): Promise<{ found: Unconfirmed[]; unread: string[] }> {
		for (const seen of this.#ours(await source.pool(addresses))) this.#seen.set(seen.txId, seen);
		const { kept: largest, isAll } = largestOf([...this.#seen.values()]);
		const kept = [...new Map([...largest, ...this.#made()].map((seen) => [seen.txId, seen])).values()];
		const found = await present(source, kept);
		this.#seen = new Map(found.map((seen) => [seen.txId, seen]));
		const waits = 'the mempool holds more payments to us than can be read; they are seen when they are in a block';
		return { found, unread: isAll ? [] : [waits] };
	}

	/** Our own alone. */
	async own(source: Source): Promise<Unconfirmed[]> {
		const seen = [...this.#seen.values()].filter(({ isOwn }) => isOwn);
		return present(source, [...new Map([...seen, ...this.#made()].map((each) => [each.txId, each])).values()]);
	}

	#made(): Seen[] {
		const made = unconfirmedMade(this.#book, MOST_MADE);
		return this.#ours(made.map(({ raw }) => readTransaction(hex.decode(raw), this.#form)));
	}

	#ours(transactions: readonly Pick<Transaction, 'id' | 'spends' | 'outputs'>[]): Seen[] {
		const book = this.#book;
		const own = book.ownIn(transactions);
		if (own.size === 0) return [];
		return transactions.flatMap(({ id: txId, spends, outputs }) => {
			const credits = outputs.flatMap(({ script, amount }, vout) => {
				const address = own.get(book.hashIn(script) ?? '');
				return address === undefined ? [] : [{ txId, vout, address, amount }];
			});
			const isOwn = spends.some(({ lock }) => lock && own.has(book.hashOf(lock)));
			return credits.length > 0 || isOwn ? [{ txId, spends, credits, isOwn }] : [];
		});
	}
}

async function present(source: Source, seen: readonly Seen[]): Promise<Unconfirmed[]> {
	if (seen.length === 0) return [];
	const pooled = await source.pooled(seen.map(({ txId }) => txId));
	return seen.flatMap((each, at) => {
		const entry = pooled[at];
		return entry ? [{ ...each, ancestors: entry.ancestors }] : [];
	});
}

/** The largest outputs of them all; of our own transactions every one. */
function largestOf(seen: readonly Seen[]): { kept: Seen[]; isAll: boolean } {
	const credits = seen.filter(({ isOwn }) => !isOwn).flatMap((each) => each.credits);
	if (credits.length <= MOST) return { kept: [...seen], isAll: true };
	const sorted = credits.toSorted((a, b) => Number(b.amount - a.amount));
	const chosen = new Set(sorted.slice(0, MOST));
	const kept = seen.map((each) =>
		each.isOwn ? each : { ...each, credits: each.credits.filter((credit) => chosen.has(credit)) },
	);
	return { kept: kept.filter((each) => each.isOwn || each.credits.length > 0), isAll: false };
}
