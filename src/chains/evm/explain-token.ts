/**
 * Explains holdings of a token that are larger than what is on record: by the transfers that the token's contract has
 * written down, looked for where `explain.ts` looks for native money, and each checked in its transaction's receipt.
 * Promises as it does: for no address does the new evidence add up to more than what it holds beyond the record; what
 * nothing explains is not credited.
 */

import { ChainUnavailable } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { TRANSFER_TOPIC, wordOf } from './erc20.ts';
import { read, unavailable } from './node.ts';
import type { Unread } from './receipts.ts';
import { type Explanation, Remainders, type Target } from './remainders.ts';
import { hexOf, LOGS } from './shapes.ts';
import { paidBy, type TokenTransfer, transfersIn } from './transfers.ts';

/** Blocks in one question for logs: what most providers allow. */
const MAX_BLOCKS = 2_000;
/** Recipients in one question. */
const MAX_RECIPIENTS = 250;
/** Questions for logs that one scan may take, those that were refused too. */
const MAX_QUESTIONS = 60;
/** Transactions that are looked into before the rest is left to the next scan: dust costs its sender, and us. */
const MAX_TRANSACTIONS = 200;
/**
 * As many receipts as one request asks for: a Worker may make so many requests and no more, whatever a block is full
 * of.
 */
const TRANSACTIONS_AT_ONCE = 50;

export interface TokenSearch {
	readonly contract: string;
	readonly targets: readonly Target[];
	readonly head: number;
	/** Heights down to which to look, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
}

/** A transfer as the logs tell it; the receipt has the last word. */
interface Told {
	readonly txId: string;
	readonly to: string;
	readonly height: number;
	readonly amount: bigint;
}

/** @throws ChainUnavailable */
export async function explainToken(
	rpc: JsonRpc,
	{ contract, targets, head, floors }: TokenSearch,
): Promise<Explanation> {
	const remainders = new Remainders(targets);
	const unread = new Map<string, string>();
	const known = new Map(targets.map((target) => [target.address, target.known]));
	let [questions, transactions, blocksAtOnce] = [0, 0, MAX_BLOCKS];

	/**
	 * Transfers to these addresses in blocks `from` to `to`. Null where too much would have to be asked, an error where it is
	 * too many blocks, or answers, for this node.
	 */
	async function told(addresses: readonly string[], from: number, to: number): Promise<Told[] | RpcError | null> {
		const logs: Told[] = [];
		for (let start = 0; start < addresses.length; start += MAX_RECIPIENTS) {
			if (questions >= MAX_QUESTIONS) return null;
			questions += 1;
			try {
				logs.push(...(await transferLogs(rpc, contract, addresses.slice(start, start + MAX_RECIPIENTS), from, to)));
			} catch (error) {
				if (error instanceof RpcError) return error;
				throw error;
			}
		}
		return logs;
	}

	/** Does the transaction pay an address that still holds more, and oftener than what is on record? */
	function isNews({ txId, to }: Told, inBlock: readonly Told[]): boolean {
		const times = inBlock.filter((other) => other.txId === txId && other.to === to).length;
		return remainders.of(to) > 0n && times > (known.get(to) ?? []).filter((other) => other.txId === txId).length;
	}

	/** Credits the transfers of one page, the lowest blocks first. Returns the last height that is done with. */
	async function takePage(logs: readonly Told[], last: number): Promise<number> {
		const blocks = [...Map.groupBy(logs, ({ height }) => height)].toSorted(([one], [other]) => one - other);
		let txIds = new Set<string>();
		for (const [at, [height, inBlock]] of blocks.entries()) {
			if (transactions >= MAX_TRANSACTIONS) return height - 1;
			for (const each of inBlock) if (isNews(each, inBlock)) txIds.add(each.txId);
			if (txIds.size < TRANSACTIONS_AT_ONCE && at < blocks.length - 1) continue;
			transactions += txIds.size;
			const looked = await transfersIn(rpc, txIds);
			takeTransfers(looked.transfers);
			for (const each of logs) {
				const why = looked.unread.get(each.txId);
				if (why) leaveOut(each, why);
			}
			txIds = new Set();
		}
		return last;
	}

	/** What no receipt shows is not credited. In this poll it is looked for no further: where it came from is known. */
	function leaveOut({ txId, to, amount }: Told, why: Unread): void {
		remainders.giveUp(to, amount);
		unread.set(`${txId} ${to}`, `${txId} pays ${to}, and its receipt cannot be read (${why}): the deposit waits`);
	}

	function takeTransfers(transfers: readonly TokenTransfer[]): void {
		for (const { txId, position, to, amount, height, ...transfer } of transfers) {
			const isKnown = known.get(to)?.some((other) => other.txId === txId && other.position === position);
			if (transfer.contract !== contract || isKnown) continue;
			remainders.credit({ txId, position, amount, address: to, height });
		}
	}

	/** Blocks above `floor` up to `top`, the lowest first. Returns the last height that is done with. */
	async function walk(floor: number, top: number): Promise<number> {
		let from = floor + 1;
		while (from <= top) {
			const to = Math.min(from + blocksAtOnce - 1, top);
			const logs = await told(remainders.open(), from, to);
			if (logs === null) return from - 1;
			if (logs instanceof RpcError) {
				if (from === to) throw unavailable('eth_getLogs', logs);
				// Half of them from here on, so that each look comes further, also with a node that answers for ten at a time.
				blocksAtOnce = Math.ceil((to - from + 1) / 2);
				continue;
			}
			const done = await takePage(logs, to);
			if (done < to) return done;
			from = to + 1;
		}
		return top;
	}

	let top = head;
	for (const floor of floors) {
		if (remainders.open().length === 0) break;
		const done = await walk(floor, top);
		if (done < top && top === head) {
			if (done <= floor && remainders.found.length === 0)
				throw new ChainUnavailable('the node finds too little at a time');
			return { found: remainders.found, reached: Math.max(floor, done), unread: [...unread.values()] };
		}
		if (done < top) break;
		top = floor;
	}
	return { found: remainders.found, reached: head, unread: [...unread.values()] };
}

/** @throws RpcError, ChainUnavailable */
async function transferLogs(
	rpc: JsonRpc,
	contract: string,
	addresses: readonly string[],
	from: number,
	to: number,
): Promise<Told[]> {
	const topics = [TRANSFER_TOPIC, null, addresses.map((address) => `0x${wordOf(address)}`)];
	const filter = { address: contract, topics, fromBlock: hexOf(from), toBlock: hexOf(to) };
	return read(LOGS, 'eth_getLogs', await rpc.call('eth_getLogs', filter)).flatMap((log) => {
		const paid = paidBy(log);
		const isAsked = log.address === contract && log.blockNumber >= from && log.blockNumber <= to;
		return paid && isAsked ? [{ txId: log.transactionHash, ...paid, height: log.blockNumber }] : [];
	});
}
