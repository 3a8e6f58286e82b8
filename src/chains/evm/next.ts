/**
 * Is an accepted transaction the next one of its account? Nodes also accept a transaction whose nonce is too high. They
 * queue it, and it cannot confirm while an earlier transaction is missing. Such a transaction does not count as sent.
 */
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { transactionsOf } from './depth.ts';
import { countsOf } from './nonces.ts';
import { termsIn } from './transaction.ts';

/** For this long the nodes of a pool may disagree, milliseconds. Then the operator is called. */
const PATIENCE_MILLISECONDS = 60_000;
/** Transactions that are remembered. */
const MAX_REMEMBERED = 1_000;

/** Remembers since when each transaction's nonce has been too high. */
export class Queued {
	readonly #since = new Map<string, number>();

	/** @throws ChainUnavailable at first, then BroadcastRejected; the caller may retry after either */
	wait(txId: string, reason: string, now = Date.now()): never {
		if (this.#since.size > MAX_REMEMBERED) this.#since.clear();
		const since = this.#since.get(txId) ?? now;
		this.#since.set(txId, since);
		if (now - since < PATIENCE_MILLISECONDS) throw new ChainUnavailable(reason);
		throw new BroadcastRejected(reason);
	}
}

/** `hotAddress`: the signer, unless the node names another one. @throws as `Queued.wait` */
export async function requireNext(
	rpc: JsonRpc,
	queued: Queued,
	{ txId, raw, hotAddress }: { readonly txId: string; readonly raw: string; readonly hotAddress: string },
): Promise<void> {
	const nonce = nonceOf(raw);
	if (nonce === 0) return;
	const ready = await readyNonce(rpc, hotAddress);
	if (nonce <= ready) return;
	// A sweep is signed by its pay-in address.
	const signer = (await transactionsOf(rpc, [txId])).get(txId)?.from;
	const isOther = signer !== undefined && signer !== hotAddress.toLowerCase();
	if (isOther && nonce <= (await readyNonce(rpc, signer))) return;
	queued.wait(
		txId,
		`its nonce is ${nonce}, and the next one that the network takes is ${ready}: one before it is missing`,
	);
}

/** The first nonce for which the network holds no transaction yet. */
const readyNonce = async (rpc: JsonRpc, address: string): Promise<number> =>
	Math.max(...(await countsOf(rpc, address, ['latest', 'pending'])));

/** The nonce of a signed transaction. @throws BroadcastRejected */
export function nonceOf(raw: string): number {
	const terms = termsIn(raw);
	if (!terms) throw new BroadcastRejected('these bytes are no transaction of ours');
	return terms.nonce;
}
