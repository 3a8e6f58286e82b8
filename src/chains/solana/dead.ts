/**
 * Proof that no block can hold a transaction any more. Its blockhash is valid up to one height. Once the finalized chain
 * is higher, every block that could hold it is decided, and a node that has kept those blocks knows whether one does.
 */
import { equalBytes } from '@noble/curves/utils.js';
import * as z from 'zod/mini';
import { ChainUnavailable, MayStillConfirm, PaymentImpossible } from '../errors.ts';
import { ask, read, readEach } from '../rpc/answers.ts';
import { inParts } from '../rpc/each-of.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ANY_VERSION } from './depth.ts';
import { type Answer, messageIn, readDraft } from './draft.ts';
import { FINAL } from './node.ts';
import { readRaw } from './raw.ts';
import { BLOCK_HEIGHT, NO_DETAILS, SIGNATURES, SLOT, STATUSES, TRANSACTION_BYTES } from './shapes.ts';

/** A blockhash is valid for this many blocks, so no earlier block holds the transaction. */
export const VALID_BLOCKS = 150;
/** Pages of the hot wallet's history that are read, the most in each, and transactions that are read at once. */
const MOST_PAGES = 20;
const SIGNATURES_PER_PAGE = 1_000;
const READ_AT_ONCE = 100;

/** `raw`: as `rawOf` made it. @throws MayStillConfirm, PaymentImpossible, ChainUnavailable */
export async function requireDead(rpc: JsonRpc, raw: string): Promise<void> {
	const signed = readRaw(raw);
	if (!signed) throw new PaymentImpossible('the earlier transaction cannot be read');
	const { txId, lastValidHeight } = signed;
	// In one request, so that one node answers all of it: another may be behind, or lack the old blocks.
	const calls = [
		{ method: 'getBlockHeight', params: [{ commitment: FINAL }] },
		{ method: 'getSignatureStatuses', params: [[txId], { searchTransactionHistory: true }] },
		{ method: 'getFirstAvailableBlock', params: [] },
	];
	const [heightSaid, statusSaid, firstSaid] = readEach(z.unknown(), calls, await rpc.batch(calls));
	const height = read(SLOT, 'getBlockHeight', heightSaid);
	if (height <= lastValidHeight)
		throw new MayStillConfirm(`block ${lastValidHeight} is its last, and the finalized chain is at ${height}`);
	const { value } = read(STATUSES, 'getSignatureStatuses', statusSaid);
	if (value.length !== 1) throw new ChainUnavailable('the node did not answer for exactly one status');
	if (value[0]) throw new MayStillConfirm(`the node has ${txId} in slot ${value[0].slot}`);
	await requireKept(rpc, read(SLOT, 'getFirstAvailableBlock', firstSaid), lastValidHeight - VALID_BLOCKS);
}

/** A node that has pruned the blocks from `height` on knows nothing of what was in them. `first`: its first slot. */
async function requireKept(rpc: JsonRpc, first: number, height: number): Promise<void> {
	// There are never more blocks than slots.
	if (first <= height) return;
	const options = { commitment: FINAL, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 0 };
	const { blockHeight } = await ask(rpc, BLOCK_HEIGHT, 'getBlock', first, options);
	if (blockHeight === null || blockHeight > height)
		throw new ChainUnavailable(`the node has kept no block below ${blockHeight}, and ${height} is needed`);
}

/**
 * Proof that no block holds the message of a co-signed draft, nor can: the finalized chain is above its last height, and none of
 * the hot wallet's transactions since it was signed has those bytes. Failed ones count too.
 * @throws MayStillConfirm, PaymentImpossible, ChainUnavailable
 */
export async function requireUnsent(rpc: JsonRpc, hotAddress: string, raw: string): Promise<void> {
	const { message, answer } = readDraft(raw) ?? {};
	if (!message || !answer) throw new PaymentImpossible('the earlier transaction cannot be read');
	const { since, lastHeight } = answer;
	const txIds = await signaturesSince(rpc, hotAddress, answer);
	for (const part of inParts(txIds, READ_AT_ONCE)) {
		const found = await messagesOf(rpc, part);
		const taken = found.findIndex(({ bytes }) => equalBytes(bytes, message));
		if (taken >= 0) throw new MayStillConfirm(`the node has it as ${part[taken]}`);
		// The oldest come first, so all others are in later blocks.
		const { blockHeight } = await ask(rpc, BLOCK_HEIGHT, 'getBlock', found.at(-1)?.slot ?? since, NO_DETAILS);
		if (blockHeight !== null && blockHeight > lastHeight) return;
	}
}

/** The oldest first. Each page comes with the node's own state in one request, so that one node answers it. */
async function signaturesSince(rpc: JsonRpc, hotAddress: string, { since, lastHeight }: Answer): Promise<string[]> {
	const txIds: string[] = [];
	for (let page = 0, before: string | undefined; page < MOST_PAGES; page++) {
		const options = { commitment: FINAL, limit: SIGNATURES_PER_PAGE, ...(before && { before }) };
		const calls = [
			{ method: 'getBlockHeight', params: [{ commitment: FINAL }] },
			{ method: 'getFirstAvailableBlock', params: [] },
			{ method: 'getSignaturesForAddress', params: [hotAddress, options] },
		];
		const [heightSaid, firstSaid, rowsSaid] = readEach(z.unknown(), calls, await rpc.batch(calls));
		const height = read(SLOT, 'getBlockHeight', heightSaid);
		if (height <= lastHeight)
			throw new MayStillConfirm(`block ${lastHeight} is its last, and the finalized chain is at ${height}`);
		const first = read(SLOT, 'getFirstAvailableBlock', firstSaid);
		if (first > since)
			throw new ChainUnavailable(`the node has kept no block before slot ${first}, and ${since} is needed`);
		const rows = read(SIGNATURES, 'getSignaturesForAddress', rowsSaid);
		const young = rows.filter(({ slot }) => slot > since);
		txIds.push(...young.map(({ signature }) => signature));
		if (young.length < rows.length || rows.length < SIGNATURES_PER_PAGE) return txIds.toReversed();
		before = rows.at(-1)?.signature;
	}
	throw new ChainUnavailable('the hot wallet has too many transactions since to be searched');
}

/** In the order of the ids. @throws ChainUnavailable where one of them is missing */
async function messagesOf(rpc: JsonRpc, txIds: readonly string[]) {
	const options = { commitment: FINAL, encoding: 'base64', maxSupportedTransactionVersion: ANY_VERSION };
	const calls = txIds.map((txId) => ({ method: 'getTransaction', params: [txId, options] }));
	return readEach(TRANSACTION_BYTES, calls, await rpc.batch(calls)).map(({ slot, transaction: [wire] }) => {
		const bytes = messageIn(wire);
		if (!bytes) throw new ChainUnavailable('the node has shown a transaction that cannot be read');
		return { slot, bytes };
	});
}
