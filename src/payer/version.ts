/**
 * The version of an order: a text that differs whenever something that its page shows differs. It ends with the
 * confirmations, which are in no row. Pure.
 */
import type { OrderRow } from '../orders/table.ts';

/** `confirmations`: null where they are not known, or nothing waits for them. */
export const versionOf = (
	{ sequence, updatedAt }: Pick<OrderRow, 'sequence' | 'updatedAt'>,
	confirmations: number | null,
): string => `${sequence}.${updatedAt}.${confirmations ?? '-'}`;
