/**
 * Which transaction spent a coin that one of ours spends. The wallet lists what it sent, and the node reads the bytes of
 * each. Looked for among payments to the same recipient alone: what else took the coins, only a person finds out.
 */
import { hex } from '@scure/base';
import type { z } from 'zod/mini';
import type { Overtaker } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { depthOf, heldTransactions } from './depth.ts';
import { ask, askEach } from './node.ts';
import type { UtxoParams } from './params.ts';
import { type Height, paidScript, sends } from './payments-to.ts';
import { DECODED_PLACES } from './shapes.ts';

/** As `Chain.overtaker`. @throws ChainUnavailable */
export async function overtaker(
	rpc: JsonRpc,
	params: UtxoParams,
	height: Height,
	{ raw, guess }: { readonly raw: string; readonly guess: string | null },
): Promise<Overtaker | null> {
	const { vin, vout } = await ask(rpc, DECODED_PLACES, 'decoderawtransaction', raw);
	const spent = new Set(vin.map(placeOf));
	const among = async (txIds: readonly string[]): Promise<Overtaker | null> => {
		const held = [...(await heldTransactions(rpc, txIds)).values()];
		const calls = held.map((each) => ({ method: 'decoderawtransaction', params: [each.hex] }));
		const decoded = await askEach(rpc, DECODED_PLACES, calls);
		const found = held.find((_, i) => decoded[i]?.vin.some((input) => spent.has(placeOf(input))));
		return found ? { txId: found.txid, ...depthOf(found) } : null;
	};
	const guessed = guess === null ? null : await among([guess]);
	if (guessed) return guessed;
	// The payment is the first output, and the change the second.
	const recipient = vout[0] && hex.decode(vout[0].scriptPubKey.hex).join();
	const toRecipient = (await sends(rpc, height)).filter((entry) => paidScript(entry, params) === recipient);
	return among(toRecipient.map(({ txid }) => txid));
}

const placeOf = ({ txid, vout }: z.output<typeof DECODED_PLACES>['vin'][number]): string => `${txid}:${vout}`;
