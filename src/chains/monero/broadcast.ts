/**
 * Hands a signed set to the network through the view-only wallet, which so learns what of its coins is spent. The wallet
 * must never be given a set twice when a block has it already: it would expect it again, and after a while call its
 * inputs unspent. So it is asked for first, and a block that comes between the question and the submitting is a risk
 * that is taken; it takes a wallet that forgot what it submitted.
 */
import * as z from 'zod';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { MoneroDaemon } from './daemon.ts';
import { areSpent, heldTransactions } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { NOTHING } from './shapes.ts';
import { refreshed, transfersOf } from './wallet.ts';

/** monero-wallet-rpc's codes: the set cannot be read; the set was not taken. */
const BAD_SIGNED_TX_DATA = -40;
const SIGNED_TX_SUBMISSION = -41;
/** monerod has judged it, and not the connection. */
const REJECTED = /rejected by daemon/;

/** What travels as the port's `raw`: the set for the wallet, and what is asked about it. */
const RAW = z.object({ txId: z.string(), keyImages: z.array(z.string()), signedSet: z.string() });
export type MoneroRaw = z.output<typeof RAW>;

export const encodeRaw = (raw: MoneroRaw): string => JSON.stringify(raw);

function decodeRaw(text: string): MoneroRaw {
	try {
		return RAW.parse(JSON.parse(text));
	} catch {
		throw new BroadcastRejected('no signed set of a Monero wallet');
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

/** Returns where the network has the transaction all the same. */
async function explain(daemon: MoneroDaemon, txId: string, keyImages: readonly string[], error: RpcError) {
	const { code, message } = error;
	if (code === BAD_SIGNED_TX_DATA) throw new BroadcastRejected(message);
	const spent = await areSpent(daemon, keyImages);
	if ((await heldTransactions(daemon, [txId])).has(txId)) return;
	if (spent) throw new BroadcastRejected(`${message}; another transaction spends its coins`);
	if (code === SIGNED_TX_SUBMISSION && REJECTED.test(message)) throw new BroadcastRejected(message);
	throw new ChainUnavailable(`${code} ${message}`);
}

/** The signer freezes what it has signed away; frozen coins that are spent would be missing from the balance. */
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
