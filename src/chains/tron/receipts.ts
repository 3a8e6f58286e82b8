/**
 * The credits of one block's transactions, from their receipts. The sender of a transaction decides how large its
 * receipt is. Where a block's receipts are too large to read together, each is read alone. One that is too large by
 * itself is left out and reported. So no receipt can stop the reading of the chain.
 */
import { ChainUnavailable } from '../errors.ts';
import { eachOf } from '../rpc/each-of.ts';
import { type Credit, creditsOf, runsContract } from './credits.ts';
import { readableInfo } from './depth.ts';
import type { TronNode } from './node.ts';
import type { TronParams } from './params.ts';
import { type Block, INFOS, type Info, type Transaction } from './shapes.ts';

/** Receipts that one scan reads one by one before it leaves the following blocks to the next scan. */
const MAX_ALONE = 600;

export interface BlockCredits {
	readonly credits: readonly Credit[];
	/** Payments that could not be read and are not credited, one line each. */
	readonly unread: readonly string[];
}

/** Without what contracts paid. */
export const plainCredits = (params: TronParams, { transactions }: Block): BlockCredits => ({
	credits: transactions.flatMap((transaction) => creditsOf(params, transaction, undefined)),
	unread: [],
});

/**
 * Serves one scan. `asksAlone`: read the receipts one by one after any failure to read them together, not only where they are too large.
 */
export function receiptReader(node: TronNode, asksAlone = false) {
	let alone = 0;

	/** The receipts by transaction, as far as they can be read. */
	async function infosOf(block: Block, running: readonly Transaction[]): Promise<Map<string, Info | 'too large'>> {
		if (running.length === 0) return new Map();
		try {
			const infos = await node.ask('/wallet/gettransactioninfobyblocknum', INFOS, { num: block.height });
			return new Map(infos.map((info) => [info.id, info]));
		} catch (error) {
			if (!(error instanceof ChainUnavailable) || !(error.tooLarge || asksAlone)) throw error;
			if (alone > 0 && alone + running.length > MAX_ALONE) throw error;
		}
		alone += running.length;
		const infos = await eachOf(running, async ({ txID }) => [txID, await readableInfo(node, txID)] as const);
		return new Map(infos.flatMap(([txId, info]) => (info === null ? [] : [[txId, info]])));
	}

	return {
		/** Null where the receipts are not those of this block: not written yet, or of another branch. @throws ChainUnavailable */
		async creditsIn(block: Block): Promise<BlockCredits | null> {
			const running = block.transactions.filter(runsContract);
			const infos = await infosOf(block, running);
			const isHere = ({ txID }: Transaction): boolean => {
				const info = infos.get(txID);
				return info === 'too large' || info?.blockNumber === block.height;
			};
			if (!running.every(isHere)) return null;
			const unread = running.filter(({ txID }) => infos.get(txID) === 'too large');
			const credits = block.transactions.flatMap((transaction) => {
				const info = infos.get(transaction.txID);
				return info === 'too large' ? [] : creditsOf(node.params, transaction, info);
			});
			return {
				credits,
				unread: unread.map(
					({ txID }) =>
						`the receipt of ${txID} in block ${block.height} is too large to read: its payments to us are not seen`,
				),
			};
		},
	};
}
