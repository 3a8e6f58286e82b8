/** The only place where this family signs a transaction. For the signer only. */
import { Transaction } from 'micro-eth-signer';
import { transactionIdOf } from './broadcast.ts';
import type { Transfer } from './erc20.ts';
import type { EvmKey } from './keys.ts';
import type { EvmParams } from './params.ts';

export interface Terms {
	readonly nonce: number;
	readonly gas: bigint;
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
}

/** The same transaction has the same signature (RFC 6979). */
const DETERMINISTIC = false;

/** The sizes of a payment and its fee are judged before: the library's own limits are those of ether alone. */
const ANY_SIZE = false;

export function signTransfer(
	{ chainId }: EvmParams,
	{ privateKey }: EvmKey,
	{ to, value, data }: Transfer,
	{ nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: Terms,
): { readonly raw: string; readonly txId: string } {
	const transaction = {
		...({ type: 'eip1559', chainId: BigInt(chainId), nonce: BigInt(nonce), to, value, data } as const),
		gasLimit: gas,
		maxFeePerGas,
		maxPriorityFeePerGas,
	};
	const raw = Transaction.prepare(transaction, ANY_SIZE).signBy(privateKey, DETERMINISTIC).toHex();
	return { raw, txId: transactionIdOf(raw) };
}
