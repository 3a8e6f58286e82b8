/** Orders as a table: one line a row. */
import type { Child } from 'hono/jsx';
import type { OrderRow } from '../../orders/table.ts';
import { coinName } from '../asset-names.ts';
import { State, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { Table } from '../parts/table.tsx';
import { Said } from './frame.tsx';
import type { BesideOrders } from './readable.ts';
import { STATUS_WORDS } from './words.ts';

const SHORT_ID = 8;

interface Props extends BesideOrders {
	readonly orders: readonly OrderRow[];
	readonly empty: Child;
	/** How the column of times is sorted. */
	readonly sorted?: { readonly at: string; readonly is: 'ascending' | 'descending' };
}

/** The row of an order that may not be shown. */
const UNREADABLE = 'Cannot be shown';
const RETURNED = ['good', 'Returned'] as const;
const REFUND_ASKED = ['warn', 'Refund asked for'] as const;

export const OrderTable = ({ orders, empty, sorted, returned, unsealed }: Props) => {
	const readable =
		(cell: (order: OrderRow) => Child) =>
		(order: OrderRow): Child =>
			unsealed.has(order.id) ? null : cell(order);
	/** A sum that never moved is left out. */
	const amounts = (head: string, of: (order: OrderRow) => readonly [amount: string | null, asset: string]) => ({
		head,
		is: 'number' as const,
		cell: readable((order) => {
			const [amount, asset] = of(order);
			return amount && `${grouped(amount)}\u00A0${coinName(asset)}`;
		}),
	});
	return (
		<Table
			label="Orders"
			rows={orders}
			empty={empty}
			columns={[
				{
					head: 'Order',
					cell: ({ id }) => (
						<a href={`/cabinet/orders/${id}`}>
							<code>{id.slice(0, SHORT_ID)}</code>
						</a>
					),
				},
				{
					head: 'Created',
					cell: readable(({ createdAt }) => <Time at={createdAt} />),
					...(sorted && { sortedAt: sorted.at, sort: sorted.is }),
				},
				{
					head: 'State',
					cell: (order) =>
						unsealed.has(order.id) ? <State tone="bad" word={UNREADABLE} /> : <OrderState {...order} />,
				},
				amounts('Asked', ({ fromAmount, fromAsset }) => [fromAmount, fromAsset]),
				amounts('Received', ({ depositAmount, fromAsset }) => [depositAmount, fromAsset]),
				amounts('Sent', ({ payoutAmount, toAsset }) => [payoutAmount, toAsset]),
				amounts('Returned', ({ id, refundTxId, fromAsset }) =>
					// The archive's list names no sum.
					refundTxId === null ? [null, fromAsset] : [returned.get(id) ?? 'yes,', fromAsset],
				),
				{ head: 'Code', cell: readable(({ referenceCode }) => referenceCode && <Said text={referenceCode} />) },
				{ head: 'Your reference', cell: readable(({ externalId }) => externalId && <Said text={externalId} />) },
			]}
		/>
	);
};

export const OrderState = ({
	status,
	refundTxId,
	refundAskedAt,
}: Pick<OrderRow, 'status' | 'refundTxId' | 'refundAskedAt'>) => {
	const isReturned = status === 'EXPIRED' && refundTxId !== null;
	const [tone, word] = isReturned ? RETURNED : refundAskedAt !== null ? REFUND_ASKED : STATUS_WORDS[status];
	return <State tone={tone} word={word} />;
};
