/**
 * Asks a node what a transaction would do before it is signed. The node receives zeros as signatures, so nobody can
 * send that transaction as a second payment.
 */
import { base64 } from '@scure/base';
import { ChainUnavailable, InsufficientReserve, PaymentImpossible } from '../errors.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type compileMessage, unsignedWire } from './message.ts';
import { SEEN } from './node.ts';
import { SIMULATION } from './shapes.ts';

/** The node has not seen the blockhash yet, or has already dropped it. */
const STALE = /BlockhashNotFound/;
const SHORT = /InsufficientFunds|insufficient (funds|lamports)/;
/** Lines of a program's log that a reason quotes. */
const QUOTED_LINES = 3;
/** Characters of the whole reason. */
const MAX_REASON = 500;

/** Returns the units that it used. @throws PaymentImpossible, InsufficientReserve, ChainUnavailable */
export async function simulate(rpc: JsonRpc, message: ReturnType<typeof compileMessage>): Promise<number> {
	const options = { encoding: 'base64', sigVerify: false, commitment: SEEN };
	const wire = base64.encode(unsignedWire(message));
	const { value } = await ask(rpc, SIMULATION, 'simulateTransaction', wire, options);
	if (value.err === null) return Number(value.unitsConsumed ?? 0n);
	const logs = value.logs ?? [];
	const reason = `${JSON.stringify(value.err)} ${logs.slice(-QUOTED_LINES).join('; ')}`.slice(0, MAX_REASON);
	if (STALE.test(reason)) throw new ChainUnavailable(`simulateTransaction: ${reason}`);
	if (SHORT.test(reason)) throw new InsufficientReserve(reason);
	throw new PaymentImpossible(reason);
}
