/** The meaning of a node's refusal of a transaction. Esplora and Blockbook pass on the code and text of the node behind them. */
import { BroadcastRejected, ChainUnavailable } from '../../errors.ts';
import type { Broadcast } from '../source.ts';

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
const MISSING_INPUTS = /missing[- ]?inputs|inputs-missingorspent/i;
/** Below the floor of the node or of its mempool, or too little for the place of another version. */
const UNDERPRICED = /min relay fee not met|mempool min fee not met|insufficient fee|insufficient priority/i;
/** These describe the state of the mempool, not the transaction. */
const TRANSIENT = /mempool full|too-long-mempool-chain|too-large-cluster/i;

/** @throws BroadcastRejected where it is refused for good or pays too little, ChainUnavailable for any other reason */
export function broadcastAnswer(code: number | null, message: string): Broadcast {
	if (code === ALREADY_IN_CHAIN || KNOWN.test(message)) return 'sent';
	if (MISSING_INPUTS.test(message)) return { missingInputs: message };
	if (UNDERPRICED.test(message)) throw new BroadcastRejected(message, { underpriced: true });
	const refused = code === DESERIALIZATION_ERROR || code === VERIFY_ERROR || code === VERIFY_REJECTED;
	if (!refused || TRANSIENT.test(message)) throw new ChainUnavailable(`sendrawtransaction: ${code} ${message}`);
	throw new BroadcastRejected(message);
}
