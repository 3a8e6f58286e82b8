/** The only place where this family signs a transaction. For the signer only. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { RECOVERY_BASE, signatureOf } from '../account-message.ts';
import { transactionIdOf } from './broadcast.ts';
import type { Transfer } from './erc20.ts';
import type { EvmKey } from './keys.ts';
import type { EvmParams } from './params.ts';
import { fieldsOf, type Terms, transactionBytes } from './transaction.ts';

/** Each half of a signature has so many. */
const HALF_BYTES = 32;

/** The same transaction has the same signature (RFC 6979). */
export function signTransfer(
	{ chainId }: EvmParams,
	{ privateKey }: EvmKey,
	transfer: Transfer,
	terms: Terms,
): { readonly raw: string; readonly txId: string } {
	const fields = fieldsOf(chainId, transfer, terms);
	const signature = signatureOf(keccak_256(transactionBytes(fields)), privateKey);
	const parity = BigInt((signature.at(-1) ?? 0) - RECOVERY_BASE);
	const halves = [signature.subarray(0, HALF_BYTES), signature.subarray(HALF_BYTES, -1)];
	const [r, s] = halves.map((half) => BigInt(`0x${hex.encode(half)}`));
	const raw = `0x${hex.encode(transactionBytes([...fields, parity, r, s]))}`;
	return { raw, txId: transactionIdOf(raw) };
}
