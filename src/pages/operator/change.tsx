/** A command that changes something: its form, what it will do, and what it did. It is asked for once. */
import { isEmpty } from '../../operator/reading/fields.ts';
import { labelOf, labelOfInput } from '../../operator/topics/labels.ts';
import type { Operator } from '../../ports/desk.ts';
import { withAssetNames } from '../asset-names.ts';
import { Card, Go, Note, Send } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { Answer } from './answer.tsx';
import { addressOf, type Command, type Input, isComplete, type Query, queryOf } from './commands.ts';
import { CommandFields } from './fields.tsx';
import { IfMay, Withheld } from './may.tsx';
import type { Preview } from './preview.ts';
import { actionText, inWords } from './todo.ts';
import { Value, visible } from './values.tsx';

interface Props {
	readonly operator: Operator;
	readonly command: Command;
	readonly given: URLSearchParams;
	readonly input: Input;
	readonly preview: Preview;
	readonly error?: string | undefined;
}

/** Fields that only say why: what the command does is known without them. */
const WHY: ReadonlySet<string> = new Set(['reason', 'txId']);

/** The fields that stay open beside the preview; null where the preview needs all of them first. */
function openFields({ declaration: { arguments: positional, options } }: Command, input: Input): string[] | null {
	const names = Object.keys(options);
	const isNamed = Object.entries(positional).every(([field, { optional }]) => optional || field in input);
	const isOnlyWhy = names.every((field) => WHY.has(field));
	return Object.keys(positional).length > 0 && isNamed && isOnlyWhy ? names : null;
}

export function ChangePage(props: Props) {
	const { command, input, error } = props;
	const open = isComplete(command, input) && !error ? [] : openFields(command, input);
	const { summary, details } = command.declaration;
	return (
		<div class="stack">
			<h1>{actionText(command)}</h1>
			<p>{inWords(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)}</p>
			{error && (
				<Note tone="bad" alert>
					<b>Nothing was changed</b>
					<span>{visible(error)}</span>
				</Note>
			)}
			<IfMay path={command.path} else={<Withheld what="this command" />}>
				{open === null ? <AskFields {...props} /> : <AskOnce {...props} open={open} />}
			</IfMay>
			{details && <p class="soft small">{inWords(details)}</p>}
		</div>
	);
}

const Keys = ({ formKey }: Operator) => <input type="hidden" name="_key" value={formKey} />;

/** So many fields stand below each other. */
const MANY = 4;

/** Nothing is changed by it: what comes next says what it would do. */
const AskFields = ({ operator, command, given, preview }: Props) => (
	<form method="post" action={addressOf(command.path)} class={MANY < fieldsOf(command).length ? 'fields' : undefined}>
		<Keys {...operator} />
		<Named command={command} given={given} record={preview.record} />
		<CommandFields command={command} given={given} without={namedIn(command, given)} now={nowOf(preview)} />
		<Send text="See what it does" />
	</form>
);

/** Arguments that are given: what the change is about. */
const namedIn = ({ declaration }: Command, given: URLSearchParams): string[] =>
	Object.keys(declaration.arguments).filter((field) => given.get(field));

function Named({ command, given, record }: Pick<Props, 'command' | 'given'> & Pick<Preview, 'record'>) {
	const fields = namedIn(command, given);
	if (fields.length === 0) return null;
	const subject = String(record?.['name'] ?? fields.map((field) => given.get(field)).join(' → '));
	return (
		<>
			<h2>
				<bdi>{visible(subject)}</bdi>
			</h2>
			{fields.map((field) => (
				<input type="hidden" name={field} value={given.get(field) ?? ''} />
			))}
		</>
	);
}

const nowOf = ({ record }: Preview): Record<string, string> =>
	Object.fromEntries(
		Object.entries(record ?? {})
			.filter(([, value]) => typeof value !== 'object' || value === null || Array.isArray(value))
			.map(([field, value]) => [
				field,
				isEmpty(value) ? 'none' : typeof value === 'boolean' ? (value ? 'on' : 'off') : visible(String(value)),
			]),
	);

function AskOnce({ operator, command, given, preview, open }: Props & { readonly open: readonly string[] }) {
	const query = queryOf(given);
	return (
		<>
			<WhatItDoes
				command={command}
				preview={preview}
				query={Object.fromEntries(Object.entries(query).filter(([name]) => !open.includes(name)))}
			/>
			<form method="post" action={addressOf(command.path)}>
				<Keys {...operator} />
				<input type="hidden" name="_form" value={crypto.randomUUID()} />
				<input type="hidden" name="_sure" value="yes" />
				{Object.entries(query)
					.filter(([name]) => !open.includes(name))
					.map(([name, value]) => (
						<input type="hidden" name={name} value={value} />
					))}
				<CommandFields
					command={command}
					given={given}
					without={fieldsOf(command).filter((name) => !open.includes(name))}
				/>
				<p class="row">
					<Send class={command.declaration.irreversible && 'danger'} text={actionText(command)} />
					<Go to="/operator" text="Cancel" />
				</p>
			</form>
		</>
	);
}

const fieldsOf = ({ declaration: { arguments: positional, options } }: Command): string[] => [
	...Object.keys(positional),
	...Object.keys(options),
];

function WhatItDoes({ command, preview, query }: Pick<Props, 'command' | 'preview'> & { readonly query: Query }) {
	const subject = Object.keys(command.declaration.arguments)
		.map((field) => query[field])
		.filter(Boolean)
		.join(' → ');
	return (
		<Card title={subject ? visible(subject) : 'What it will do'}>
			{preview.sentences.map((sentence) => (
				<p>{visible(withAssetNames(sentence))}</p>
			))}
			{preview.changes.length > 0 && (
				<Table
					label="What changes"
					rows={preview.changes}
					empty=""
					columns={[
						{ head: 'What', cell: ({ field }) => labelOfInput(field) },
						{ head: 'Now', cell: ({ field, now }) => <Value field={field} value={now} short /> },
						{ head: 'After', cell: ({ field, after }) => <Value field={field} value={after} short /> },
					]}
				/>
			)}
			{preview.changes.length === 0 &&
				Object.entries(query)
					.filter(([field]) => !(field in command.declaration.arguments))
					.map(([field, value]) => <p>{`${labelOfInput(field)}: ${visible(value)}`}</p>)}
			{preview.changes.map(({ field }) => (
				<p class="small soft">
					{inWords(`${labelOfInput(field)}: ${command.declaration.options[field]?.help ?? ''}.`)}
				</p>
			))}
		</Card>
	);
}

interface DoneProps {
	readonly command: Command;
	readonly data: unknown;
	/** Lines of the audit log that the command wrote. */
	readonly audit: readonly Readonly<Record<string, unknown>>[];
}

export const DonePage = ({ command, data, audit }: DoneProps) => (
	<div class="stack">
		<h1>{`Done: ${actionText(command).replace(/^./, (first) => first.toLowerCase())}`}</h1>
		{command.declaration.afterwards && <Note tone="warn">{inWords(command.declaration.afterwards)}</Note>}
		<Table
			label="In the audit log"
			rows={audit}
			empty="It wrote no line of the audit log: nothing was different."
			columns={['at', 'by', 'command', 'subject', 'changes'].map((field) => ({
				head: labelOf(field),
				...(field === 'changes' && { is: 'wrap' as const }),
				cell: (row: Readonly<Record<string, unknown>>) => <Value field={field} value={row[field]} short />,
			}))}
		/>
		<Answer command={command} data={data} />
		<p class="row">
			<Go to="/operator" text="Attention" />
			<Go to="/operator/audit" text="Audit" />
		</p>
	</div>
);
