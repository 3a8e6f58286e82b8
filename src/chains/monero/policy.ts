/**
 * What the cold wallet may sign. The view-only wallet proposes a transaction, and anyone who controls that wallet could
 * propose a different one. So the cold wallet describes what it would sign, and this code compares that with the
 * payment. Pure.
 */
import * as z from 'zod';
import { piconero } from './shapes.ts';

/** One transaction as `describe_transfer` describes it. Zero change has no address. */
const TRANSACTION = z.lazy(() =>
	z.object({
		amount_in: piconero,
		recipients: z.array(z.object({ address: z.string(), amount: piconero })).default([]),
		change_amount: piconero.default(0n),
		change_address: z.string().default(''),
		fee: piconero,
		unlock_time: piconero,
	}),
);
export const DESCRIPTION = z.lazy(() => z.object({ desc: z.array(TRANSACTION) }));

export interface Allowed {
	readonly to: string;
	/** Piconero. */
	readonly amount: bigint;
	readonly changeAddress: string;
	readonly maxFee: bigint;
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
	if (fee <= 0n || fee > allowed.maxFee) return `a fee of ${fee}, where ${allowed.maxFee} is the most`;
	return null;
}
