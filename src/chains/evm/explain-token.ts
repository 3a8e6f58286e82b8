/**
 * Explains token balances that are larger than the record, by the `Transfer` logs of the token's contract. It searches
 * between the cursor and the head first, then further and further back, and checks each transfer in its transaction's
 * receipt. `remainders.ts` limits what is credited. What no transfer explains is not credited.
 */

import { ChainUnavailable } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { TRANSFER_TOPIC, wordOf } from './erc20.ts';
import { read, unavailable } from './node.ts';
import type { Unread } from './receipts.ts';
import { type Explanation, Remainders, type Target } from './remainders.ts';
import { hexOf, LOGS } from './shapes.ts';
import { paidBy, type TokenTransfer, transfersIn } from './transfers.ts';

/** Blocks in one `eth_getLogs` call: as many as most providers allow. */
const MAX_BLOCKS = 2_000;
/** Recipients in one `eth_getLogs` call. */
const MAX_RECIPIENTS = 250;
/** `eth_getLogs` calls that one scan may make, refused ones included. */
const MAX_CALLS = 60;
/** Transactions that one scan may read; the next scan reads the others. Senders of dust decide how many there are. */
const MAX_TRANSACTIONS = 200;
/** Receipts in one request. A Worker may make only so many requests, however many transactions a block has. */
const TRANSACTIONS_AT_ONCE = 50;

export interface TokenSearch {
	readonly contract: string;
	readonly targets: readonly Target[];
	readonly head: number;
	/** Heights down to which to search, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
}

/** A transfer as a log reports it. The receipt decides. */
interface LoggedTransfer {
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
	let [calls, transactions, blocksAtOnce] = [0, 0, MAX_BLOCKS];

	/**
	 * Transfers to these addresses in blocks `from` to `to`. Null where the scan has used up its calls. The node's
	 * error where it refuses so many blocks or logs.
	 */
	async function logsBetween(
		addresses: readonly string[],
		from: number,
		to: number,
	): Promise<LoggedTransfer[] | RpcError | null> {
		const logs: LoggedTransfer[] = [];
		for (let start = 0; start < addresses.length; start += MAX_RECIPIENTS) {
			if (calls >= MAX_CALLS) return null;
			calls += 1;
			try {
				logs.push(...(await transferLogs(rpc, contract, addresses.slice(start, start + MAX_RECIPIENTS), from, to)));
			} catch (error) {
				if (error instanceof RpcError) return error;
				throw error;
			}
		}
		return logs;
	}

	/** Does the transaction pay an address with a remainder, and more often than is on record? */
	function isNew({ txId, to }: LoggedTransfer, inBlock: readonly LoggedTransfer[]): boolean {
		const times = inBlock.filter((other) => other.txId === txId && other.to === to).length;
		return remainders.of(to) > 0n && times > (known.get(to) ?? []).filter((other) => other.txId === txId).length;
	}

	/** Credits the transfers of one page, the lowest blocks first. Returns the last height that is complete. */
	async function takePage(logs: readonly LoggedTransfer[], last: number): Promise<number> {
		const blocks = [...Map.groupBy(logs, ({ height }) => height)].toSorted(([one], [other]) => one - other);
		let txIds = new Set<string>();
		for (const [at, [height, inBlock]] of blocks.entries()) {
			if (transactions >= MAX_TRANSACTIONS) return height - 1;
			for (const each of inBlock) if (isNew(each, inBlock)) txIds.add(each.txId);
			if (txIds.size < TRANSACTIONS_AT_ONCE && at < blocks.length - 1) continue;
			transactions += txIds.size;
			const checked = await transfersIn(rpc, txIds);
			takeTransfers(checked.transfers);
			for (const each of logs) {
				const why = checked.unread.get(each.txId);
				if (why) leaveOut(each, why);
			}
			txIds = new Set();
		}
		return last;
	}

	/**
	 * A transfer without a readable receipt is not credited. This scan does not search for its amount elsewhere: the
	 * origin is known.
	 */
	function leaveOut({ txId, to, amount }: LoggedTransfer, why: Unread): void {
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

	/** Reads the blocks above `floor` up to `top`, the lowest first. Returns the last height that is complete. */
	async function walk(floor: number, top: number): Promise<number> {
		let from = floor + 1;
		while (from <= top) {
			const to = Math.min(from + blocksAtOnce - 1, top);
			const logs = await logsBetween(remainders.open(), from, to);
			if (logs === null) return from - 1;
			if (logs instanceof RpcError) {
				if (from === to) throw unavailable('eth_getLogs', logs);
				// Half as many blocks from here on. So each scan makes progress, even with a node that answers for only
				// ten at a time.
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
				throw new ChainUnavailable('the node answers for too few blocks at a time');
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
): Promise<LoggedTransfer[]> {
	const topics = [TRANSFER_TOPIC, null, addresses.map((address) => `0x${wordOf(address)}`)];
	const filter = { address: contract, topics, fromBlock: hexOf(from), toBlock: hexOf(to) };
	return read(LOGS, 'eth_getLogs', await rpc.call('eth_getLogs', filter)).flatMap((log) => {
		const paid = paidBy(log);
		const isAsked = log.address === contract && log.blockNumber >= from && log.blockNumber <= to;
		return paid && isAsked ? [{ txId: log.transactionHash, ...paid, height: log.blockNumber }] : [];
	});
}
