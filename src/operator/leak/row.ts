/** A row that a leaked key has sealed, as a person judges it before it is sealed again, and how new seals are stored. */
import { sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import type { AskedKeys, SealClaim } from '../../crypto/seals.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { Context } from '../command.ts';

export const LEAKED_KINDS = ['orders', 'settlements', 'archived batches', 'ledger pieces'] as const;
export type LeakedKind = (typeof LEAKED_KINDS)[number];

export interface LeakedRow {
	readonly id: string;
	/** Whose it is: a partner's id; empty where it is no partner's. */
	readonly of: string;
	/** All that the seal is over, so that a list with the same digest has the same terms. */
	readonly terms: readonly (string | number | bigint | null)[];
	/** The facts that `keys left` shows. */
	readonly shown: Readonly<Record<string, string | number | null>>;
	/** Does something still wait for it? */
	readonly isOpen: boolean;
	/** Base units that it decides about. */
	readonly atStake: readonly { readonly asset: AssetId; readonly amount: bigint }[];
	/** Why it is never sealed again: one line. Null where nothing speaks against it. */
	readonly doubt: string | null;
	/** Seals it as it was read, where it is still that. */
	readonly reseal: () => Promise<Change>;
}

/** One row's new columns, compare-and-set on the seal that it had. */
export interface Change {
	readonly id: string | number;
	readonly before: string;
	readonly seal: string;
	/** Set for a piece of the books. */
	readonly provenAt?: number;
	readonly sealedUntil?: number;
}

/** @throws where no leaked key made the seal, which is said before a row is listed */
export async function resealOne(keys: AskedKeys, id: string | number, claim: SealClaim): Promise<Change> {
	const seal = await keys.asker.resealed(claim);
	if (seal === null) throw new Error(`the seal of ${id} was changed meanwhile`);
	return { id, before: claim.sealed, seal };
}

export interface LeakedPage {
	readonly rows: readonly LeakedRow[];
	/** Where the next page begins; null after the last one. */
	readonly next: string | null;
}

export interface Reader {
	/** `after`: empty for the first page. `most`: of orders; the signer is asked about all of a page at once. */
	readonly page: (context: Context, after: string, most: number) => Promise<LeakedPage>;
	/** Atomic: one batch for some hundred rows, each a compare-and-set. */
	readonly write: (context: Context, changes: readonly Change[]) => Promise<void>;
}

export const SEAL_BROKEN = 'not even the leaked key made its seal: somebody without it changed the row';

const PER_STATEMENT = 500;

export interface Place {
	readonly table: string;
	/** The columns of the row's id and of its seal. */
	readonly key: string;
	readonly seal: string;
}

/** Atomic: each statement. A crash between them leaves rows with the older seal, which are listed again. */
export async function writeSeals(db: Db, place: Place, changes: readonly Change[]): Promise<void> {
	const [table, key, seal] = [place.table, place.key, place.seal].map((name) => sql.identifier(name));
	for (let start = 0; start < changes.length; start += PER_STATEMENT) {
		const list = changes.slice(start, start + PER_STATEMENT).map(({ id, before, seal: next }) => [id, before, next]);
		await db.run(
			sql`update ${table} set ${seal} = value ->> 2 from json_each(${JSON.stringify(list)})
				where ${table}.${key} = value ->> 0 and ${table}.${seal} = value ->> 1`,
		);
	}
}
