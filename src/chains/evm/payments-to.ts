/**
 * Payments that the hot wallet made since a moment, found by whom they pay: for a payment that may be sent and is not on
 * record. Payments in the coin are found by the wallet's nonce: only blocks in which it grew hold any. Payments in a token
 * are found by the contract's logs. What cannot be read to the end is an error: a payment must not look unsent.
 */
import { ChainUnavailable } from '../errors.ts';
import { keptSearch } from '../kept-search.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import type { SentPayment } from '../sent-payment.ts';
import type { PaidTerms } from '../signing-port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { requireRead, transactionPlaces, transactionsOf } from './depth.ts';
import { contractOf, wordOf } from './erc20.ts';
import { ask, type EvmRpc, unavailable } from './node.ts';
import { blocksThatSent, type Range } from './nonce-search.ts';
import { countsOf } from './nonces.ts';
import { TEST_CHAIN_ID } from './params.ts';
import { FULL_BLOCK, hexOf, TIMED_BLOCK } from './shapes.ts';
import { loggedTransfers, transfersIn } from './transfers.ts';

/** Block times may be so much before the real ones. */
const CLOCK_MILLISECONDS = 900_000;
/** A node whose newest block is older than this does not follow its chain. Ours have a block each few seconds. */
const STALE_MILLISECONDS = 600_000;

/** `eth_getLogs` calls of one search. */
const MAX_LOG_CALLS = 150;

interface Sent {
	readonly txId: string;
	/** Lower case. */
	readonly to: string;
	readonly amount: bigint;
}

interface Wanted {
	/** Null for the coin. */
	readonly contract: string | null;
	readonly to: readonly string[];
	/** Unix milliseconds. */
	readonly since: number;
}

/** Finds transactions in the best chain that succeeded. It throws `ChainUnavailable`. */
export function sentPayments(rpc: EvmRpc, hotAddress: string) {
	const account = hotAddress.toLowerCase();
	const sentSince = keptSearch(async (contract: string | null, since): Promise<readonly Sent[]> => {
		const head = await followedHead(rpc, account, since);
		const from = await firstBlockSince(rpc, head.number, Math.floor((since - CLOCK_MILLISECONDS) / 1000));
		const range = { account, from, to: head.number };
		if (contract !== null) return transfersFrom(rpc, contract, range);
		const sent: Sent[] = [];
		// One by one, because each block may be large.
		for (const height of await blocksThatSent(rpc, range)) {
			const { transactions } = await ask(rpc, FULL_BLOCK, 'eth_getBlockByNumber', hexOf(height), true);
			for (const { hash, from: sender, to, value } of transactions) {
				if (sender === undefined) throw new ChainUnavailable('the node does not say who sent a transaction');
				if (sender === account && to) sent.push({ txId: hash, to, amount: value });
			}
		}
		return sent;
	});
	return async ({ contract, to, since }: Wanted): Promise<SentPayment[]> => {
		const asked = Map.groupBy(to, (address) => address.toLowerCase());
		const found = new Map<string, SentPayment>();
		for (const one of await sentSince(contract, since)) {
			if (one.amount === 0n) continue;
			for (const address of asked.get(one.to) ?? [])
				found.set(`${one.txId} ${address}`, { txId: one.txId, to: address, amount: one.amount });
		}
		const places = await transactionPlaces(rpc, txIdsOf(found.values()));
		return [...found.values()].filter(({ txId }) => places.get(txId)?.success);
	};
}

/** @throws ChainUnavailable where a payment may be in no block that this node shows */
async function followedHead(rpc: EvmRpc, account: string, since: number) {
	const head = await ask(rpc, TIMED_BLOCK, 'eth_getBlockByNumber', 'latest', false);
	const isTest = rpc.params.chainId === TEST_CHAIN_ID;
	if (head.timestamp * 1000 < Math.max(since, isTest ? 0 : Date.now() - STALE_MILLISECONDS))
		throw new ChainUnavailable('the node has no new block: it may not follow its chain');
	const [mined = 0, all = 0] = await countsOf(rpc, account, ['latest', 'pending']);
	if (all > mined) throw new ChainUnavailable('transactions of the hot wallet are in the mempool: ask again later');
	return head;
}

/** The lowest height whose block is not before that time, Unix seconds; `head` where there is none below. */
async function firstBlockSince(rpc: JsonRpc, head: number, time: number): Promise<number> {
	let [low, high] = [0, head];
	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		const { timestamp } = await ask(rpc, TIMED_BLOCK, 'eth_getBlockByNumber', hexOf(middle), false);
		if (timestamp < time) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Payments of a token by the account, by logs. @throws ChainUnavailable, also where there is too much to read */
async function transfersFrom(rpc: JsonRpc, contract: string, { account, from, to }: Range): Promise<Sent[]> {
	const sent: Sent[] = [];
	const sender = `0x${wordOf(account)}`;
	let blocksAtOnce = to - from + 1;
	let calls = 0;
	for (let low = from; low <= to; ) {
		if (++calls > MAX_LOG_CALLS) throw new ChainUnavailable('the node gives the logs of too few blocks at a time');
		const high = Math.min(low + blocksAtOnce - 1, to);
		try {
			const logged = await loggedTransfers(rpc, contract, [sender], [low, high]);
			sent.push(...logged.filter((each) => each.from === sender));
			low = high + 1;
		} catch (error) {
			if (!(error instanceof RpcError) || low === high) throw unavailable('eth_getLogs', error);
			// The node allows fewer blocks or fewer logs.
			blocksAtOnce = Math.ceil((high - low + 1) / 2);
		}
	}
	return sent;
}

/** Is this transaction of the hot wallet that payment? Of a token by its receipt. @throws ChainUnavailable */
export async function hasPaid(rpc: EvmRpc, hotAddress: string, txId: string, payment: PaidTerms): Promise<boolean> {
	const sent = (await transactionsOf(rpc, [txId])).get(txId);
	if (sent?.from !== hotAddress.toLowerCase()) return false;
	const contract = contractOf(rpc.params, payment.asset);
	const wanted = { to: payment.to.toLowerCase(), amount: payment.amount };
	if (contract === null) {
		const isThat = sent.to === wanted.to && sent.value === wanted.amount;
		return isThat && (await transactionPlaces(rpc, [txId])).get(txId)?.success === true;
	}
	const { transfers, unread } = await transfersIn(rpc, [txId]);
	requireRead(unread);
	return transfers.some((each) => each.contract === contract && each.to === wanted.to && each.amount === wanted.amount);
}
