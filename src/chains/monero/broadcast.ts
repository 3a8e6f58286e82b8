/**
 * Sends a signed set to the network through the view-only wallet, which thereby learns which of its coins are spent.
 * The wallet must never submit a set that a block already holds: it would treat the transaction as pending again, and
 * later report its inputs as unspent. So monerod is asked for the transaction first. A block may still come between
 * that request and the submission. We accept this risk, because it does harm only if the wallet has also forgotten that
 * it submitted the set.
 */
import * as z from 'zod/mini';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions, whereSpent } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { NOTHING } from './shapes.ts';
import { refreshed, transfersOf } from './wallet.ts';

/** monero-wallet-rpc's codes: the set cannot be read; the set was not accepted. */
const BAD_SIGNED_TX_DATA = -40;
const SIGNED_TX_SUBMISSION = -41;
/** monerod refused the transaction itself; the connection did not fail. */
const REJECTED = /rejected by daemon/;

/** What the port carries as `raw`: the set for the wallet, and the ids that are looked up for it. */
const RAW = z.lazy(() => z.object({ txId: z.string(), keyImages: z.array(z.string()), signedSet: z.string() }));
export type MoneroRaw = z.output<typeof RAW>;

export const encodeRaw = (raw: MoneroRaw): string => JSON.stringify(raw);

function decodeRaw(text: string): MoneroRaw {
	try {
		return RAW.parse(JSON.parse(text));
	} catch {
		throw new BroadcastRejected('not a signed set of a Monero wallet');
	}
}

/** @throws BroadcastRejected, ChainUnavailable */
export async function broadcast(wallet: MoneroRpc, daemon: MoneroDaemon, text: string): Promise<void> {
	const { txId, keyImages, signedSet } = decodeRaw(text);
	await refreshed(wallet, daemon);
	const held = (await heldTransactions(daemon, [txId])).get(txId);
	const known = (await transfersOf(wallet, txId)).some(({ type }) => type === 'out' || type === 'pending');
	if (held && (known || held.depth.height !== null)) return;
	try {
		await wallet.call(NOTHING, 'submit_transfer', { tx_data_hex: signedSet });
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		await explain(daemon, txId, keyImages, error);
	}
	await thaw(wallet, keyImages);
}

/** Returns if the network has the transaction despite the error; otherwise throws what the error means. */
async function explain(daemon: MoneroDaemon, txId: string, keyImages: readonly string[], error: RpcError) {
	const { code, message } = error;
	if (code === BAD_SIGNED_TX_DATA) throw new BroadcastRejected(message);
	const spent = await whereSpent(daemon, keyImages);
	if ((await heldTransactions(daemon, [txId])).has(txId)) return;
	if (spent)
		throw new BroadcastRejected(`${message}; another transaction spends its coins`, { taken: spent === 'chain' });
	if (code === SIGNED_TX_SUBMISSION && REJECTED.test(message)) throw new BroadcastRejected(message);
	throw new ChainUnavailable(`${code} ${message}`);
}

/** The signer freezes the coins of what it signs. Frozen coins that are spent would be missing from the balance. */
async function thaw(wallet: MoneroRpc, keyImages: readonly string[]): Promise<void> {
	for (const key_image of keyImages) {
		await wallet.call(NOTHING, 'thaw', { key_image }).catch((error: unknown) => {
			if (!(error instanceof RpcError)) throw error;
		});
	}
	await wallet.call(NOTHING, 'store').catch((error: unknown) => {
		if (!(error instanceof RpcError)) throw error;
	});
}
