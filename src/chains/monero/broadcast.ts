/**
 * Sends a signed set to the network through the view-only wallet, which thereby learns which of its coins are spent.
 * The wallet must never submit a set that a block already holds: it would treat the transaction as pending again, and
 * later report its inputs as unspent. So monerod is asked for the transaction first. A block may still come between
 * that request and the submission. We accept this risk, because it does harm only if the wallet has also forgotten that
 * it submitted the set.
 */
import { BroadcastRejected } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { decodeRaw, type MoneroRaw } from './raw.ts';
import { relay } from './relay.ts';
import { NOTHING } from './shapes.ts';
import { refreshed, transfersOf } from './wallet.ts';

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(wallet: MoneroRpc, daemon: MoneroDaemon, text: string): Promise<void> {
	const raw = decodeRaw(text);
	if (!raw) throw new BroadcastRejected('not a signed set of a Monero wallet');
	const { txId, keyImages, signedSet } = raw;
	await refreshed(wallet, daemon);
	const held = (await heldTransactions(daemon, [txId])).get(txId);
	const known = (await transfersOf(wallet, txId)).some(({ type }) => type === 'out' || type === 'pending');
	if (held && (known || held.depth.height !== null)) return;
	try {
		await wallet.call(NOTHING, 'submit_transfer', { tx_data_hex: signedSet });
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		await relayed(daemon, raw);
	}
	await thaw(wallet, keyImages);
}

/**
 * The wallet does not say why it was refused, and may have refused by itself. So monerod is asked to take the bytes.
 * Returns where it does; otherwise throws why not.
 */
async function relayed(daemon: MoneroDaemon, { txId, tx }: MoneroRaw): Promise<void> {
	if ((await heldTransactions(daemon, [txId])).has(txId)) return;
	const refused = await relay(daemon, tx);
	if (refused === null) return;
	const { why, double_spend, invalid_input, fee_too_low } = refused;
	throw new BroadcastRejected(why, { underpriced: fee_too_low, unminable: double_spend || invalid_input });
}

/** The signer freezes the coins of what it signs. Frozen coins that are spent would be missing from the balance. */
async function thaw(wallet: MoneroRpc, keyImages: readonly string[]): Promise<void> {
	const thawing = keyImages.map((key_image) => ({ method: 'thaw', params: { key_image } }));
	for (const { method, params } of [...thawing, { method: 'store', params: {} }])
		await wallet.call(NOTHING, method, params).catch((error: unknown) => {
			if (!(error instanceof RpcError)) throw error;
		});
}
