/**
 * Is an accepted transaction the next one of its account? Nodes also accept a transaction whose nonce is too high. They
 * queue it, and it cannot confirm while an earlier transaction is missing. Such a transaction does not count as sent.
 */
import { hex } from '@scure/base';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { transactionsOf } from './depth.ts';
import { countsOf } from './nonces.ts';

/** For this long the nodes of a pool may disagree, milliseconds. Then the operator is called. */
const PATIENCE_MILLISECONDS = 60_000;
/** Transactions that are remembered. */
const MAX_REMEMBERED = 1_000;

const EIP_1559 = 0x02;

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

/**
 * The nonce of a signed EIP-1559 transaction: the second item of its RLP list, after the chain id. @throws
 * BroadcastRejected
 */
export function nonceOf(raw: string): number {
	const bytes = hex.decode(raw.slice(2).toLowerCase());
	const listHead = bytes[1] ?? 0;
	const chainId = 2 + Math.max(0, listHead - 0xf7);
	const nonce = chainId + itemLength(bytes[chainId]);
	const head = bytes[nonce] ?? 0;
	const digits = head < 0x80 ? [head] : [...bytes.subarray(nonce + 1, nonce + itemLength(head))];
	const value = digits.reduce((sum, byte) => sum * 256 + byte, 0);
	if (bytes[0] !== EIP_1559 || listHead < 0xc0 || !Number.isSafeInteger(value))
		throw new BroadcastRejected('these bytes are no transaction of ours');
	return value;
}

/**
 * Length of an RLP item with its head. A byte below 0x80 is an item by itself. Chain ids and nonces always have the
 * short form.
 */
const itemLength = (head = 0): number => (head < 0x80 ? 1 : 1 + (head - 0x80));
