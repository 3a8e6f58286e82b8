/**
 * Finds deposits by reading every block once: its transfers, and the receipts of transactions that ran contracts. These
 * receipts contain every token transfer and every coin that a contract sent. So the cost depends on the number of
 * blocks and not on the number of open addresses, and no index of the node's has to be trusted.
 *
 * The cursor is the last block that was read, with its id, and a height that was irreversible then. Each block names
 * its parent's id. If the next block does not name the cursor's block, there was a reorganisation, and reading starts
 * again above the irreversible height. After a long outage, many scans catch up.
 */
import { hex } from '@scure/base';
import { ChainUnavailable } from '../errors.ts';
import type { ObservedDeposit, Scan, Watched, WatchedAddress } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { hashOf, isTronAddress, tronAddress } from './address.ts';
import { type BlockPlace, depthAt, headOf, solidOf, type Tips } from './depth.ts';
import type { TronNode } from './node.ts';
import { type Quiet, quietReading } from './quiet.ts';
import { type BlockCredits, plainCredits, receiptReader } from './receipts.ts';
import { BLOCKS, type Block, HEADER } from './shapes.ts';

/** Blocks that one scan reads: three minutes of the chain. */
const MAX_BLOCKS = 60;
/** Blocks in one answer. A full block has 300 KB or more. */
const BLOCKS_PER_CALL = 10;

interface Cursor extends BlockPlace {
	/** A height, at most the cursor's, that was irreversible when the cursor was made. */
	readonly solid: number;
}

interface ReadBlock extends BlockPlace, BlockCredits {}

interface Asked {
	/** As an earlier scan returned it; null starts now. */
	readonly text: string | null;
	readonly watched: Watched;
	/** Nothing is open: receipts of blocks that name nobody of ours are left out (`quiet.ts`). */
	readonly isIdle: boolean;
}

/**
 * `read`: the last block that this or an earlier scan has read. @throws ChainUnavailable; TypeError on a foreign cursor
 */
export async function scan(
	node: TronNode,
	{ text, watched, isIdle }: Asked,
): Promise<Scan & { readonly read: BlockPlace }> {
	const solid = await solidOf(node);
	// The first scan may come shortly after the first order, so it reads all that is not irreversible yet.
	const cursor = text === null ? { ...solid, solid: solid.height } : cursorOf(text);
	const range = { after: cursor.height, solid, most: MAX_BLOCKS };
	const quiet = isIdle && solid.height >= cursor.solid ? await quietReading(node, range, watched) : null;
	if (quiet && solid.height <= cursor.height)
		return { deposits: [], cursor: text ?? cursorAt(solid, { solid }), height: solid.height, read: cursor };
	const { blocks, head } = await newBlocks(node, cursor, quiet);
	const tips = { head, solid };
	// This may be the next node of a pool, or a branch that is still shorter. It will soon catch up.
	if (head.height < cursor.height)
		return { deposits: [], cursor: text ?? cursorAt(solid, tips), height: head.height, read: cursor };
	const last = blocks.at(-1) ?? cursor;
	// Asked after the blocks: an address that is not open now cannot have been paid in a block that was already read.
	const open = openAddresses(await watched(recipientsIn(blocks)));
	const deposits = blocks.flatMap(({ height, credits }) =>
		credits.flatMap(({ to, ...credit }): ObservedDeposit[] => {
			const address = open.get(`${to} ${credit.asset}`);
			return address ? [{ ...credit, address, ...depthAt(height, tips) }] : [];
		}),
	);
	const unread = blocks.flatMap((block) => block.unread);
	const found = { deposits, cursor: cursorAt(last, tips), height: tips.head.height, read: last };
	return unread.length > 0 ? { ...found, unread } : found;
}

const recipientsIn = (blocks: readonly ReadBlock[]): string[] => [
	...new Set(blocks.flatMap(({ credits }) => credits.map(({ to }) => tronAddress(hex.decode(to))))),
];

/** Addresses by hash and asset. */
const openAddresses = (watched: readonly WatchedAddress[]): Map<string, string> =>
	new Map(
		watched
			.filter(({ address }) => isTronAddress(address))
			.map(({ address, asset }) => [`${hashOf(address)} ${asset}`, address]),
	);

/**
 * The blocks after the cursor's, and the best of them that the node knows. After a reorganisation, the blocks after the
 * cursor's irreversible height. What follows the cursor says where the head is, so only a node that has nothing is asked.
 */
async function newBlocks(
	node: TronNode,
	cursor: Cursor,
	quiet: Quiet | null,
): Promise<{ readonly blocks: readonly ReadBlock[]; readonly head: BlockPlace }> {
	const following = await readBlocks(node, { from: cursor.height + 1, parentId: cursor.id, quiet });
	const last = following.at(-1);
	if (last) return { blocks: following, head: last };
	const head = await headOf(node);
	if (head.height < cursor.solid)
		throw new ChainUnavailable(`the node is at block ${head.height}, but ${cursor.solid} was already irreversible`);
	if (head.height < cursor.height || head.id === cursor.id) return { blocks: [], head };
	if (cursor.solid === cursor.height)
		throw new ChainUnavailable(`the node has no block that follows ${cursor.id}, which was irreversible`);
	const blocks = await readBlocks(node, { from: cursor.solid + 1, parentId: null, quiet: null });
	if (blocks.length === 0) throw new ChainUnavailable(`the node cannot show block ${cursor.solid + 1}`);
	return { blocks, head: blocks.at(-1) ?? head };
}

interface Reading {
	readonly from: number;
	/** The id of the first one's parent; null where that is not known. */
	readonly parentId: string | null;
	readonly quiet: Quiet | null;
}

/** As many linked blocks as the node returns; none where it has none. */
async function readBlocks(node: TronNode, { from, parentId, quiet }: Reading): Promise<ReadBlock[]> {
	const read: ReadBlock[] = [];
	const receipts = receiptReader(node);
	const end = quiet ? quiet.through + 1 : from + MAX_BLOCKS;
	let perCall = BLOCKS_PER_CALL;
	for (let start = from; start < end; start = from + read.length) {
		const range = { startNum: start, endNum: Math.min(start + perCall, end) };
		const parent = read.at(-1)?.id ?? parentId;
		const answer = await answered(node.ask('/wallet/getblockbylimitnext', BLOCKS, range));
		if (answer instanceof ChainUnavailable && perCall > 1) {
			// Together they may be too large for one answer.
			perCall = 1;
			continue;
		}
		if (answer instanceof ChainUnavailable) {
			const place = answer.tooLarge ? await answered(unreadBlock(node, start, parent)) : answer;
			if (place instanceof ChainUnavailable && read.length === 0) throw place;
			if (!place || place instanceof ChainUnavailable) return read;
			read.push(place);
			continue;
		}
		const linked = linkedBlocks(answer.block.slice(0, perCall), start, parent);
		const due = await quiet?.mayPayUs(linked);
		const following = await withCredits(linked, async (block) =>
			due && !due.has(block.height) ? plainCredits(node.params, block) : answered(receipts.creditsIn(block)),
		);
		// The first block must not depend on how much was asked for beside it.
		if (read.length === 0 && following.length === 0) following.push(...(await firstOf(node, linked)));
		read.push(...following);
		if (following.length < range.endNum - range.startNum) break;
	}
	return read;
}

/** The blocks whose credits could be read, up to the first one that failed. */
async function withCredits(
	linked: readonly Block[],
	creditsIn: (block: Block) => Promise<BlockCredits | null | ChainUnavailable>,
): Promise<ReadBlock[]> {
	const credits = await eachOf(linked, creditsIn);
	const read: ReadBlock[] = [];
	for (const [at, { height, id }] of linked.entries()) {
		const found = credits[at];
		if (!found || found instanceof ChainUnavailable) break;
		read.push({ height, id, ...found });
	}
	return read;
}

/** Reads the first block alone; empty where there is none. @throws ChainUnavailable where it cannot be read */
async function firstOf(node: TronNode, [first]: readonly Block[]): Promise<ReadBlock[]> {
	if (!first) return [];
	const { height, id } = first;
	const found = await receiptReader(node, true).creditsIn(first);
	if (!found) throw new ChainUnavailable(`the receipts of block ${height} are not those of its transactions`);
	return [{ height, id, ...found }];
}

/** A block that is too large to read: only its header is read. Null where it does not follow its parent. */
async function unreadBlock(node: TronNode, num: number, parentId: string | null): Promise<ReadBlock | null> {
	const header = await node.ask('/wallet/getblock', HEADER, { id_or_num: String(num), detail: false });
	if (header.height !== num || (parentId !== null && header.parentId !== parentId)) return null;
	const unread = [`block ${num} is too large to read: its payments to us are not seen`];
	return { height: num, id: header.id, credits: [], unread };
}

/** A failed request must not discard what the node has already answered. Otherwise a slow node would never catch up. */
async function answered<T>(answer: Promise<T>): Promise<T | ChainUnavailable> {
	try {
		return await answer;
	} catch (error) {
		if (error instanceof ChainUnavailable) return error;
		throw error;
	}
}

function linkedBlocks(blocks: readonly Block[], start: number, parentId: string | null): Block[] {
	const linked: Block[] = [];
	for (const [at, block] of blocks.entries()) {
		const parent = linked.at(-1)?.id ?? parentId;
		if (block.height !== start + at || (parent !== null && block.parentId !== parent)) break;
		linked.push(block);
	}
	return linked;
}

const CURSOR = /^(\d{1,13}):([0-9a-f]{64}):(\d{1,13})$/;

function cursorOf(text: string): Cursor {
	const [, height, id, solid] = CURSOR.exec(text) ?? [];
	if (!height || !id || !solid) throw new TypeError(`not a cursor of this family: ${text}`);
	return { height: Number(height), id, solid: Number(solid) };
}

const cursorAt = ({ height, id }: BlockPlace, { solid }: Pick<Tips, 'solid'>): string =>
	`${height}:${id}:${Math.min(height, solid.height)}`;
