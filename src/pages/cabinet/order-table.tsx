/** Orders as a table: one line a row. */
import type { Child } from 'hono/jsx';
import type { OrderRow } from '../../orders/table.ts';
import { Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Said } from './frame.tsx';
import { STATUS_WORDS } from './words.ts';

const SHORT_ID = 8;

interface Props {
	readonly orders: readonly OrderRow[];
	readonly empty: Child;
	/** Ids of orders that are named and not shown. */
	readonly unsealed?: ReadonlySet<string>;
	/** How the column of times is sorted. */
	readonly sorted?: { readonly at: string; readonly is: 'ascending' | 'descending' };
}

/** The row of an order that may not be shown. */
const UNREADABLE = 'Cannot be shown';
const NONE: ReadonlySet<string> = new Set();

export const OrderTable = ({ orders, empty, sorted, unsealed = NONE }: Props) => {
	const readable =
		(cell: (order: OrderRow) => Child) =>
		(order: OrderRow): Child =>
			unsealed.has(order.id) ? null : cell(order);
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
					head: 'Made',
					cell: readable(({ createdAt }) => <Time at={createdAt} />),
					...(sorted && { sortedAt: sorted.at, sort: sorted.is }),
				},
				{
					head: 'State',
					cell: ({ id, status }) =>
						unsealed.has(id) ? <State tone="bad" word={UNREADABLE} /> : <OrderState status={status} />,
				},
				{
					head: 'Paid in',
					is: 'number',
					cell: readable(({ fromAmount, fromAsset }) => `${grouped(fromAmount)} ${fromAsset}`),
				},
				{
					head: 'Paid out',
					is: 'number',
					cell: readable(({ toAmount, payoutAmount, toAsset }) => `${grouped(payoutAmount ?? toAmount)} ${toAsset}`),
				},
				{ head: 'Code', cell: readable(({ referenceCode }) => referenceCode && <Said text={referenceCode} />) },
				{ head: 'Your reference', cell: readable(({ externalId }) => externalId && <Said text={externalId} />) },
			]}
		/>
	);
};

export const OrderState = ({ status }: Pick<OrderRow, 'status'>) => {
	const [tone, word] = STATUS_WORDS[status];
	return <State tone={tone} word={word} />;
};
