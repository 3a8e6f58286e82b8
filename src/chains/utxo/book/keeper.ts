/** Keeps a coin book up to date: reads the blocks that came since, each once, and undoes those of a branch that lost. */
import { ChainUnavailable } from '../../errors.ts';
import type { Keeping } from '../../watching-port.ts';
import type { UtxoParams } from '../params.ts';
import type { Source, Sources, Tip } from '../source.ts';
import type { Block } from '../split.ts';
import { type CoinBook, KEPT_BLOCKS } from './coin-book.ts';
import { lockHashes } from './own-kind.ts';

/** One reading ends after so many blocks or milliseconds; the next one goes on. */
const BLOCKS_PER_READING = 200;
const READING_MILLISECONDS = 8_000;

/** The chain that is followed: the provider's own word, or one that is proven. */
export interface Followed {
	tip(): Promise<Tip>;
	/** Null above the tip. */
	hashAt(height: number): Promise<string | null>;
	block(hash: string, height: number): Promise<Block>;
}

export interface Read {
	/** The last block that was read. */
	readonly last: Tip;
	/** The best one. */
	readonly tip: Tip;
}

interface Kept {
	readonly book: CoinBook;
	readonly sources: Sources;
	readonly params: UtxoParams;
	readonly keeping: Keeping;
	readonly follow: (source: Source) => Followed;
}

export class Keeper {
	readonly #kept: Kept;
	#reading: Promise<Read> | null = null;
	/** The end of the last reading; null where it failed, and before the first. */
	#lastRead: Read | null = null;

	constructor(kept: Kept) {
		this.#kept = kept;
	}

	/** Addresses are watched from the next block on, so the book has begun when this returns. @throws ChainUnavailable */
	async register(addresses: readonly string[]): Promise<void> {
		const { book, params, follow } = this.#kept;
		const hashes = lockHashes(addresses, params);
		const foreign = addresses.find((address) => !hashes.has(address));
		if (foreign !== undefined) throw new TypeError(`not an address that our keys have on this network: ${foreign}`);
		book.register(hashes);
		if (!book.last()) await this.#kept.sources.use((source) => this.#started(follow(source)));
	}

	/** Reads on, though perhaps not to the best block. @throws ChainUnavailable */
	async read(): Promise<Read> {
		this.#reading ??= this.#readOn().finally(() => {
			this.#reading = null;
		});
		return this.#reading;
	}

	/** The best block, with all before it read. @throws ChainUnavailable while some are not */
	async current(): Promise<Tip> {
		const { last, tip } = await this.read();
		if (last.height < tip.height) throw new ChainUnavailable(behindText(last, tip));
		return last;
	}

	/** As `current`, of the last reading where that was whole: what a poll has read is not asked again. */
	async asLastRead(): Promise<Tip> {
		const read = this.#lastRead;
		return read && read.last.height >= read.tip.height ? read.last : this.current();
	}

	async #readOn(): Promise<Read> {
		// One that fails may have undone blocks.
		this.#lastRead = null;
		this.#lastRead = await this.#kept.sources.use((source) => this.#readFrom(source));
		return this.#lastRead;
	}

	async #readFrom(source: Source): Promise<Read> {
		const { book, keeping, follow } = this.#kept;
		const known = book.last();
		if (known && keeping.isHeld()) return { last: known, tip: known };
		const chain = follow(source);
		const last = await this.#started(chain);
		const tip = await chain.tip();
		if (last.hash === tip.hash) return { last, tip };
		const parted = await partedAt(chain, book, last, tip);
		// A node that is a little behind has nothing new; one on a shorter branch will change its mind.
		if (tip.height < last.height) {
			if (parted === tip.height) return { last, tip: last };
			throw new ChainUnavailable(
				`${source.host} is at block ${tip.height} of another branch, and ${last.height} blocks were read`,
			);
		}
		if (parted < last.height) book.undo(parted);
		return { last: await takeBlocks(chain, book, { from: parted + 1, tip }), tip };
	}

	/** The last block of the book, which begins here if it is empty. */
	async #started(chain: Followed): Promise<Tip> {
		const { book, params, keeping } = this.#kept;
		const known = book.last();
		if (known) return known;
		if (keeping.isHeld()) throw new ChainUnavailable('the coin book is empty, and is not written now');
		const tip = await chain.tip();
		const { from, addresses, isAgain } = await keeping.before();
		book.register(lockHashes(addresses, params));
		const height = from === null ? tip.height : Math.min(tip.height, Math.max(0, from - 1));
		const first = { height, hash: await requiredHash(chain, height) };
		// Meanwhile another call may have begun it.
		if (!book.last()) book.begin(first, isAgain);
		return book.last() ?? first;
	}
}

export const behindText = (last: Tip, tip: Tip): string =>
	`blocks are being read: block ${last.height} of ${tip.height}`;

async function requiredHash(chain: Followed, height: number): Promise<string> {
	const hash = await chain.hashAt(height);
	if (hash === null) throw new ChainUnavailable(`there is no block ${height}`);
	return hash;
}

/** The height of the last block that the book and the chain share. @throws ChainUnavailable where none is known */
async function partedAt(chain: Followed, book: CoinBook, last: Tip, tip: Tip): Promise<number> {
	for (let height = Math.min(last.height, tip.height); ; height--) {
		const own = book.hashAt(height);
		if (own === null)
			throw new ChainUnavailable(
				`block ${height + 1} is not the one that was read: another chain, or a reorganisation of more than ${KEPT_BLOCKS} blocks`,
			);
		if ((await chain.hashAt(height)) === own) return height;
	}
}

interface Range {
	readonly from: number;
	readonly tip: Tip;
}

/** The last block that was taken. What was taken stays when a later block fails. @throws ChainUnavailable where the first fails */
async function takeBlocks(chain: Followed, book: CoinBook, { from, tip }: Range): Promise<Tip> {
	const until = Date.now() + READING_MILLISECONDS;
	const end = Math.min(tip.height, from + BLOCKS_PER_READING - 1);
	let last = book.last();
	for (let height = from; height <= end; height++) {
		const hash = height === tip.height ? tip.hash : await requiredHash(chain, height);
		const block = await chain.block(hash, height);
		if (block.height !== null && block.height !== height)
			throw new ChainUnavailable(`block ${hash} says that it is block ${block.height}, not ${height}`);
		if (block.previousHash !== last?.hash)
			throw new ChainUnavailable(`block ${hash} does not follow block ${last?.hash}: the chain changes now`);
		book.take(height, block);
		last = { height, hash };
		if (Date.now() > until) break;
	}
	if (!last) throw new ChainUnavailable('the coin book is empty');
	return last;
}
