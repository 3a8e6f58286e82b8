/**
 * Sends a signed transaction to the network; repeating it is safe. "Already known" is success where the node can show
 * the transaction: java-tron also says it of one that it has refused, because it notes the id before it checks. Permanent
 * errors, and a hot wallet that holds too little, block the transaction for the operator; everything else is a transient
 * error.
 */
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { infoOf, isPending } from './depth.ts';
import type { TronNode } from './node.ts';
import { BROADCAST, textOf } from './shapes.ts';
import { idOfSigned } from './transaction.ts';

const KNOWN = 'DUP_TRANSACTION_ERROR';
const EXPIRED = 'TRANSACTION_EXPIRATION_ERROR';
/**
 * java-tron's codes (api.proto, `Return.response_code`) for a refusal. The transaction may be expired, or its reference
 * block may be unknown to the node. Both are also the answer to a transaction that a block took long ago, so the chain
 * is asked. A balance that is too low needs the operator as well.
 */
const REFUSED = new Set([
	'SIGERROR',
	'CONTRACT_VALIDATE_ERROR',
	'CONTRACT_EXE_ERROR',
	'BANDWITH_ERROR',
	'TAPOS_ERROR',
	'TOO_BIG_TRANSACTION_ERROR',
	EXPIRED,
]);

/** `raw`: what `ChainSigner.sign` returned. @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(node: TronNode, raw: string): Promise<void> {
	const txId = idOfSigned(raw);
	if (!txId) throw new BroadcastRejected('these bytes are not a transaction');
	const answer = await node.ask('/wallet/broadcasthex', BROADCAST, { transaction: raw });
	if (answer.result) {
		if (answer.txid !== txId) throw new ChainUnavailable(`the node accepted a transaction other than ${txId}`);
		return;
	}
	const { code = 'no code', message } = answer;
	const reason = `${code}: ${textOf(message)}`;
	if (code === KNOWN && ((await isPending(node, txId)) || (await infoOf(node, txId)))) return;
	if (!REFUSED.has(code)) throw new ChainUnavailable(reason);
	if ((await infoOf(node, txId)) === null) throw new BroadcastRejected(reason, { expired: code === EXPIRED });
}
