/**
 * A table that answers a question: one line a row, numbers on the right, and in words what it means that it is empty. On a
 * phone each row is a card, with the heads beside its values.
 */
import type { Child } from 'hono/jsx';

export interface Column<Row> {
	readonly head: string;
	readonly cell: (row: Row) => Child;
	readonly is?: 'number' | 'wrap';
	/** Address of this page sorted by the column. */
	readonly sortedAt?: string;
	readonly sort?: 'ascending' | 'descending';
}

interface Props<Row> {
	/** The name of the rows, read out before them. */
	readonly label: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly empty: Child;
}

export function Table<Row>({ label, columns, rows, empty }: Props<Row>) {
	if (rows.length === 0) return <p class="empty card">{empty}</p>;
	return (
		<section class="scroll" aria-label={label} tabindex={0}>
			<table class="cards">
				<thead>
					<tr>
						{columns.map(({ head, is, sort, sortedAt }) => (
							<th scope="col" class={is} aria-sort={sort}>
								{sortedAt ? (
									<a href={sortedAt}>
										{head}
										{sort === 'ascending' ? ' ↑' : sort === 'descending' ? ' ↓' : ''}
									</a>
								) : (
									head
								)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr>
							{columns.map(({ head, cell, is }, i) =>
								i === 0 ? (
									<th scope="row" class={is}>
										{cell(row)}
									</th>
								) : (
									<td class={is} data-head={head}>
										{cell(row)}
									</td>
								),
							)}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
