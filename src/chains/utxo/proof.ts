/** Reads the bytes of our own transactions, to which their ids commit. */
import { hex } from '@scure/base';
import type { Reservation } from '../reservations.ts';
import { type Form, type Outpoint, readTransaction, type Transaction } from './transaction-bytes.ts';

/** The reservation of an output. */
export const coinOf = ({ txId, vout }: Outpoint): Reservation => ({ kind: 'coin', txId, vout });

/** Null where the bytes are none of a transaction, or hash to another id. */
export function provenTransaction(raw: string, txId: string, form: Form): Transaction | null {
	try {
		const transaction = readTransaction(hex.decode(raw), form);
		return transaction.id === txId ? transaction : null;
	} catch {
		return null;
	}
}
