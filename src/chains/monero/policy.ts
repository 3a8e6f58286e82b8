/**
 * The rules for what the cold wallet signs. The view-only wallet proposes a transaction, and anyone who controls that
 * wallet could propose a different one. So the cold wallet describes what it would sign, and this code compares that
 * with the payment. Pure.
 */
import * as z from 'zod/mini';
import { lesser } from '../../money/units.ts';
import { piconero } from './wallet-shapes.ts';

/** One transaction as `describe_transfer` describes it. Zero change has no address. */
const TRANSACTION = z.lazy(() =>
	z.object({
		amount_in: piconero,
		recipients: z._default(z.array(z.object({ address: z.string(), amount: piconero })), []),
		change_amount: z._default(piconero, 0n),
		change_address: z._default(z.string(), ''),
		fee: piconero,
		unlock_time: piconero,
	}),
);
export const DESCRIPTION = z.lazy(() => z.object({ desc: z.array(TRANSACTION) }));

/** Bytes of the largest transaction that Monero accepts: half a block, without room for the coinbase. */
const MAX_BYTES = 149_400;

export interface FeeLimit {
	/** Piconero for each byte of the transaction. */
	readonly perByte: bigint;
	/** Piconero, however large the transaction is. */
	readonly most: bigint;
}

export interface Allowed {
	readonly to: string;
	/** Piconero. */
	readonly amount: bigint;
	readonly changeAddress: string;
	readonly fee: FeeLimit;
}

/** Why the proposed transactions are not exactly this payment; null where they are. */
export function refusalOf({ desc }: z.output<typeof DESCRIPTION>, allowed: Allowed): string | null {
	const [proposed, ...others] = desc;
	if (!proposed || others.length > 0) return `${desc.length} transactions instead of one`;
	const { recipients, change_amount, change_address, fee, amount_in, unlock_time } = proposed;
	const [recipient, ...strangers] = recipients;
	if (!recipient || strangers.length > 0) return `${recipients.length} recipients instead of one`;
	if (recipient.address !== allowed.to) return `another recipient: ${recipient.address}`;
	if (recipient.amount !== allowed.amount) return `another amount: ${recipient.amount}`;
	if (change_amount > 0n && change_address !== allowed.changeAddress) return `change to ${change_address}`;
	if (unlock_time !== 0n) return 'a locked payment';
	if (amount_in !== allowed.amount + change_amount + fee) return 'sums that do not add up';
	// How large it is shows only once it is signed (`feeRefusal`).
	if (fee <= 0n) return 'no fee';
	return feeRefusal(fee, MAX_BYTES, allowed);
}

/** Why a transaction of so many bytes may not pay this fee; null where it may. */
export function feeRefusal(fee: bigint, bytes: number, allowed: Pick<Allowed, 'fee'>): string | null {
	const most = lesser(allowed.fee.perByte * BigInt(bytes), allowed.fee.most);
	return fee > most ? `a fee of ${fee} for ${bytes} bytes, where ${most} is the most` : null;
}
