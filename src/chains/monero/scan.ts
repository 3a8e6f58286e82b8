/**
 * Finds deposits in the view-only wallet's list since the last scan. All outputs of one transaction to one address are
 * one deposit, because the wallet adds them up. Payments that their payer has locked (`unlock_time`) are no deposits until
 * the lock ends: the blocks of those that last longer are part of the cursor, and listed again. Payments in the mempool
 * for which monerod has seen a double spend are left out.
 */
import type * as z from 'zod/mini';
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import type { ObservedDeposit, Scan } from '../port.ts';
import { txidsOf } from '../transaction-ids.ts';
import type { MoneroDaemon } from './daemon.ts';
import { depthOf, heldTransactions } from './depth.ts';
import { ask, type MoneroRpc } from './node.ts';
import { TRANSFERS, type Transfer } from './shapes.ts';
import { ACCOUNT } from './subaddress-index.ts';
import { isArrival, isCredit, positionOf, refreshed } from './wallet.ts';

/** Blocks that each poll lists again: more than the ten after which coins can be spent. */
export const RELISTED_BLOCKS = 20;

/** No order waits longer for its deposit: 30 days. */
const LONGEST_LOCK_BLOCKS = 30 * 720;
/** Blocks with locked payments that are listed again; anybody can lock a payment for its fee. */
const MOST_LOCKED = 50;
/** From here on `unlock_time` is a time, and no number of blocks (Monero's CRYPTONOTE_MAX_BLOCK_NUMBER). */
const FIRST_TIME = 500_000_000n;

/** @throws ChainUnavailable */
export async function scan(
	wallet: MoneroRpc,
	daemon: MoneroDaemon,
	asset: AssetId,
	cursor: string | null,
): Promise<Scan> {
	const blocks = await refreshed(wallet, daemon);
	const before = readCursor(cursor, blocks);
	const above = before.blocks - RELISTED_BLOCKS;
	const recent = await transfersAbove(wallet, daemon, above, blocks);
	const older = before.locked.filter((height) => height <= above);
	const again: Found[] = [];
	for (const height of older) again.push(await transfersWithin(wallet, height - 1, height, false));
	// A payment that is locked until a time was counted when its block was listed for the last time.
	const isWaitedFor = (transfer: Transfer) => transfer.unlock_time === 0n || lockEnd(transfer) !== null;
	const arrivals = again.flatMap((found) => found.in).filter((each) => isArrival(each) && isWaitedFor(each));
	const credits = [...recent.credits, ...arrivals.filter(isCredit)];
	const locked = [...recent.locked, ...arrivals.filter((transfer) => !isCredit(transfer))];
	const settled = blocks - RELISTED_BLOCKS;
	const next = stillLocked([...credits, ...locked], before.locked, settled);
	const isListedAgain = ({ height }: Transfer) => before.locked.includes(height) || next.includes(height);
	const observed = (credit: Transfer): ObservedDeposit => ({
		txId: credit.txid,
		position: positionOf(credit),
		address: credit.address,
		asset,
		amount: credit.amount,
		...depthOf(blocks, credit),
		...(isListedAgain(credit) && { countsFrom: Math.max(credit.height, lockEnd(credit) ?? 0) }),
	});
	return {
		deposits: credits.map(observed),
		locked: locked.map(observed),
		unread: [...recent.unread, ...again.flatMap(({ unread }) => unread)],
		cursor: [...next, blocks].join(':'),
		height: blocks - 1,
		settled,
	};
}

/** A cursor: the blocks with payments whose lock has not ended long ago, and last the number of blocks. Null starts now. */
function readCursor(cursor: string | null, blocks: number) {
	const numbers = (cursor ?? String(blocks)).split(':').map(Number);
	return { locked: numbers.slice(0, -1), blocks: Math.min(numbers.at(-1) ?? blocks, blocks) };
}

/** The number of blocks at which the payer's lock ends; null where there is none, or where it is not waited for. */
function lockEnd({ unlock_time, height }: Transfer): number | null {
	if (unlock_time === 0n || unlock_time >= FIRST_TIME) return null;
	return Number(unlock_time) > height + LONGEST_LOCK_BLOCKS ? null : Number(unlock_time);
}

/** An arrival that was listed again stays, whatever else comes: it has not been counted. `settled`: as for a scan. */
function stillLocked(arrivals: readonly Transfer[], before: readonly number[], settled: number): number[] {
	const heights = arrivals
		.filter((transfer) => transfer.type === 'in' && (lockEnd(transfer) ?? 0) > settled)
		.map(({ height }) => height);
	const kept = before.filter((height) => heights.includes(height));
	return [...new Set([...kept, ...heights])].slice(0, MOST_LOCKED);
}

interface Found extends z.output<typeof TRANSFERS> {
	readonly unread: readonly string[];
}

/**
 * Strangers may send more payments than one answer can hold. Then the range is split: first the mempool alone, then
 * half of the blocks at a time.
 */
async function transfersWithin(wallet: MoneroRpc, above: number, until: number, pooled: boolean): Promise<Found> {
	const range = { account_index: ACCOUNT, filter_by_height: true, min_height: above, max_height: until };
	const kinds = { in: until > above, pool: pooled, pending: pooled };
	try {
		return { ...(await ask(wallet, TRANSFERS, 'get_transfers', { ...kinds, ...range })), unread: [] };
	} catch (error) {
		if (!(error instanceof ChainUnavailable && error.tooLarge)) throw error;
	}
	if (pooled && until === above) return nothingOf('the mempool; its payments are seen when they are in a block');
	if (!pooled && until - above <= 1) return nothingOf(`block ${until}`);
	const middle = pooled ? until : Math.floor((above + until) / 2);
	const parts = [
		await transfersWithin(wallet, above, middle, false),
		await transfersWithin(wallet, middle, until, pooled),
	];
	return {
		in: parts.flatMap((part) => part.in),
		pool: parts.flatMap((part) => part.pool),
		pending: parts.flatMap((part) => part.pending),
		unread: parts.flatMap((part) => part.unread),
	};
}

const nothingOf = (where: string): Found => ({
	in: [],
	pool: [],
	pending: [],
	unread: [`more payments to us than can be read in ${where}`],
});

/**
 * Payments to us in blocks above `height` up to `until` and in the mempool, and our own payments that no block holds
 * yet. The wallet's view of the mempool may be old, so monerod is asked what it contains.
 */
export async function transfersAbove(wallet: MoneroRpc, daemon: MoneroDaemon, height: number, until: number) {
	const found = await transfersWithin(wallet, Math.min(Math.max(0, height), until), until, true);
	const held = await heldTransactions(daemon, txidsOf([...found.pool, ...found.pending]));
	const isPooled = ({ txid }: Transfer): boolean => {
		const transaction = held.get(txid);
		return transaction?.depth.height === null && !transaction.doubleSpent;
	};
	const arrivals = [...found.in, ...found.pool.filter(isPooled)].filter(isArrival);
	return {
		credits: arrivals.filter(isCredit),
		locked: arrivals.filter((transfer) => !isCredit(transfer)),
		unread: found.unread,
		pending: found.pending.filter(({ txid }) => (held.get(txid)?.depth.height ?? null) === null),
	};
}
