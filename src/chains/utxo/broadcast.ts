/**
 * Sends a signed transaction to the network; repeating it is safe. "Already known" is success; permanent errors block
 * the transaction for the operator; everything else is a transient error. One that pays too little says so: the signer
 * then makes a version of it with a higher fee.
 */
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { heldTransactions, walletTransactions } from './depth.ts';
import { ask, unavailable } from './node.ts';
import { DECODED } from './shapes.ts';

/**
 * Core's codes: the transaction cannot be parsed; fails verification (for example, an input is missing); is refused; is
 * already in the chain.
 */
const DESERIALIZATION_ERROR = -22;
const VERIFY_ERROR = -25;
const VERIFY_REJECTED = -26;
const ALREADY_IN_CHAIN = -27;

/** Error texts of Core 0.19 to 30. */
const KNOWN =
	/already in block ?chain|already in utxo set|txn-already-known|txn-already-in-mempool|txn-same-nonwitness/i;
const MISSING_INPUTS = /missing-?inputs|inputs-missingorspent/i;
/** Below the floor of the node or of its mempool, or too little for the place of another version. */
const UNDERPRICED = /min relay fee not met|mempool min fee not met|insufficient fee|insufficient priority/i;
/** These describe the state of the mempool, not the transaction. */
const TRANSIENT = /mempool full|too-long-mempool-chain|too-large-cluster/i;

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(rpc: JsonRpc, raw: string): Promise<void> {
	try {
		await rpc.call('sendrawtransaction', raw);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		const { code, message } = error;
		if (code === ALREADY_IN_CHAIN || KNOWN.test(message)) return;
		if (MISSING_INPUTS.test(message)) return explainMissingInputs(rpc, raw, message);
		if (UNDERPRICED.test(message)) throw new BroadcastRejected(message, { underpriced: true });
		const refused = code === DESERIALIZATION_ERROR || code === VERIFY_ERROR || code === VERIFY_REJECTED;
		if (!refused || TRANSIENT.test(message)) throw unavailable('sendrawtransaction', error);
		throw new BroadcastRejected(message);
	}
}

/**
 * Inputs are missing for one of three reasons. Our transaction is in the chain and all its outputs are already spent:
 * success. This node has not seen an earlier transaction of ours yet, or has dropped it: a transient error. Another
 * transaction spent the inputs: a permanent error.
 */
async function explainMissingInputs(rpc: JsonRpc, raw: string, message: string): Promise<void> {
	const { txid, vin } = await ask(rpc, DECODED, 'decoderawtransaction', raw);
	if ((await heldTransactions(rpc, [txid])).has(txid)) return;
	const parents = vin.flatMap((input) => input.txid ?? []);
	const known = await walletTransactions(rpc, parents);
	const held = await heldTransactions(rpc, parents);
	const conflicted = parents.some((parent) => (known.get(parent)?.confirmations ?? 0) < 0);
	if (conflicted || parents.every((parent) => held.has(parent))) {
		throw new BroadcastRejected(message, { taken: true });
	}
	throw new ChainUnavailable(`sendrawtransaction: ${message}; the node lacks an earlier transaction of ours`);
}
