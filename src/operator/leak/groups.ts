/**
 * The lists that a person confirms before rows of a leaked key are sealed again. A list is the rows of one kind and of
 * one partner; its digest is over all that their seals are over, in the order of the rows. Who confirms repeats the
 * digest: a row that was changed, added or taken away since the list was read makes another one, and then nothing is
 * sealed.
 *
 * Atomic: as `row.ts`. Rows that are not sealed after a crash are a list of their own, with another digest.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { Context } from '../command.ts';
import { leakedBatches, leakedPieces } from './books.ts';
import { leakedOrders } from './orders.ts';
import { type Change, LEAKED_KINDS, type LeakedKind, type LeakedRow, type Reader } from './row.ts';
import { leakedSettlements } from './settlements.ts';

export const READERS: Readonly<Record<LeakedKind, Reader>> = {
	orders: leakedOrders,
	settlements: leakedSettlements,
	'archived batches': leakedBatches,
	'ledger pieces': leakedPieces,
};

/** The signer is asked about so many orders at once: a call may ask other Workers some thirty times. */
const PAGE = 5_000;
const MOST_ROWS = 50_000;

interface Group {
	readonly what: LeakedKind;
	readonly of: string;
	readonly digest: ReturnType<typeof sha256.create>;
	readonly sums: Map<AssetId, bigint>;
	rows: number;
	open: number;
	readonly changes: Change[];
}

export interface LeakedList {
	readonly what: LeakedKind;
	/** A partner's id; empty where it is no partner's. */
	readonly of: string;
	readonly rows: number;
	readonly open: number;
	/** The coins at stake, by asset. */
	readonly atStake: string;
	readonly digest: string;
	/** Empty unless they were asked for. */
	readonly changes: readonly Change[];
}

export interface Doubt {
	readonly what: LeakedKind;
	readonly id: string;
	readonly of: string;
	readonly why: string;
}

/** `withChanges`: what would be written, for `confirm`. Null: more than one call can read. */
export async function leakedLists(
	context: Context,
	{ withChanges }: { readonly withChanges: boolean },
): Promise<{ readonly lists: LeakedList[]; readonly doubts: Doubt[] } | null> {
	const groups = new Map<string, Group>();
	const doubts: Doubt[] = [];
	let read = 0;
	for (const what of LEAKED_KINDS) {
		for (let after: string | null = ''; after !== null; ) {
			const page = await READERS[what].page(context, after, PAGE);
			after = page.next;
			read += page.rows.length;
			if (read > MOST_ROWS) return null;
			for (const { id, of, doubt } of page.rows) if (doubt !== null) doubts.push({ what, id, of, why: doubt });
			const genuine = page.rows.filter(({ doubt }) => doubt === null);
			for (const row of genuine) add(groupOf(groups, what, row.of), row);
			const changes = withChanges ? await Promise.all(genuine.map((row) => row.reseal())) : [];
			for (const [i, change] of changes.entries()) groupOf(groups, what, genuine[i]?.of ?? '').changes.push(change);
		}
	}
	return { lists: [...groups.values()].map(listOf), doubts };
}

function groupOf(groups: Map<string, Group>, what: LeakedKind, of: string): Group {
	const key = `${what} ${of}`;
	const known = groups.get(key) ?? {
		what,
		of,
		digest: sha256.create(),
		sums: new Map(),
		rows: 0,
		open: 0,
		changes: [],
	};
	groups.set(key, known);
	return known;
}

function add(group: Group, row: LeakedRow): void {
	group.rows++;
	if (row.isOpen) group.open++;
	group.digest.update(new TextEncoder().encode(`${JSON.stringify(row.terms)}\n`));
	for (const { asset, amount } of row.atStake) group.sums.set(asset, (group.sums.get(asset) ?? 0n) + amount);
}

/** The digest says which kind and partner it is of, so that an empty list of another is none. */
function listOf({ what, of, digest, sums, rows, open, changes }: Group): LeakedList {
	digest.update(new TextEncoder().encode(JSON.stringify([what, of, rows])));
	const atStake = [...sums].map(([asset, sum]) => `${fromBaseUnits(sum, assetOf(asset).decimals)} ${asset}`).join(', ');
	return { what, of, rows, open, atStake, digest: hex.encode(digest.digest()), changes };
}
