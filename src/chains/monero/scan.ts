/**
 * Lists deposits since the last scan, of what was read (`reading.ts`). All outputs of one transaction to one address are
 * one deposit. Payments that their payer has locked (`unlock_time`), and coinbases, are no deposits until the lock ends: the
 * blocks of those that last longer are part of the cursor, and listed again. What our own transactions bring back to the
 * hot wallet is none; where nobody can say now whether a payment to it is that, it is listed later.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { ObservedDeposit, Scan } from '../port.ts';
import { depthAt } from './depth.ts';
import type { KeptOutputs } from './kept-outputs.ts';
import type { Arrived, Pooled, Progress } from './reading.ts';
import { ACCOUNT } from './subaddress-index.ts';

/** Blocks that each poll lists again: more than the ten after which coins can be spent. */
export const RELISTED_BLOCKS = 20;

/** No order waits longer for its deposit: 30 days. */
const LONGEST_LOCK_BLOCKS = 30 * 720;
/** Blocks with locked payments that are listed again; anybody can lock a payment for its fee. */
const MOST_LOCKED = 50;
/** From here on `unlock_time` is a time, and no number of blocks (Monero's CRYPTONOTE_MAX_BLOCK_NUMBER). */
const FIRST_TIME = 500_000_000n;

/** A cursor: the blocks with payments whose lock has not ended long ago, and last the number of blocks. Null starts now. */
interface Cursor {
	readonly locked: readonly number[];
	readonly blocks: number | null;
}

export function readCursor(cursor: string | null): Cursor {
	const numbers = cursor?.split(':').map(Number) ?? [];
	return { locked: numbers.slice(0, -1), blocks: numbers.at(-1) ?? null };
}

/** The lowest block that a scan from there lists; `best`: where one without a cursor starts. */
export const firstListed = ({ locked, blocks }: Cursor, best: number): number =>
	Math.max(0, Math.min(...locked, (blocks ?? best) - RELISTED_BLOCKS + 1));

export interface Sorted {
	readonly foreign: readonly Arrived[];
	readonly unknown: readonly Arrived[];
}

export interface Listing {
	readonly asset: AssetId;
	readonly kept: KeptOutputs;
	readonly pooled: readonly Pooled[];
	/** Those that came from outside, and those of which it is not known now. */
	sorted(arrived: readonly (Arrived | Pooled)[]): Promise<Sorted>;
}

export async function list(listing: Listing, cursor: Cursor, { blocks: read }: Progress): Promise<Scan> {
	const above = Math.min(cursor.blocks ?? read, read) - RELISTED_BLOCKS;
	const older = cursor.locked.filter((height) => height <= above);
	const { foreign, unknown } = await listing.sorted([...listing.kept.above(above, older), ...listing.pooled]);
	const blocks = Math.min(read, ...unknown.flatMap(({ height }) => height ?? []));
	const arrived = joined(foreign).filter(({ height }) => height === null || height < blocks);
	// A payment that is locked until a time was counted when its block was listed for the last time.
	const isListed = (each: Arrived) =>
		each.height === null || each.height > above || each.unlockTime === 0n || lockEnd(each) !== null;
	const [credits, locked] = [[], []] as [Arrived[], Arrived[]];
	for (const each of arrived.filter(isListed)) (isUnlocked(each, read) ? credits : locked).push(each);
	const settled = blocks - RELISTED_BLOCKS;
	const next = stillLocked([...credits, ...locked], cursor.locked, settled);
	const observed = (each: Arrived): ObservedDeposit => {
		const { txId, minor, address, amount, height } = each;
		const isListedAgain = height !== null && (cursor.locked.includes(height) || next.includes(height));
		const counted = isListedAgain && { countsFrom: Math.max(height, lockEnd(each) ?? 0) };
		const place = { txId, position: `${ACCOUNT}/${minor}`, address, asset: listing.asset, amount };
		return { ...place, ...depthAt(read, height), ...counted };
	};
	return {
		deposits: credits.map(observed),
		locked: locked.map(observed),
		cursor: [...next, blocks].join(':'),
		height: read - 1,
		settled,
	};
}

/** As one for each transaction and address. */
function joined(arrived: readonly Arrived[]): Arrived[] {
	const groups = Map.groupBy(arrived, ({ txId, minor }) => `${txId} ${minor}`);
	return [...groups.values()].flatMap(([first, ...more]) =>
		first ? [{ ...first, amount: more.reduce((sum, { amount }) => sum + amount, first.amount) }] : [],
	);
}

/** `blocks`: the height of the next block, which is what may spend it. */
export const isUnlocked = ({ unlockTime }: Pick<Arrived, 'unlockTime'>, blocks: number): boolean =>
	unlockTime < FIRST_TIME ? unlockTime <= blocks : unlockTime <= Date.now() / 1000;

/** The number of blocks at which the payer's lock ends; null where there is none, or where it is not waited for. */
function lockEnd({ unlockTime, height }: Arrived): number | null {
	if (unlockTime === 0n || unlockTime >= FIRST_TIME) return null;
	return Number(unlockTime) > (height ?? 0) + LONGEST_LOCK_BLOCKS ? null : Number(unlockTime);
}

/** An arrival that was listed again stays, whatever else comes: it has not been counted. `settled`: as for a scan. */
function stillLocked(arrivals: readonly Arrived[], before: readonly number[], settled: number): number[] {
	const heights = arrivals.flatMap((each) =>
		each.height !== null && (lockEnd(each) ?? 0) > settled ? [each.height] : [],
	);
	const kept = before.filter((height) => heights.includes(height));
	return [...new Set([...kept, ...heights])].slice(0, MOST_LOCKED);
}
