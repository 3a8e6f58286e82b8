/**
 * Finds the transactions that explain why an account holds more than its record. Reads signatures from the newest back
 * until the growth is explained, a few from each account in turn, so that an account flooded with dust does not delay
 * the others. What one scan does not reach is left to the next scan, which starts with a longer record. Promises: the
 * new credits of an account never add up to more than it holds beyond its record.
 */
import type * as z from 'zod/mini';
import type { AssetId } from '../../catalog/assets.ts';
import type { Grown } from '../by-balance.ts';
import { askEach } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { creditOf } from './credits.ts';
import { transactionsOf } from './depth.ts';
import { SEEN } from './node.ts';
import { SIGNATURES } from './shapes.ts';

/** A fifth of a node's limit, because one request asks for the pages of many accounts. */
const SIGNATURES_PER_PAGE = 200;
/** Pages of one account's history that one scan reads. */
const MAX_PAGES = 50;
/** Accounts whose histories one scan reads, and transactions that it reads in all. */
const MAX_ACCOUNTS = 200;
const MAX_READS = 400;
/** Transactions of one account in the first round. Each round doubles the number. */
const FIRST_ROUND = 1;
/** Largest size of each memory below. A memory that is full is cleared. */
const MAX_REMEMBERED = 50_000;

export interface Credit {
	readonly txId: string;
	readonly owner: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/**
 * Kept between scans, so that each gets further than the one before. Losing it costs only time. The keys contain
 * account, transaction and slot, because a fork may give a transaction another outcome in another slot.
 */
export interface Memory {
	/** These brought the account nothing. */
	readonly barren: Set<string>;
	/**
	 * These were credited once. Any of them that is not on record all the same, for example dust, is read after all
	 * others.
	 */
	readonly credited: Set<string>;
	/**
	 * By account: the signature from which the next scan continues, because everything newer was read. Only for histories
	 * that are too long for one scan. Anybody can make anybody's history that long.
	 */
	readonly deep: Map<string, string>;
}

interface Candidate {
	readonly txId: string;
	readonly key: string;
}

interface Trail {
	readonly grown: Grown;
	/** Transactions on record for it. */
	readonly known: ReadonlySet<string>;
	remainder: bigint;
	readonly fresh: Candidate[];
	readonly credited: Candidate[];
	/** The oldest signature read so far; null before the first page. */
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
			const { address: owner, asset } = trail.grown;
			const amount = creditOf(transaction, owner, asset);
			if (amount === 0n) remember(memory.barren, key);
			if (amount === 0n || amount > trail.remainder) continue;
			trail.remainder -= amount;
			remember(memory.credited, key);
			credits.push({ txId, owner, asset, amount });
		}
	}
	return credits;
}

const trailOf = (grown: Grown): Trail => ({
	grown,
	known: new Set(txIdsOf(grown.known)),
	remainder: grown.unexplained,
	fresh: [],
	credited: [],
	before: null,
	pages: 0,
	ended: false,
});

const isOpen = ({ remainder, fresh, credited, ended }: Trail): boolean =>
	remainder > 0n && (fresh.length > 0 || credited.length > 0 || !ended);

const next = ({ fresh, credited }: Trail, count: number): Candidate[] =>
	(fresh.length > 0 ? fresh : credited).splice(0, count);

/** Reads pages until each account has a transaction to read. Failed transactions and those on record are skipped. */
async function turnPages(rpc: JsonRpc, trails: readonly Trail[], memory: Memory): Promise<void> {
	for (;;) {
		const waiting = trails.filter((trail) => isOpen(trail) && trail.fresh.length === 0 && !trail.ended);
		if (waiting.length === 0) return;
		const calls = waiting.map(({ grown, before }) => ({
			method: 'getSignaturesForAddress',
			params: [grown.place, { commitment: SEEN, limit: SIGNATURES_PER_PAGE, ...(before && { before }) }],
		}));
		const pages = await askEach(rpc, SIGNATURES, calls);
		for (const [at, trail] of waiting.entries()) turnPage(trail, pages[at] ?? [], memory);
	}
}

function turnPage(trail: Trail, page: z.output<typeof SIGNATURES>, memory: Memory): void {
	const { known } = trail;
	const { place: account } = trail.grown;
	const from = trail.before;
	const isOldest = page.length < SIGNATURES_PER_PAGE;
	trail.pages += 1;
	trail.before = page.at(-1)?.signature ?? from;
	trail.ended = isOldest || trail.pages === MAX_PAGES;
	// At the end of the history, the next scan starts from the newest again, because signatures arrived meanwhile.
	if (isOldest) memory.deep.delete(account);
	else if (trail.ended && from !== null) rememberDeep(memory.deep, account, from);
	// After the newest page, continue where the last scan stopped.
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
