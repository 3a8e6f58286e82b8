/**
 * Which transactions brought what an account holds beyond its record. Reads signatures from the newest back until the
 * growth is explained, a few from each account in turn, so that one that is flooded with dust does not keep the others
 * waiting; what one scan does not reach is left to the next, which finds the record longer. Promises: the new credits
 * of an account never add up to more than it holds beyond its record.
 */
import type * as z from 'zod';
import type { AssetId } from '../../catalog/assets.ts';
import { askEach } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { creditOf } from './credits.ts';
import { transactionsOf } from './depth.ts';
import { SEEN } from './node.ts';
import { SIGNATURES } from './shapes.ts';

/** A fifth of what a node gives at once: one request asks for the pages of many accounts. */
const SIGNATURES_PER_PAGE = 200;
/** Pages of one account that a scan turns. */
const MAX_PAGES = 50;
/** Accounts whose histories one scan opens, and transactions that it reads. */
const MAX_ACCOUNTS = 200;
const MAX_READS = 400;
/** Transactions of one account in the first round; each round takes twice as many as the one before. */
const FIRST_ROUND = 1;
/** Transactions of either kind that are remembered. */
const MAX_REMEMBERED = 50_000;

export interface Grown {
	/** Whose history it is. */
	readonly account: string;
	readonly owner: string;
	readonly asset: AssetId;
	/** Transactions on record for it. */
	readonly known: ReadonlySet<string>;
	/** Base units beyond the record; positive. */
	readonly unexplained: bigint;
}

export interface Credit {
	readonly txId: string;
	readonly owner: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/**
 * Kept between scans, so that each comes further than the one before; to lose it costs time and nothing else. By
 * account, transaction and slot: a fork may give a transaction another outcome in another slot.
 */
export interface Memory {
	/** They brought the account nothing. */
	readonly barren: Set<string>;
	/** They were credited once. What is not on record all the same, dust perhaps, is read after all others. */
	readonly credited: Set<string>;
	/**
	 * By account, the signature from which the next scan turns pages: all that is newer was read. Only of histories that are
	 * longer than one scan reads, which anybody can make of anybody's account.
	 */
	readonly deep: Map<string, string>;
}

interface Candidate {
	readonly txId: string;
	readonly key: string;
}

interface Trail {
	readonly grown: Grown;
	left: bigint;
	readonly fresh: Candidate[];
	readonly credited: Candidate[];
	/** The oldest signature seen; null before the first page. */
	before: string | null;
	pages: number;
	ended: boolean;
}

/** @throws ChainUnavailable */
export async function explain(rpc: JsonRpc, grown: readonly Grown[], memory: Memory): Promise<Credit[]> {
	const trails = grown.slice(0, MAX_ACCOUNTS).map(trailOf);
	const credits: Credit[] = [];
	let reads = 0;
	for (let round = FIRST_ROUND; reads < MAX_READS; round *= 2) {
		await turnPages(rpc, trails, memory);
		const batch = trails
			.filter(isOpen)
			.flatMap((trail) => next(trail, round).map((candidate) => ({ trail, ...candidate })))
			.slice(0, MAX_READS - reads);
		if (batch.length === 0) break;
		reads += batch.length;
		const transactions = await transactionsOf(
			rpc,
			batch.map(({ txId }) => txId),
			SEEN,
		);
		for (const [at, { trail, txId, key }] of batch.entries()) {
			const transaction = transactions[at];
			if (!transaction) continue;
			const amount = creditOf(transaction, trail.grown.owner, trail.grown.asset);
			if (amount === 0n) remember(memory.barren, key);
			if (amount === 0n || amount > trail.left) continue;
			trail.left -= amount;
			remember(memory.credited, key);
			credits.push({ txId, owner: trail.grown.owner, asset: trail.grown.asset, amount });
		}
	}
	return credits;
}

const trailOf = (grown: Grown): Trail => ({
	...{ grown, left: grown.unexplained, fresh: [], credited: [], before: null, pages: 0, ended: false },
});

const isOpen = ({ left, fresh, credited, ended }: Trail): boolean =>
	left > 0n && (fresh.length > 0 || credited.length > 0 || !ended);

const next = ({ fresh, credited }: Trail, count: number): Candidate[] =>
	(fresh.length > 0 ? fresh : credited).splice(0, count);

/** Turns pages until each has something to read; failed transactions and those on record need no reading. */
async function turnPages(rpc: JsonRpc, trails: readonly Trail[], memory: Memory): Promise<void> {
	for (;;) {
		const waiting = trails.filter((trail) => isOpen(trail) && trail.fresh.length === 0 && !trail.ended);
		if (waiting.length === 0) return;
		const calls = waiting.map(({ grown, before }) => ({
			method: 'getSignaturesForAddress',
			params: [grown.account, { commitment: SEEN, limit: SIGNATURES_PER_PAGE, ...(before && { before }) }],
		}));
		const pages = await askEach(rpc, SIGNATURES, calls);
		for (const [at, trail] of waiting.entries()) turnPage(trail, pages[at] ?? [], memory);
	}
}

function turnPage(trail: Trail, page: z.output<typeof SIGNATURES>, memory: Memory): void {
	const { account, known } = trail.grown;
	const from = trail.before;
	const isOldest = page.length < SIGNATURES_PER_PAGE;
	trail.pages += 1;
	trail.before = page.at(-1)?.signature ?? from;
	trail.ended = isOldest || trail.pages === MAX_PAGES;
	// At the end of a history that explains nothing the next scan starts from the newest again: signatures came in meanwhile.
	if (isOldest) memory.deep.delete(account);
	else if (trail.ended && from !== null) rememberDeep(memory.deep, account, from);
	// After the newest page on to where the last scan stopped.
	else if (trail.pages === 1) trail.before = memory.deep.get(account) ?? trail.before;
	for (const { signature, slot, err } of page) {
		const key = `${account} ${signature} ${slot}`;
		if (err !== null || known.has(signature) || memory.barren.has(key)) continue;
		(memory.credited.has(key) ? trail.credited : trail.fresh).push({ txId: signature, key });
	}
}

function rememberDeep(deep: Map<string, string>, account: string, from: string): void {
	if (deep.size >= MAX_REMEMBERED) deep.clear();
	deep.set(account, from);
}

function remember(keys: Set<string>, key: string): void {
	if (keys.size >= MAX_REMEMBERED) keys.clear();
	keys.add(key);
}
