/**
 * The chain of block headers that the signer has proven itself: each names the one before it, has the bits that the rules
 * demand and the work that the bits demand, from a checkpoint that is built in. A provider can therefore keep blocks back,
 * but shows a false one only for the work of a true one; and a branch with less work than the kept one is never followed.
 */
import { ChainUnavailable } from '../errors.ts';
import type { Checkpoint } from './checkpoints.ts';
import { reversedHex } from './merkle.ts';
import type { Source } from './source.ts';
import { HEADER_BYTES, headerHash } from './split.ts';
import { bitsOf, hasWorked, nextBits, PERIOD_BLOCKS, RETARGETS, timeOf, type WorkFunction, workOf } from './work.ts';

/** Where the proven headers are kept, so that each is proven once. Every method is one atomic step. */
export interface HeaderStore {
	/** Null before the first. */
	lastHeight(): number | null;
	/** 80 bytes; null where none is kept. */
	at(height: number): Uint8Array | null;
	/** From `from` on those are kept that are given, of consecutive heights, and no others; none below `oldest`. */
	put(from: number, headers: readonly Uint8Array[], oldest: number): void;
}

/** The rules of a chain. A test chain's work is worth nothing: there only the links count. */
export interface HeaderRules {
	readonly work: WorkFunction | null;
	readonly checkpoint: Checkpoint | null;
}

/** More than the next target is computed from; and a month of Litecoin's, so that old blocks need no headers again. */
export const KEPT_HEADERS = 20_000;
/** A branch that parts further below the kept tip is not followed. Nobody has seen one on a main chain. */
const MOST_UNDONE = 288;
/** So long one call reads on, and not more headers. Hashing one by scrypt takes a millisecond. */
const LONGEST_MILLISECONDS = 10_000;
const PER_CALL = 10_000;
/** Headers between two steps that are kept. */
const PER_STEP = 200;
/** A header's time is above the median of so many before it, and not further ahead of the clock than that. */
const MEDIAN_OF = 11;
const MOST_AHEAD_SECONDS = 2 * 60 * 60;

/** Where the chain begins: the header from which the first retarget after the checkpoint is computed. */
export function firstHeight({ work, checkpoint }: HeaderRules): number {
	if (!work || !checkpoint) return 0;
	const { lookBack } = RETARGETS[work];
	return checkpoint.height - (checkpoint.height % PERIOD_BLOCKS) + PERIOD_BLOCKS - 1 - lookBack;
}

/**
 * Reads on to the provider's tip, a bounded number of headers a call. Returns the height of the proven tip, which may be
 * above the provider's. @throws ChainUnavailable while there are more to read, and where the provider shows what cannot be
 */
export async function readOn(source: Source, rules: HeaderRules, store: HeaderStore): Promise<number> {
	const { height: said } = await source.tip();
	const kept = store.lastHeight();
	const from = kept === null ? firstHeight(rules) : (await commonHeight(source, store, kept)) + 1;
	if (kept !== null && from <= kept) {
		await follow(source, rules, store, { from, until: Math.min(said, kept + MOST_UNDONE) });
	} else await append(source, rules, store, { from, until: said });
	const reached = store.lastHeight() ?? 0;
	if (reached < (rules.checkpoint?.height ?? 0) || (from > (kept ?? -1) && reached < said))
		throw new ChainUnavailable(`the headers are proven to height ${reached}, and the node's tip is at ${said}`);
	return reached;
}

/** Keeps the headers of this range step by step, until the call is over. */
async function append(source: Source, rules: HeaderRules, store: HeaderStore, { from, until }: Range): Promise<void> {
	const end = Date.now() + LONGEST_MILLISECONDS;
	for (let at = from; at <= until && at < from + PER_CALL && Date.now() < end; ) {
		const headers = await source.headers(at, Math.min(PER_STEP, until - at + 1));
		if (headers.length === 0) throw new ChainUnavailable(`the node shows no header at height ${at}`);
		prove(rules, store, at, headers);
		store.put(at, headers, at + headers.length - KEPT_HEADERS);
		at += headers.length;
	}
}

/** The last height at which the provider has what is kept; the kept one itself where it has not got that far. */
async function commonHeight(source: Source, store: HeaderStore, kept: number): Promise<number> {
	const said = await source.hashAt(kept);
	const top = said === null ? (await source.tip()).height : kept;
	for (let below = 0; below <= MOST_UNDONE && below <= top; below = below * 2 + 1) {
		const height = top - below;
		const header = store.at(height);
		if (!header) break;
		if ((await source.hashAt(height)) === headerHash(header)) return said === null && below === 0 ? kept : height;
	}
	throw new ChainUnavailable('the node shows another chain than the headers that were proven before');
}

interface Range {
	readonly from: number;
	readonly until: number;
}

/** Takes another branch for the kept one, if it has more work. */
async function follow(source: Source, rules: HeaderRules, store: HeaderStore, { from, until }: Range) {
	const headers = await source.headers(from, until - from + 1);
	prove(rules, store, from, headers);
	const undone: Uint8Array[] = [];
	for (let at = from, header = store.at(at); header; header = store.at(++at)) undone.push(header);
	if (sumOfWork(headers) > sumOfWork(undone)) store.put(from, headers, from + headers.length - KEPT_HEADERS);
}

const sumOfWork = (headers: readonly Uint8Array[]): bigint =>
	headers.reduce((sum, header) => sum + workOf(bitsOf(header)), 0n);

/** @throws ChainUnavailable unless these headers may follow the kept ones below them */
function prove(rules: HeaderRules, store: HeaderStore, from: number, headers: readonly Uint8Array[]): void {
	const at = (height: number): Uint8Array | null => (height < from ? store.at(height) : headers[height - from]) ?? null;
	for (const [more, header] of headers.entries()) {
		const height = from + more;
		const wrong = wrongIn(rules, at, height, header);
		if (!wrong) continue;
		// The checkpoint alone proves those that lead to it, so with a false end all of them are false.
		if (height <= (rules.checkpoint?.height ?? 0)) store.put(0, [], 0);
		throw new ChainUnavailable(`the header at height ${height} ${wrong}`);
	}
}

type HeaderAt = (height: number) => Uint8Array | null;

/** Says what is wrong with a header after those before it; null where nothing is. */
function wrongIn(rules: HeaderRules, at: HeaderAt, height: number, header: Uint8Array): string | null {
	const { work, checkpoint } = rules;
	if (header.length !== HEADER_BYTES) return 'is no header';
	const before = at(height - 1);
	const isLinked = before ? reversedHex(header.subarray(4, 36)) === headerHash(before) : height === firstHeight(rules);
	if (!isLinked) return 'does not follow the one before it';
	if (height === checkpoint?.height && headerHash(header) !== checkpoint.hash) return 'is not the checkpoint';
	if (!work || !checkpoint || height <= checkpoint.height || !before) return null;
	if (bitsOf(header) !== dueBits(work, at, height, before)) return 'has other bits than the rules demand';
	if (timeOf(header) <= medianBefore(at, height)) return 'is older than those before it';
	if (timeOf(header) > Date.now() / 1_000 + MOST_AHEAD_SECONDS) return 'is from the future';
	return hasWorked(work, header) ? null : 'has no work';
}

function dueBits(work: WorkFunction, at: HeaderAt, height: number, before: Uint8Array): number {
	if (height % PERIOD_BLOCKS !== 0) return bitsOf(before);
	const first = at(height - 1 - RETARGETS[work].lookBack);
	if (!first) throw new ChainUnavailable(`no header is kept from which the target at height ${height} follows`);
	return nextBits(work, bitsOf(before), timeOf(before) - timeOf(first));
}

function medianBefore(at: HeaderAt, height: number): number {
	const times = Array.from({ length: MEDIAN_OF }, (_, below) => at(height - 1 - below))
		.flatMap((header) => (header ? timeOf(header) : []))
		.toSorted((a, b) => a - b);
	return times[Math.floor(times.length / 2)] ?? 0;
}
