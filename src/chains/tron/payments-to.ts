/**
 * Payments that the hot wallet made since a moment, found by whom they pay: for a payment that may be sent and is not on
 * record. Every block since then is read: a full node has no list of what an account sent, and its `eth_getLogs` answers
 * with nothing for blocks that it has not indexed. What cannot be read to the end is an error: a payment must not look
 * unsent.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NodeChain } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { keptSearch } from '../kept-search.ts';
import { eachOf, MAX_PARALLEL } from '../rpc/each-of.ts';
import type { UseNode } from '../rpc/failover.ts';
import type { SentPayment } from '../sent-payment.ts';
import type { PaidTerms } from '../signing-port.ts';
import { hashOf } from './address.ts';
import { succeeded } from './credits.ts';
import { infoOf } from './depth.ts';
import type { TronNode } from './node.ts';
import { contractOf, type TronParams } from './params.ts';
import {
	BLOCKS,
	type Block,
	CALL,
	HEADER,
	type Header,
	OWNER,
	TRANSACTION_ID,
	TRANSACTION_OR_NONE,
	TRANSFER,
	type Transaction,
} from './shapes.ts';
import { transferData, transferredBy } from './transaction.ts';

/** Block times may be so much before the real ones. Producers keep to slots of three seconds. */
const CLOCK_MILLISECONDS = 60_000;
/** A node whose newest block is older than this does not follow its chain. */
const STALE_MILLISECONDS = 600_000;
/** An hour of the chain. */
const MAX_BLOCKS = 1_200;
/** The time of one search, all nodes together: the operator waits for it. */
const MAX_MILLISECONDS = 30_000;
/** Blocks in one answer. A full block has 300 KB or more. */
const BLOCKS_PER_CALL = 10;

interface Sent {
	readonly txId: string;
	/** Hash of the recipient, or of the token's contract. */
	readonly to: string;
	/** The amount in sun, or the call of the contract in hex. */
	readonly what: string;
}

/** Finds transactions in the best chain that succeeded. It throws `ChainUnavailable`. */
export function sentPayments(use: UseNode<TronNode>, params: TronParams, chain: NodeChain) {
	const sentSince = keptSearch((_: 'all', since): Promise<readonly Sent[]> => {
		const now = Date.now();
		const newest = Math.max(since, chain === 'main' ? now - STALE_MILLISECONDS : 0);
		const time = since - CLOCK_MILLISECONDS;
		return use(async (node) => {
			const head = await node.ask('/wallet/getblock', HEADER, { detail: false });
			if (head.timestamp < newest) throw new ChainUnavailable('the node has no new block: it may not follow its chain');
			return sentFrom(node, { head, time, deadline: now + MAX_MILLISECONDS });
		});
	});
	return async (asset: AssetId, to: readonly string[], since: number): Promise<SentPayment[]> => {
		const contract = asset === params.native ? null : hashOf(contractOf(params, asset));
		const asked = new Map(to.map((address) => [hashOf(address), address]));
		return (await sentSince('all', since)).flatMap(({ txId, to: hash, what }) => {
			const call = hash === contract ? transferredBy(what) : null;
			const address = asked.get(contract === null ? hash : (call?.hash ?? ''));
			if (address === undefined) return [];
			const amount = call?.amount ?? BigInt(what);
			return amount > 0n ? [{ txId, to: address, amount }] : [];
		});
	};
}

function isPayment(params: TronParams, sent: Sent, { asset, to, amount }: PaidTerms): boolean {
	if (asset === params.native) return sent.to === hashOf(to) && sent.what === amount.toString();
	return sent.to === hashOf(contractOf(params, asset)) && sent.what === transferData({ to, amount });
}

/** Is this transaction of the hot wallet that payment? Only blocks count. @throws ChainUnavailable */
export async function hasPaid(node: TronNode, txId: string, payment: PaidTerms): Promise<boolean> {
	if (!TRANSACTION_ID.test(txId)) return false;
	const info = await infoOf(node, txId);
	if (!info || !succeeded(info)) return false;
	const found = await node.ask('/wallet/gettransactionbyid', TRANSACTION_OR_NONE, { value: txId });
	return found?.txID === txId && sentBy(node.params, found).some((sent) => isPayment(node.params, sent, payment));
}

interface Search {
	readonly head: Header;
	/** Unix milliseconds. Blocks from before are not read. */
	readonly time: number;
	/** Unix milliseconds. */
	readonly deadline: number;
}

/** From the head down. Each block must be the parent of the one above it, so none is left out. */
async function sentFrom(node: TronNode, { head, time, deadline }: Search): Promise<Sent[]> {
	await requireShort(node, head, time);
	const sent: Sent[] = [];
	let wanted: { readonly height: number; readonly id: string | undefined } = head;
	while (wanted.height >= 0) {
		if (Date.now() > deadline) throw new ChainUnavailable('the node is too slow to be searched');
		const end = wanted.height + 1;
		const bottom = Math.max(0, end - MAX_PARALLEL * BLOCKS_PER_CALL);
		const starts = Array.from({ length: MAX_PARALLEL }, (_, i) => bottom + i * BLOCKS_PER_CALL);
		const parts = await eachOf(starts, (start) => blocksIn(node, start, Math.min(end, start + BLOCKS_PER_CALL)));
		for (const block of parts.flat().toReversed()) {
			if (block.height !== wanted.height || block.id !== wanted.id) break;
			if (block.timestamp < time) return sent;
			sent.push(...block.transactions.flatMap((transaction) => sentBy(node.params, transaction)));
			wanted = { height: block.height - 1, id: block.parentId };
		}
		if (wanted.height >= bottom)
			throw new ChainUnavailable(`the node cannot show block ${wanted.height} of its chain: ask again`);
	}
	return sent;
}

/** @throws ChainUnavailable where more blocks have come since then than one search may read */
async function requireShort(node: TronNode, head: Header, time: number): Promise<void> {
	const first = head.height - MAX_BLOCKS;
	if (first <= 0) return;
	const block = await node.ask('/wallet/getblock', HEADER, { detail: false, id_or_num: String(first) });
	if (block.height !== first) throw new ChainUnavailable(`asked for block ${first}, got ${block.height}`);
	if (block.timestamp >= time) throw new ChainUnavailable(`more than ${MAX_BLOCKS} blocks have come since then`);
}

/** From `start` to before `end`, ascending. Read in halves where they are too large for one answer. */
async function blocksIn(node: TronNode, start: number, end: number): Promise<Block[]> {
	if (start >= end) return [];
	try {
		return (await node.ask('/wallet/getblockbylimitnext', BLOCKS, { startNum: start, endNum: end })).block;
	} catch (error) {
		if (!(error instanceof ChainUnavailable) || !error.tooLarge || end - start === 1) throw error;
		const middle = Math.floor((start + end) / 2);
		return [...(await blocksIn(node, start, middle)), ...(await blocksIn(node, middle, end))];
	}
}

/** A transaction has exactly one contract. The signer makes only these two kinds. */
function sentBy({ hot }: TronParams, { txID, ret, raw_data }: Transaction): Sent[] {
	const [contract] = raw_data.contract;
	if (contract?.type !== 'TransferContract' && contract?.type !== 'TriggerSmartContract') return [];
	const value = contract.parameter?.value;
	const sender = OWNER.safeParse(value);
	if (!sender.success) throw new ChainUnavailable('the node does not say who sent a transaction');
	if (sender.data.owner_address !== hot) return [];
	const result = ret[0]?.contractRet;
	if (result === undefined) throw new ChainUnavailable(`the node does not say whether ${txID} succeeded`);
	if (result !== 'SUCCESS') return [];
	const transfer = TRANSFER.safeParse(value);
	if (contract.type === 'TransferContract' && transfer.success)
		return [{ txId: txID, to: transfer.data.to_address, what: transfer.data.amount.toString() }];
	const call = CALL.safeParse(value);
	if (contract.type === 'TriggerSmartContract' && call.success)
		return [{ txId: txID, to: call.data.contract_address, what: call.data.data.toLowerCase() }];
	throw new ChainUnavailable(`the node does not say what ${txID} paid`);
}
