/**
 * Which transaction spent a coin that one of ours spends. The wallet lists what it sent, and the bytes of each prove what
 * it spends. Looked for among payments to the same recipient alone: what else took the coins, only a person finds out.
 */
import { hex } from '@scure/base';
import { RawTx } from '@scure/btc-signer/script.js';
import type { Overtaker } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { depthOf, heldTransactions } from './depth.ts';
import type { UtxoParams } from './params.ts';
import { type Height, paidScript, sends } from './payments-to.ts';
import { provenTransaction } from './proof.ts';

/** As `Chain.overtaker`. @throws ChainUnavailable */
export async function overtaker(
	rpc: JsonRpc,
	params: UtxoParams,
	height: Height,
	raw: string,
	guess: string | null,
): Promise<Overtaker | null> {
	const { inputs, outputs } = RawTx.decode(hex.decode(raw));
	// The payment is the first output, and the change the second.
	const recipient = outputs[0]?.script;
	if (!recipient) return null;
	const spent = new Set(inputs.map(({ txid, index }) => placeOf({ txId: hex.encode(txid), vout: index })));
	const among = async (txIds: readonly string[]): Promise<Overtaker | null> => {
		for (const [txId, transaction] of await heldTransactions(rpc, txIds)) {
			const spends = provenTransaction(transaction.hex, txId)?.spends ?? [];
			if (spends.some((each) => spent.has(placeOf(each)))) return { txId, ...depthOf(transaction) };
		}
		return null;
	};
	const guessed = guess === null ? null : await among([guess]);
	if (guessed) return guessed;
	const toRecipient = (await sends(rpc, height)).filter((entry) => paidScript(entry, params) === recipient.join());
	return among(toRecipient.map(({ txid }) => txid));
}

const placeOf = ({ txId, vout }: { readonly txId: string; readonly vout: number }): string => `${txId}:${vout}`;
