/** Reads the bytes of our own transactions, to which their ids commit. */
import { hex } from '@scure/base';
import type { Reservation } from '../reservations.ts';
import { type Form, type Outpoint, readTransaction, type Transaction } from './transaction-bytes.ts';

/** The reservation of an output. */
export const coinOf = ({ txId, vout }: Outpoint): Reservation => ({ kind: 'coin', txId, vout });

/** A transaction of two keys that one judge has signed, as text: its draft, and a signature of each input behind it. */
export const withHalf = (draft: string, half: readonly Uint8Array[]): string =>
	[draft, ...half.map(hex.encode)].join(' ');

/** The reverse of `withHalf`. @throws Error where the signatures are not in hex */
export function partsOf(raw: string): { readonly draft: string; readonly half: Uint8Array[] } {
	const [draft = '', ...half] = raw.split(' ');
	return { draft, half: half.map(hex.decode) };
}

/** Null where the bytes are none of a transaction, or hash to another id. Drafts are read too. */
export function provenTransaction(raw: string, txId: string, form: Form): Transaction | null {
	try {
		const transaction = readTransaction(hex.decode(partsOf(raw).draft), form);
		return transaction.id === txId ? transaction : null;
	} catch {
		return null;
	}
}
