/**
 * Receipts of our addresses that nothing accounts for, as one sum per asset. A poll names every payment that it neither
 * recorded as a deposit nor left to the reserve. Such a payment is open while a later poll lists it again, and is then
 * counted once.
 */
import { eq, inArray, sql } from 'drizzle-orm';
import { type AssetId, allAssets } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { ObservedDeposit } from '../../chains/port.ts';
import { amountsByAsset } from '../../money/units.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { arrivalMarks, unattributed } from '../ledger/table.ts';

interface Mark {
	readonly cursor: string;
	readonly settled: number;
	/** Where a book of coins would have to be read again from, if it were lost; null where none is kept. */
	readonly readFrom: number | null;
	/** Batches that moved it. */
	readonly writes: number;
}

interface Known {
	/** Null before the first poll. */
	readonly mark: Mark | null;
	/** A batch of this object is the last one: none of an older one can still arrive. */
	readonly isOurs: boolean;
	/** Base units, by asset. */
	readonly open: ReadonlyMap<AssetId, bigint>;
}

/** One poll's reading. */
export interface Read extends Omit<Mark, 'writes'> {
	/** Payments that nothing accounts for. */
	readonly found: readonly ObservedDeposit[];
}

/** One agent writes the sums of a network, so it reads them again only where a write does not find what it expects. */
export class Arrivals {
	readonly #db: Db;
	readonly #network: NetworkName;
	#known: Known | null = null;

	constructor(db: Db, network: NetworkName) {
		this.#db = db;
		this.#network = network;
	}

	/**
	 * Where the next poll begins. `cursor`: the agent's own. The database's is older where it was set back; then everything
	 * that came since is found again.
	 */
	async start(cursor: string | null): Promise<string | null> {
		this.#known ??= await read(this.#db, this.#network);
		const { mark } = this.#known;
		return mark && cursor !== null && placeOf(cursor) > placeOf(mark.cursor) ? mark.cursor : cursor;
	}

	/**
	 * Safe to repeat: the batch counts only where the mark is still what this read.
	 * @throws Error where somebody else has moved it: the next poll reads it again
	 */
	async store({ cursor, settled, readFrom, found: listed }: Read, now: number): Promise<void> {
		const found = distinct(listed);
		const { mark, open: before, isOurs } = this.#known ?? (await read(this.#db, this.#network));
		const from = mark?.settled ?? -1;
		const payments = found.map(placed);
		const counted = amountsByAsset(
			payments.filter(({ height }) => height !== null && height > from && height <= settled),
		);
		const open = amountsByAsset(payments.filter(({ height }) => height === null || height > Math.max(from, settled)));
		const changed = [...new Set([...before.keys(), ...open.keys(), ...counted.keys()])].filter(
			(asset) => counted.has(asset) || open.get(asset) !== before.get(asset),
		);
		// An older batch may still come late, after what was just read: a batch of this one's own ends that.
		if (isOurs && cursor === mark?.cursor && changed.length === 0) return;
		this.#known = null;
		const rows = changed.length > 0 ? await readSums(this.#db, changed) : [];
		const isUnmoved = sql`(select ${arrivalMarks.writes} from ${arrivalMarks} where ${arrivalMarks.network} = ${this.#network}) is ${mark?.writes ?? null}`;
		const written = changed.map((asset): Statement => {
			const total = BigInt(rows.find((row) => row.asset === asset)?.counted ?? 0) + (counted.get(asset) ?? 0n);
			const [text, waits] = [total.toString(), (open.get(asset) ?? 0n).toString()];
			const at = counted.has(asset) ? now : (rows.find((row) => row.asset === asset)?.at ?? now);
			return this.#db
				.insert(unattributed)
				.select(sql`select ${asset}, ${text}, ${waits}, '0', ${at} where ${isUnmoved}`)
				.onConflictDoUpdate({ target: unattributed.asset, set: { counted: text, open: waits, at } });
		});
		const next = { cursor, settled: Math.max(from, settled), readFrom, writes: (mark?.writes ?? 0) + 1 };
		// After the sums, which look for the mark as it was.
		const moved = this.#db
			.insert(arrivalMarks)
			.select(
				sql`select ${this.#network}, ${next.cursor}, ${next.settled}, ${next.writes}, ${next.readFrom} where ${isUnmoved}`,
			)
			.onConflictDoUpdate({ target: arrivalMarks.network, set: next })
			.returning({ writes: arrivalMarks.writes });
		const [first = moved, ...rest] = [...written, moved];
		const answers = await this.#db.batch([first, ...rest]);
		if ((answers.at(-1) as unknown[]).length === 0) throw new Error('what came in was counted by somebody else');
		this.#known = { mark: next, open, isOurs: true };
		for (const [asset, amount] of counted)
			log('arrivals_unattributed', { network: this.#network, asset, amount: amount.toString() });
	}
}

/** Cursors of these families end with a number that grows. */
const placeOf = (cursor: string): number => Number(cursor.split(':').at(-1));

/** A lock of its payer ends later than its block came. */
const placed = ({ countsFrom, ...found }: ObservedDeposit): ObservedDeposit => ({
	...found,
	height: found.height === null ? null : (countsFrom ?? found.height),
});

/** A node may list a payment twice in one answer. */
export const distinct = (listed: readonly ObservedDeposit[]): ObservedDeposit[] => [
	...new Map(listed.map((each) => [`${each.txId} ${each.position} ${each.address} ${each.asset}`, each])).values(),
];

const readSums = (db: Db, assets: AssetId[]) =>
	db.select().from(unattributed).where(inArray(unattributed.asset, assets));

async function read(db: Db, network: NetworkName): Promise<Known> {
	const codes = allAssets().flatMap((asset) => (asset.network === network ? asset.code : []));
	const [[mark], rows] = await db.batch([
		db.select().from(arrivalMarks).where(eq(arrivalMarks.network, network)),
		readSums(db, codes),
	]);
	const open = rows.filter((row) => row.open !== '0').map((row) => [row.asset, BigInt(row.open)] as const);
	return { mark: mark ?? null, open: new Map(open), isOurs: false };
}
