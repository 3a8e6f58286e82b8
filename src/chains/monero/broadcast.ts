/** Sends a signed transaction to the network by monerod. The wallet learns from the blocks which of its coins are spent. */
import { BroadcastRejected } from '../errors.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions } from './depth.ts';
import { decodeRaw } from './raw.ts';
import { relay } from './relay.ts';

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(daemon: MoneroDaemon, text: string): Promise<void> {
	const raw = decodeRaw(text);
	if (!raw) throw new BroadcastRejected('not a signed transaction of Monero');
	if ((await heldTransactions(daemon, [raw.txId])).has(raw.txId)) return;
	const refused = await relay(daemon, raw.tx);
	if (refused === null) return;
	const { why, double_spend, invalid_input, fee_too_low } = refused;
	throw new BroadcastRejected(why, { underpriced: fee_too_low, unminable: double_spend || invalid_input });
}
