/**
 * Which transaction spent a coin that one of ours spends. Looked for among payments to the same recipient alone: what else
 * took the coins, only a person finds out.
 */
import { hex } from '@scure/base';
import type { Overtaker } from '../port.ts';
import { coinsAt, type Send, sendAt } from './book/reads.ts';
import { depthAt, IN_POOL } from './depth.ts';
import { readTransaction } from './transaction-bytes.ts';
import { formOf, type Watching } from './watching.ts';

/** As `Chain.overtaker`. @throws ChainUnavailable */
export async function overtaker(watching: Watching, raw: string, guess: string | null): Promise<Overtaker | null> {
	const { keeper, sources, book, locks, params, pool } = watching;
	const { spends, outputs } = readTransaction(hex.decode(raw), formOf(params));
	// The payment is the first output, and the change the second.
	const recipient = outputs[0] && hex.encode(outputs[0].script);
	const last = await keeper.current();
	const spenders = [...new Set(coinsAt(book, spends).flatMap(({ spentBy }) => spentBy ?? []))];
	const sends = spenders.flatMap((txId) => sendAt(book, txId) ?? []);
	const isTheSame = (send: Send) => send.txId === guess || send.outputs.some(({ script }) => script === recipient);
	const send = sends.find(({ txId }) => txId === guess) ?? sends.find(isTheSame);
	if (send) return { txId: send.txId, ...depthAt({ ...send, matures: 0 }, last, await locks.upTo([send.height])) };
	const spent = new Set(spends.map(({ txId, vout }) => `${txId}:${vout}`));
	const own = await sources.use((source) => pool.own(source));
	const pooled = own.find((each) => each.spends.some(({ txId, vout }) => spent.has(`${txId}:${vout}`)));
	return pooled ? { txId: pooled.txId, ...IN_POOL } : null;
}
