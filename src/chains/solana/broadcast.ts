/**
 * Sends a signed transaction to the network; repeating it is safe. A transaction is valid as long as its blockhash,
 * about a minute. One that has expired and is not on the chain is rejected; the signer makes the next version once its own
 * node proves that no block holds this one (`dead.ts`).
 */
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { ask, unavailable } from '../rpc/answers.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { statusesOf } from './depth.ts';
import { FINAL, SEEN } from './node.ts';
import { readRaw } from './raw.ts';
import { SLOT } from './shapes.ts';

const KNOWN = /already (been )?processed|alreadyprocessed/i;
/** Errors that neither a later block nor a fuller wallet can cure. */
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
		if (answer !== txId) throw new ChainUnavailable(`the node accepted a transaction other than ${txId}`);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		if (KNOWN.test(error.message)) return;
		if (MALFORMED.test(error.message)) throw new BroadcastRejected(error.message);
		// The height is asked first: a transaction that no block up to its last valid height holds can never be included.
		const height = await ask(rpc, SLOT, 'getBlockHeight', { commitment: FINAL });
		if ((await statusesOf(rpc, [txId])).has(txId)) return;
		if (height > lastValidHeight)
			throw new BroadcastRejected(`too late since block ${lastValidHeight}: ${error.message}`, { expired: true });
		throw unavailable('sendTransaction', error);
	}
}
