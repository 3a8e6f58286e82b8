/**
 * What the books of one payout wallet come to, added up from its final transactions. Final rows never change, so what is
 * older than a while is added up once and kept in the agent's storage; a look adds what came since. The full sums are
 * `ledger check`'s.
 */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import { reserveEntries, transactions } from '../table.ts';
import { type FeePayer, type WalletFlow, walletBooks } from './reserve-rules.ts';

/** What is kept is moved on when it is this old. */
const KEPT_MILLISECONDS = 3_600_000;
/** A write whose answer was lost may still come: what is younger than this is not kept yet. */
const YOUNG_MILLISECONDS = 600_000;
const KEY = 'walletRecord';

interface Kept {
	/** Unix milliseconds; everything up to here is in it. */
	readonly until: number;
	readonly books: ReadonlyMap<AssetId, bigint>;
}

export class WalletRecord {
	readonly #db: DrizzleD1Database;
	readonly #network: NetworkName;
	readonly #storage: DurableObjectStorage;

	constructor(db: DrizzleD1Database, network: NetworkName, storage: DurableObjectStorage) {
		this.#db = db;
		this.#network = network;
		this.#storage = storage;
	}

	/** Base units per asset; what is not in it is zero. */
	async books(native: AssetId, feePayer: FeePayer, now: number): Promise<Map<AssetId, bigint>> {
		const found = await this.#storage.get<Kept>(KEY);
		let kept: Kept = found ?? { until: 0, books: new Map() };
		if (now - kept.until > KEPT_MILLISECONDS + YOUNG_MILLISECONDS) {
			const until = now - YOUNG_MILLISECONDS;
			kept = { until, books: sum(kept.books, walletBooks(await this.#flow(kept.until, until), native, feePayer)) };
			await this.#storage.put(KEY, kept);
		}
		const since = walletBooks(await this.#flow(kept.until, Number.MAX_SAFE_INTEGER), native, feePayer);
		return sum(kept.books, since);
	}

	/** `after` exclusive, `until` inclusive: Unix milliseconds. */
	async #flow(after: number, until: number): Promise<WalletFlow> {
		const within = (at: SQL | typeof transactions.finalAt | typeof reserveEntries.at) =>
			sql`${at} > ${after} and ${at} <= ${until}`;
		// Literal, because SQLite takes a partial index only for the words that it was made with.
		const ofNetwork = and(
			eq(transactions.network, this.#network),
			sql`${transactions.finalAt} is not null`,
			within(transactions.finalAt),
		);
		const [moved, fees, reserves] = await this.#db.batch([
			this.#db
				.select({ asset: transactions.asset, kind: transactions.kind, amount: exactSum(transactions.amount) })
				.from(transactions)
				.where(and(ofNetwork, eq(transactions.state, 'final'), isNull(transactions.settledTxId)))
				.groupBy(transactions.asset, transactions.kind),
			this.#db
				.select({ kind: transactions.kind, amount: exactSum(sql`coalesce(${transactions.fee}, '0')`) })
				.from(transactions)
				.where(ofNetwork)
				.groupBy(transactions.kind),
			this.#db
				.select({ asset: reserveEntries.asset, amount: exactSum(reserveEntries.amount) })
				.from(reserveEntries)
				.where(and(eq(reserveEntries.network, this.#network), within(reserveEntries.at)))
				.groupBy(reserveEntries.asset),
		]);
		return { moved, fees, reserves };
	}
}

function sum(one: ReadonlyMap<AssetId, bigint>, other: ReadonlyMap<AssetId, bigint>): Map<AssetId, bigint> {
	const total = new Map(one);
	for (const [asset, amount] of other) total.set(asset, (total.get(asset) ?? 0n) + amount);
	return total;
}
