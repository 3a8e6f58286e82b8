/**
 * Transfers of our tokens in successful transactions of the best chain. A transfer's position is its place among its
 * own transaction's logs, so it stays the same when a reorganisation moves the transaction to another block.
 */
import type { DepositRef } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { canonicalHeights } from './depth.ts';
import { contractOf, isTokenOf, TRANSFER_TOPIC } from './erc20.ts';
import { type EvmRpc, read } from './node.ts';
import { receiptsOf, type Unread } from './receipts.ts';
import { hexOf, LOGS, RECEIPT_WITH_LOGS_OR_NONE, TRANSACTION_ID } from './shapes.ts';

export interface TokenTransfer {
	readonly txId: string;
	/** `log:<n>`, from 0 in each transaction. */
	readonly position: string;
	/** Contract and recipient in lower case. */
	readonly contract: string;
	readonly to: string;
	readonly amount: bigint;
	readonly height: number;
}

interface Log {
	readonly address: string;
	readonly topics: readonly string[];
	readonly data: string;
}

const LOG_POSITION = /^log:\d{1,7}$/;
/** A word that is an address. */
const ADDRESS_WORD = /^0x0{24}([0-9a-f]{40})$/;
/** `0x` and one word. */
const WORD_CHARACTERS = 66;

export const isLogPosition = (position: string): boolean => LOG_POSITION.test(position);

/** Recipient and amount where the log is a transfer of more than zero; null otherwise. */
function paidBy({ topics, data }: Log): { readonly to: string; readonly amount: bigint } | null {
	const to = ADDRESS_WORD.exec(topics[2] ?? '')?.[1];
	if (topics.length !== 3 || topics[0] !== TRANSFER_TOPIC || !to || data.length !== WORD_CHARACTERS) return null;
	const amount = BigInt(data);
	return amount > 0n ? { to: `0x${to}`, amount } : null;
}

/** A transfer as a log reports it. The receipt decides. */
export interface LoggedTransfer {
	readonly txId: string;
	/** The log's topic. */
	readonly from: string | undefined;
	readonly to: string;
	readonly height: number;
	readonly amount: bigint;
}

/** Transfers of a token in these blocks. `parties`: topics, sender and recipients. @throws RpcError, ChainUnavailable */
export async function loggedTransfers(
	rpc: JsonRpc,
	contract: string,
	parties: readonly (string | null | readonly string[])[],
	[from, to]: readonly [number, number],
): Promise<LoggedTransfer[]> {
	const topics = [TRANSFER_TOPIC, ...parties];
	const filter = { address: contract, topics, fromBlock: hexOf(from), toBlock: hexOf(to) };
	return read(LOGS, 'eth_getLogs', await rpc.call('eth_getLogs', filter)).flatMap((log) => {
		const paid = paidBy(log);
		const isAsked = log.address === contract && log.blockNumber >= from && log.blockNumber <= to;
		return paid && isAsked
			? [{ txId: log.transactionHash, from: log.topics[1], ...paid, height: log.blockNumber }]
			: [];
	});
}

export interface Transfers {
	readonly transfers: readonly TokenTransfer[];
	/** Transactions whose receipt, and so whose transfers, cannot be read now. */
	readonly unread: ReadonlyMap<string, Unread>;
}

/** @throws ChainUnavailable */
export async function transfersIn(rpc: JsonRpc, txIds: Iterable<string>): Promise<Transfers> {
	const asked = [...new Set(txIds)].filter((txId) => TRANSACTION_ID.test(txId));
	const { found, unread } = await receiptsOf(rpc, RECEIPT_WITH_LOGS_OR_NONE, asked);
	const held = [...found].flatMap(([txId, receipt]) =>
		receipt?.transactionHash === txId && receipt.status === 1n ? [receipt] : [],
	);
	const canonical = await canonicalHeights(rpc, held);
	const transfers = held
		.filter(({ blockHash }) => canonical.has(blockHash))
		.flatMap(({ transactionHash: txId, blockNumber: height, logs }) =>
			logs.flatMap((log, at): TokenTransfer[] => {
				const paid = paidBy(log);
				return paid ? [{ txId, position: `log:${at}`, contract: log.address, ...paid, height }] : [];
			}),
		);
	return { transfers, unread };
}

export interface TransferHeights {
	readonly heights: ReadonlyMap<DepositRef, number>;
	/** Transactions whose receipt cannot be read now. */
	readonly unread: ReadonlyMap<string, Unread>;
}

/**
 * The height of each token deposit that the chain holds with exactly these values; the others are left out.
 * @throws ChainUnavailable
 */
export async function transferHeights(rpc: EvmRpc, refs: readonly DepositRef[]): Promise<TransferHeights> {
	const { params } = rpc;
	const tokens = refs.filter(({ asset, position }) => isTokenOf(params, asset) && isLogPosition(position));
	const { transfers, unread } = await transfersIn(rpc, txIdsOf(tokens));
	const byPlace = new Map(transfers.map((transfer) => [`${transfer.txId} ${transfer.position}`, transfer]));
	const heights = new Map<DepositRef, number>();
	for (const ref of tokens) {
		const transfer = byPlace.get(`${ref.txId} ${ref.position}`);
		const isSame =
			transfer?.contract === contractOf(params, ref.asset) &&
			transfer?.to === ref.address.toLowerCase() &&
			transfer?.amount === ref.amount;
		if (transfer && isSame) heights.set(ref, transfer.height);
	}
	return { heights, unread };
}
