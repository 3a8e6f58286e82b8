/**
 * Sends a signed transaction to the network; repeating it is safe. A transaction lives as long as its blockhash, about a
 * minute. One that has expired and is not on the chain is rejected for the operator: no second payment is ever made here.
 */

import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { ask, unavailable } from '../rpc/answers.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { statusesOf } from './depth.ts';
import { FINAL, SEEN } from './node.ts';
import { readRaw } from './raw.ts';
import { SLOT } from './shapes.ts';

const KNOWN = /already (been )?processed|alreadyprocessed/i;
/** What no other block and no filled wallet can heal. */
const MALFORMED =
	/signature verification|failed to (deserialize|sanitize)|sanitize|invalid (transaction|base64)|too large/i;

/** `raw`: what `ChainSigner` returned. @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(rpc: JsonRpc, raw: string): Promise<void> {
	const read = readRaw(raw);
	if (!read) throw new BroadcastRejected('not a transaction of this network');
	const { txId, wire, lastValidHeight } = read;
	const options = { encoding: 'base64', skipPreflight: false, preflightCommitment: SEEN };
	try {
		const answer = await rpc.call('sendTransaction', wire, options);
		if (answer !== txId) throw new ChainUnavailable(`the node took something else than ${txId}`);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (KNOWN.test(error.message)) return;
		if (MALFORMED.test(error.message)) throw new BroadcastRejected(error.message);
		// The height first: what no block up to there holds, no later one takes.
		const height = await ask(rpc, SLOT, 'getBlockHeight', { commitment: FINAL });
		if ((await statusesOf(rpc, [txId])).has(txId)) return;
		if (height > lastValidHeight)
			throw new BroadcastRejected(`too late since block ${lastValidHeight}: ${error.message}`, { expired: true });
		throw unavailable('sendTransaction', error);
	}
}
