/** The answer of a command: a list is a table, a record is facts, and what is inside a record comes below it. */
import { isEmpty, isRow, type Row, rowsIn } from '../../operator/reading/fields.ts';
import type { Column } from '../../operator/topic.ts';
import { labelOf } from '../../operator/topics/labels.ts';
import { coinName } from '../asset-names.ts';
import { Card, Facts, Section } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Command } from './commands.ts';
import { Value } from './values.tsx';

/** Signed transactions: hundreds of characters that nobody reads. */
const UNREADABLE: ReadonlySet<string> = new Set(['raw', 'replaced']);
/** Sentences: their column may be wide and break. */
const WRAPPED: ReadonlySet<string> = new Set([
	'cause',
	'todo',
	'lastError',
	'detail',
	'says',
	'attention',
	'why',
	'waitsBecause',
	'changes',
	'reason',
	'what',
]);

interface Props {
	readonly command: Command;
	readonly data: unknown;
	/** Every column, also the further ones. */
	readonly wide?: boolean;
}

export function Answer({ command, data, wide = true }: Props) {
	const { declaration, words } = command;
	if (Array.isArray(data)) {
		const columns = declaration.columns && [...declaration.columns, ...(wide ? (declaration.wide ?? []) : [])];
		const { empty = 'Nothing found.' } = declaration;
		return <Rows label={words} rows={data.filter(isRow)} columns={columns} empty={empty} page={declaration.rowPage} />;
	}
	if (!isRow(data)) return <p>{String(data ?? 'Done.')}</p>;
	return <Sections record={data} sections={declaration.sections} />;
}

interface SectionsProps {
	readonly record: Row;
	readonly sections?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Facts of a record, and a card for each list and record inside it. Lists without rows are named last. */
export function Sections({ record, sections = {} }: SectionsProps) {
	const entries = Object.entries(record).filter(([field]) => !UNREADABLE.has(field));
	const inside = entries.filter(([, value]) => isSection(value));
	const none = entries
		.filter(([, value]) => Array.isArray(value) && value.length === 0)
		.map(([field]) => labelOf(field).toLowerCase());
	const facts = entries.filter(([, value]) => !isSection(value) && !(Array.isArray(value) && value.length === 0));
	return (
		<>
			{facts.length > 0 && (
				<Card>
					<RecordFacts record={Object.fromEntries(facts)} />
				</Card>
			)}
			{inside.map(([field, value]) => (
				<Inside title={labelOf(field)} value={value} columns={sections[field]} />
			))}
			{none.length > 0 && <p class="soft">{`None: ${none.join(', ')}.`}</p>}
		</>
	);
}

export const RecordFacts = ({ record }: { readonly record: Row }) => (
	<Facts
		facts={Object.fromEntries(
			Object.entries(record)
				.filter(([field]) => !UNREADABLE.has(field))
				.map(([field, value]) => [labelOf(field), <Value field={field} value={value} />]),
		)}
	/>
);

type RowsSectionProps = Omit<RowsProps, 'label'> & { readonly title: string };

export const RowsSection = ({ title, ...rest }: RowsSectionProps) => (
	<Section title={title}>
		<Rows label={title} {...rest} />
	</Section>
);

interface InsideProps {
	readonly title: string;
	readonly value: unknown;
	readonly columns: readonly string[] | undefined;
}

function Inside({ title, value, columns }: InsideProps) {
	if (Array.isArray(value)) return <RowsSection title={title} rows={rowsIn(value)} columns={columns} empty="None." />;
	return isRow(value) ? (
		<Card title={title}>
			<RecordFacts record={value} />
		</Card>
	) : null;
}

interface RowsProps {
	readonly label: string;
	readonly rows: readonly Row[];
	readonly columns?: readonly Column[] | undefined;
	readonly empty: string;
	readonly page?: string | undefined;
}

/** Without declared columns those that any row has filled. */
export function Rows({ label, rows, columns, empty, page }: RowsProps) {
	const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((field) => !UNREADABLE.has(field));
	const filled = fields.filter((field) => rows.some((row) => !isEmpty(row[field])));
	const shown = (columns ?? filled).filter((column) =>
		rows.some((row) => fieldsOf(column).some((field) => field in row)),
	);
	return (
		<Table
			label={label}
			rows={rows}
			empty={empty}
			columns={shown.map((column, i) => {
				const [field = '', ...rest] = fieldsOf(column);
				return {
					head: labelOf(typeof column === 'string' ? column : column.title),
					...styleOf(field, rows),
					cell: (row: Row) =>
						i === 0 && page ? (
							<RowLink page={page} row={row} field={field} />
						) : (
							<Cell row={row} field={field} rest={rest} />
						),
				};
			})}
		/>
	);
}

const fieldsOf = (column: Column): readonly string[] => (typeof column === 'string' ? [column] : column.fields);

function styleOf(field: string, rows: readonly Row[]): { readonly is?: 'number' | 'wrap' } {
	if (WRAPPED.has(field)) return { is: 'wrap' };
	const values = rows.map((row) => row[field]).filter((value) => !isEmpty(value));
	const isNumber = (value: unknown) =>
		typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
	return values.length > 0 && values.every(isNumber) ? { is: 'number' } : {};
}

const RowLink = ({ page, row, field }: { readonly page: string; readonly row: Row; readonly field: string }) => (
	<a href={`/operator/${page}/${encodeURIComponent(String(row['id'] ?? row[field]))}`}>
		<Value field="" value={row[field]} short />
	</a>
);

/** The first of several fields decides: where it is empty, the others mean nothing. */
const Cell = ({ row, field, rest }: { row: Row; field: string; rest: readonly string[] }) => (
	<>
		<Value field={field} value={row[field]} short />
		{!isEmpty(row[field]) && rest.map((other) => <> {coinName(String(row[other] ?? ''))}</>)}
	</>
);

/** A record that has rows of its own is a section too. */
const isSection = (value: unknown): boolean => isRow(value) || (Array.isArray(value) && value.some(isRow));
