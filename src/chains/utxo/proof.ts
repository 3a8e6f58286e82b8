/**
 * Proves what the signer does not take the node's word for: which outputs are our own change, and the amounts that a
 * legacy signature does not cover. The proof is the bytes of the transactions, to which their ids commit.
 */
import { hex } from '@scure/base';
import { RawOldTx, RawTx } from '@scure/btc-signer/script.js';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import { ChainUnavailable } from '../errors.ts';
import type { Reservation } from '../reservations.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Spent } from '../signing-port.ts';
import { txIdsOf, txidsOf } from '../transaction-ids.ts';
import { mempoolAncestors, walletTransactions } from './depth.ts';
import type { Unspent } from './shapes.ts';
import type { SigningCoin } from './transaction.ts';

/** Nodes relay chains of at most 25 unconfirmed transactions. Ours stay shorter, and then wait for a block. */
const MAX_UNCONFIRMED_ANCESTORS = 20;

export interface Outpoint {
	readonly txId: string;
	readonly vout: number;
}

/** The reservation of an output. */
export const coinOf = ({ txId, vout }: Outpoint): Reservation => ({ kind: 'coin', txId, vout });

interface Decoded {
	/** Each output that it spends. */
	readonly spends: readonly Outpoint[];
	readonly outputs: readonly { readonly amount: bigint; readonly script: Uint8Array }[];
}

/**
 * Decodes `raw` if its bytes hash to this id. Null where they do not, or where this code cannot decode them (an MWEB
 * transaction).
 */
export function provenTransaction(raw: string, txId: string): Decoded | null {
	return attempt(() => legacyForm(hex.decode(raw), txId)) ?? attempt(() => segwitForm(hex.decode(raw), txId));
}

/**
 * Bytes after the lock time are the payload of Dash's special transactions. This form is tried first, because a special
 * transaction without inputs looks like the segwit marker.
 */
function legacyForm(bytes: Uint8Array, txId: string): Decoded | null {
	return idOf(bytes) === txId ? summary(RawOldTx.decode(bytes, { allowUnreadBytes: true })) : null;
}

/** BIP144. The id does not cover the witnesses. */
function segwitForm(bytes: Uint8Array, txId: string): Decoded | null {
	const transaction = RawTx.decode(bytes);
	return idOf(RawOldTx.encode(transaction)) === txId ? summary(transaction) : null;
}

const idOf = (bytes: Uint8Array): string => hex.encode(sha256x2(bytes).reverse());

function summary({ inputs, outputs }: ReturnType<typeof RawOldTx.decode>): Decoded {
	return { spends: inputs.map(({ txid, index }) => ({ txId: hex.encode(txid), vout: index })), outputs };
}

function attempt<T>(run: () => T): T | null {
	try {
		return run();
	} catch {
		return null;
	}
}

/** The outputs whose transaction spends only coins that we have signed away, as its bytes prove. */
export async function ownChange(
	rpc: JsonRpc,
	outputs: readonly Unspent[],
	spent: Pick<Spent, 'has'>,
): Promise<Unspent[]> {
	const known = await walletTransactions(rpc, txidsOf(outputs));
	const ours = outputs.filter(({ txid }) => {
		const spends = provenTransaction(known.get(txid)?.hex ?? '', txid)?.spends ?? [];
		return spends.length > 0 && spends.every((outpoint) => spent.has(coinOf(outpoint)));
	});
	const unconfirmed = ours.filter(({ confirmations }) => confirmations === 0).map(({ txid }) => txid);
	const ancestors = await mempoolAncestors(rpc, unconfirmed);
	return ours.filter(
		({ txid, confirmations }) => confirmations > 0 || (ancestors.get(txid) ?? Infinity) <= MAX_UNCONFIRMED_ANCESTORS,
	);
}

/**
 * A legacy signature does not cover the amounts that it spends, so a node that understates them would make us pay the
 * difference as a fee. The bytes of the earlier transactions prove the amounts.
 * @throws ChainUnavailable
 */
export async function proveAmounts(rpc: JsonRpc, coins: readonly SigningCoin[]): Promise<void> {
	const known = await walletTransactions(rpc, txIdsOf(coins));
	for (const { txId, vout, amount } of coins) {
		const output = provenTransaction(known.get(txId)?.hex ?? '', txId)?.outputs[vout];
		if (output?.amount !== amount) throw new ChainUnavailable(`the node proves no amount for ${txId}:${vout}`);
	}
}
