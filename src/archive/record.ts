/**
 * All that D1 has of one finished order, as it is archived: its rows, unchanged. A batch is text: a line for its head and
 * one line of JSON for each order. Pure.
 */
import type { DepositRow, OrderRow, orderChanges } from '../orders/table.ts';
import type { ledgerEntries } from '../treasury/ledger/table.ts';
import type { ScreeningRow } from '../treasury/screening/table.ts';
import type { TransactionRow, transactionVersions } from '../treasury/table.ts';
import type { WebhookDeliveryRow, webhookEvents } from '../webhooks/table.ts';

export interface ArchivedOrder {
	readonly order: OrderRow;
	readonly changes: readonly (typeof orderChanges.$inferSelect)[];
	readonly deposits: readonly DepositRow[];
	/** Its payout and refunds, with their raw bytes. */
	readonly transactions: readonly TransactionRow[];
	/** Gas and sweeps of its pay-in address. */
	readonly sweeps: readonly TransactionRow[];
	/** Older versions of both. */
	readonly versions: readonly (typeof transactionVersions.$inferSelect)[];
	readonly entries: readonly (typeof ledgerEntries.$inferSelect)[];
	readonly events: readonly (typeof webhookEvents.$inferSelect)[];
	readonly deliveries: readonly WebhookDeliveryRow[];
	readonly screened: readonly ScreeningRow[];
	/** The payout of earnings that paid the partner for it; null where there was nothing to pay. */
	readonly earningsPayoutId: string | null;
}

/** The version of the lines' form. */
const FORMAT = 1;

export const linesOf = (orders: readonly ArchivedOrder[]): string =>
	[{ format: FORMAT, orders: orders.length }, ...orders].map((line) => `${JSON.stringify(line)}\n`).join('');

/** @throws where the text is of a form that this version does not know */
export function ordersIn(text: string, isWanted: (line: string) => boolean = () => true): ArchivedOrder[] {
	const [head = '', ...lines] = text.split('\n').slice(0, -1);
	const { format, orders } = JSON.parse(head) as { format: number; orders: number };
	if (format !== FORMAT || lines.length !== orders) throw new Error('the archive has a form that is not known');
	return lines.filter(isWanted).map((line) => JSON.parse(line) as ArchivedOrder);
}
