/**
 * One poll: reads the blocks that came, and lists from the coin book what was paid to us since the cursor, with the depth
 * that it has now; and from the mempool what is on its way.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { ObservedDeposit, Scan } from '../port.ts';
import { KEPT_BLOCKS } from './book/coin-book.ts';
import { behindText } from './book/keeper.ts';
import type { PoolCredit, Unconfirmed } from './book/pool.ts';
import { type BookCoin, coinsAbove, lastFlood, oldestUnspent } from './book/reads.ts';
import { depthAt, IN_POOL } from './depth.ts';
import type { Tip } from './source.ts';
import type { Watching } from './watching.ts';

/**
 * Blocks that each scan lists again: more than any network needs for finality, so that each scan repeats all that is
 * not settled. A block that a flood of outputs fills is listed once: those of orders are asked about by themselves.
 */
const RELISTED_BLOCKS = 12;
const FLOOD = 2_000;

interface Asked {
	/** As an earlier scan returned it, `hash:height`; null lists all that the book has. */
	readonly cursor: string | null;
	readonly asset: AssetId;
	readonly hotAddress: string;
	/** For a provider that knows addresses: those where payments are waited for. */
	readonly open: readonly string[];
	/** Nobody waits for a payment: the mempool is not asked. */
	readonly isIdle: boolean;
}

/** @throws ChainUnavailable */
export async function scan(watching: Watching, { cursor, asset, hotAddress, open, isIdle }: Asked): Promise<Scan> {
	const { keeper, sources, book, pool, locks } = watching;
	const { last, tip } = await keeper.read();
	const since = cursor === null ? -1 : listedSince(watching, cursor);
	const coins = coinsAbove(book, since);
	const young = coins.filter(({ height }) => height > last.height - RELISTED_BLOCKS).map(({ height }) => height);
	const locked = await locks.upTo(young);
	const isBehind = last.height < tip.height;
	// A payment that the mempool holds may be in a block that is unread.
	const { found, unread } =
		isBehind || isIdle
			? { found: [], unread: isBehind ? [behindText(last, tip)] : [] }
			: await sources.use((source) => pool.look(source, open));
	const inBlocks = new Set(coins.map(({ txId }) => txId));
	const deposits = [
		// Outputs of our own transactions to the hot wallet are change, and no reserve.
		...coins.filter(({ address, isChange }) => address !== hotAddress || !isChange).map((coin) => inBlock(coin)),
		...found.filter(({ txId }) => !inBlocks.has(txId)).flatMap(creditsIn),
	];
	const next = cursorAt(watching, last, cursor);
	return {
		deposits,
		cursor: next,
		height: last.height,
		settled: heightOf(next),
		readFrom: (oldestUnspent(book) ?? last.height) - RELISTED_BLOCKS,
		unread,
	};

	function inBlock(coin: BookCoin): ObservedDeposit {
		return { ...depositOf(coin), ...depthAt(coin, last, locked) };
	}

	function creditsIn({ credits, isOwn }: Unconfirmed): ObservedDeposit[] {
		const paid = credits.filter(({ address }) => address !== hotAddress || !isOwn);
		return paid.map((credit) => ({ ...depositOf(credit), ...IN_POOL }));
	}

	function depositOf({ txId, vout, address, amount }: PoolCredit) {
		return { txId, position: String(vout), address, asset, amount };
	}
}

/** The height of the block up to which a cursor has read. */
const heightOf = (cursor: string): number => Number(cursor.split(':')[1]);

/** If a reorganisation undid the cursor's block, the branches part somewhere below it. */
function listedSince({ book }: Watching, cursor: string): number {
	const [hash, height] = [cursor.split(':')[0], heightOf(cursor)];
	return book.hashAt(height) === hash ? height : Math.max(-1, height - KEPT_BLOCKS);
}

/** Behind the last block by as many as are listed again. Never below the book's own first one. */
function cursorAt({ book }: Watching, last: Tip, before: string | null): string {
	const least = before === null ? 0 : Math.min(heightOf(before), last.height);
	const flooded = lastFlood(book, last.height - RELISTED_BLOCKS, FLOOD);
	const height = Math.max(least, last.height - RELISTED_BLOCKS, flooded, (book.start()?.height ?? 1) - 1);
	return `${book.hashAt(height)}:${height}`;
}
