/**
 * Explains token balances that are larger than the record, by the `Transfer` logs of the token's contract. It searches
 * between the cursor and the head first, then further and further back, and checks each transfer in its transaction's
 * receipt. `remainders.ts` limits what is credited. What no transfer explains is not credited.
 */
import type { Grown } from '../by-balance.ts';
import { ChainUnavailable } from '../errors.ts';
import { inParts } from '../rpc/each-of.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { wordOf } from './erc20.ts';
import { unavailable } from './node.ts';
import type { Unread } from './receipts.ts';
import { type Explanation, type Heights, Remainders } from './remainders.ts';
import { type LoggedTransfer, loggedTransfers, type TokenTransfer, transfersIn } from './transfers.ts';

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

/** One scan's search for the transfers of one token. */
export class TokenSearch {
	readonly #rpc: JsonRpc;
	readonly #contract: string;
	readonly #remainders: Remainders;
	readonly #known: ReadonlyMap<string, Grown['known']>;
	readonly #unread = new Map<string, string>();
	/** `eth_getLogs` calls and transactions that the scan has asked for so far. */
	#calls = 0;
	#transactions = 0;
	#blocksAtOnce = MAX_BLOCKS;

	constructor(rpc: JsonRpc, contract: string, targets: readonly Grown[]) {
		this.#rpc = rpc;
		this.#contract = contract;
		this.#remainders = new Remainders(targets);
		this.#known = new Map(targets.map(({ place, known }) => [place, known]));
	}

	/** @throws ChainUnavailable */
	async explain({ head, floors }: Heights): Promise<Explanation> {
		let top = head;
		let reached = head;
		for (const floor of floors) {
			if (this.#remainders.open().length === 0) break;
			const done = await this.#walk(floor, top);
			if (done < top && top === head) {
				if (done <= floor && this.#remainders.found.length === 0)
					throw new ChainUnavailable('the node answers for too few blocks at a time');
				reached = Math.max(floor, done);
			}
			if (done < top) break;
			top = floor;
		}
		return { found: this.#remainders.found, reached, unread: [...this.#unread.values()] };
	}

	/** Reads the blocks above `floor` up to `top`, the lowest first. Returns the last height that is complete. */
	async #walk(floor: number, top: number): Promise<number> {
		let from = floor + 1;
		while (from <= top) {
			const to = Math.min(from + this.#blocksAtOnce - 1, top);
			const logs = await this.#logsBetween(from, to);
			if (logs === null) return from - 1;
			if (logs instanceof RpcError) {
				if (from === to) throw unavailable('eth_getLogs', logs);
				// Half as many blocks from here on. So each scan makes progress, even with a node that answers for only
				// ten at a time.
				this.#blocksAtOnce = Math.ceil((to - from + 1) / 2);
				continue;
			}
			const done = await this.#takePage(logs, to);
			if (done < to) return done;
			from = to + 1;
		}
		return top;
	}

	/**
	 * Transfers in blocks `from` to `to` to addresses that have a remainder. Null where the scan has used up its calls.
	 * The node's error where it refuses so many blocks or logs.
	 */
	async #logsBetween(from: number, to: number): Promise<LoggedTransfer[] | RpcError | null> {
		const logs: LoggedTransfer[] = [];
		const recipients = this.#remainders.open().map((address) => `0x${wordOf(address)}`);
		for (const part of inParts(recipients, MAX_RECIPIENTS)) {
			if (this.#calls >= MAX_CALLS) return null;
			this.#calls += 1;
			try {
				logs.push(...(await loggedTransfers(this.#rpc, this.#contract, [null, part], [from, to])));
			} catch (error) {
				if (error instanceof RpcError) return error;
				throw error;
			}
		}
		return logs;
	}

	/** Credits the transfers of one page, the lowest blocks first. Returns the last height that is complete. */
	async #takePage(logs: readonly LoggedTransfer[], last: number): Promise<number> {
		const blocks = [...Map.groupBy(logs, ({ height }) => height)].toSorted(([one], [other]) => one - other);
		let txIds = new Set<string>();
		for (const [at, [height, inBlock]] of blocks.entries()) {
			if (this.#transactions >= MAX_TRANSACTIONS) return height - 1;
			for (const each of inBlock) if (this.#isNew(each, inBlock)) txIds.add(each.txId);
			if (txIds.size < TRANSACTIONS_AT_ONCE && at < blocks.length - 1) continue;
			this.#transactions += txIds.size;
			const checked = await transfersIn(this.#rpc, txIds);
			this.#takeTransfers(checked.transfers);
			for (const each of logs) {
				const why = checked.unread.get(each.txId);
				if (why) this.#leaveOut(each, why);
			}
			txIds = new Set();
		}
		return last;
	}

	/** Does the transaction pay an address with a remainder, and more often than is on record? */
	#isNew({ txId, to }: LoggedTransfer, inBlock: readonly LoggedTransfer[]): boolean {
		const times = inBlock.filter((other) => other.txId === txId && other.to === to).length;
		const recorded = (this.#known.get(to) ?? []).filter((other) => other.txId === txId).length;
		return this.#remainders.of(to) > 0n && times > recorded;
	}

	/**
	 * A transfer without a readable receipt is not credited. This scan does not search for its amount elsewhere: the
	 * origin is known.
	 */
	#leaveOut({ txId, to, amount }: LoggedTransfer, why: Unread): void {
		this.#remainders.giveUp(to, amount);
		this.#unread.set(`${txId} ${to}`, `${txId} pays ${to}, and its receipt cannot be read (${why}): the deposit waits`);
	}

	#takeTransfers(transfers: readonly TokenTransfer[]): void {
		for (const { txId, position, to, amount, height, contract } of transfers) {
			const isKnown = this.#known.get(to)?.some((other) => other.txId === txId && other.position === position);
			if (contract !== this.#contract || isKnown) continue;
			this.#remainders.credit({ txId, position, amount, address: to, height });
		}
	}
}
