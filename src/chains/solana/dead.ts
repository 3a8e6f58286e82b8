/**
 * Proof that no block can hold a transaction any more. Its blockhash is valid up to one height. Once the finalized chain
 * is higher, every block that could hold it is decided, and a node that has kept those blocks knows whether one does.
 */
import * as z from 'zod/mini';
import { ChainUnavailable, MayStillConfirm, PaymentImpossible } from '../errors.ts';
import { ask, read, readEach } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { FINAL } from './node.ts';
import { readRaw } from './raw.ts';
import { BLOCK_HEIGHT, SLOT, STATUSES } from './shapes.ts';

/** A blockhash is valid for this many blocks, so no earlier block holds the transaction. */
const VALID_BLOCKS = 150;

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
