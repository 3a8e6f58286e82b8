/**
 * Hands a signed transaction to the network, again and again if need be. It lives as long as its blockhash, about a
 * minute: `raw` names the last block height at which it may be taken, so that "too late" is a fact and no guess. Too
 * late, and not on the chain, calls a person: a second payment is never made here.
 */
import { base64 } from '@scure/base';
import { ask, unavailable } from '../answers.ts';
import { type JsonRpc, RpcError } from '../json-rpc.ts';
import { BroadcastRejected, ChainUnavailable } from '../port.ts';
import { statusesOf } from './depth.ts';
import { asBase64, txIdOf } from './message.ts';
import { FINAL, SEEN } from './node.ts';
import { SLOT, TRANSACTION_ID } from './shapes.ts';

const RAW = /^(\d{1,13}):([A-Za-z0-9+/]+=*)$/;
const KNOWN = /already (been )?processed|alreadyprocessed/i;
/** What no other block and no filled wallet can heal. */
const MALFORMED =
	/signature verification|failed to (deserialize|sanitize)|sanitize|invalid (transaction|base64)|too large/i;

/** What `ChainSigner.sign` returns as `raw`. */
export const rawOf = (wire: Uint8Array, lastValidHeight: number): string => `${lastValidHeight}:${asBase64(wire)}`;

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(rpc: JsonRpc, raw: string): Promise<void> {
	const { txId, wire, lastValidHeight } = parsed(raw);
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
			throw new BroadcastRejected(`too late since block ${lastValidHeight}, and no block holds it: ${error.message}`);
		throw unavailable('sendTransaction', error);
	}
}

function parsed(raw: string): { readonly txId: string; readonly wire: string; readonly lastValidHeight: number } {
	const [, height, wire] = RAW.exec(raw) ?? [];
	if (!height || !wire) throw new BroadcastRejected('not a transaction of this network');
	const txId = readTxId(wire);
	if (!TRANSACTION_ID.test(txId)) throw new BroadcastRejected('a transaction without a signature');
	return { txId, wire, lastValidHeight: Number(height) };
}

function readTxId(wire: string): string {
	try {
		return txIdOf(base64.decode(wire));
	} catch {
		return '';
	}
}
