/** Pages of commands that only read: filters, the answer, and where the next page of it is. */
import type { Child } from 'hono/jsx';
import { isRow, type Row } from '../../operator/reading/fields.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { CommandAnswer } from '../../ports/desk.ts';
import { Go, Note, Send } from '../parts/parts.tsx';
import { Answer } from './answer.tsx';
import { answerTo, type ConsoleContext } from './asking.ts';
import { type Command, commandOf, inputOf, isComplete, queryOf } from './commands.ts';
import { CommandFields } from './fields.tsx';
import { FileLinks } from './files.tsx';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { visible } from './values.tsx';

export interface Read {
	readonly path: CommandPath;
	readonly title: string;
	/** The page's own address; its link in the navigation is marked. */
	readonly at: string;
	readonly nav?: string;
	/** Fields without a filter. */
	readonly without?: readonly string[];
	readonly wide?: boolean;
	/** Between the title and the filters. */
	readonly above?: Child;
}

export async function readPage(c: ConsoleContext, read: Read): Promise<Response> {
	const { path, title, at, nav = at, without = [], wide = false, above } = read;
	const command = commandOf(path);
	const given = new URL(c.req.url).searchParams;
	const shown = await shownAnswer(c, command, given, wide);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title={title} path={nav}>
			<h1>{title}</h1>
			{above}
			<Filters command={command} given={given} at={at} without={without} />
			{shown}
		</ConsoleFrame>,
	);
}

async function shownAnswer(c: ConsoleContext, command: Command, given: URLSearchParams, wide: boolean): Promise<Child> {
	const input = inputOf(command, given);
	if ('wrong' in input) return <Failed error={String(input['wrong'])} />;
	if (!isComplete(command, input)) return null;
	const answer = await answerTo(c, command.path, input);
	if (!answer.ok) return <Failed error={answer.error} />;
	const { data } = answer;
	// A page of an export: its rows, and where it goes on.
	const page = isRow(data) && Array.isArray(data['rows']) ? data['rows'] : data;
	return (
		<>
			<FileLinks command={command} given={given} />
			<Answer command={command} data={page} wide={wide} />
			<Further command={command} data={data} given={given} />
		</>
	);
}

/** A page of a record, or of why there is none. */
export const recordOr = (answer: CommandAnswer, shown: (record: Row) => Child): Child =>
	answer.ok && isRow(answer.data) ? (
		shown(answer.data)
	) : (
		<Failed error={answer.ok ? 'The answer has another form.' : answer.error} />
	);

export const Failed = ({ error }: { readonly error: string }) => (
	<Note tone="bad" alert>
		<b>This cannot be shown now</b>
		<span>{visible(error)}</span>
	</Note>
);

interface FilterProps {
	readonly command: Command;
	readonly given: URLSearchParams;
	readonly at: string;
	readonly without: readonly string[];
}

export function Filters({ command, given, at, without }: FilterProps) {
	const { arguments: positional, options } = command.declaration;
	const hidden = [...without, 'cursor', 'after'];
	const fields = [...Object.keys(positional), ...Object.keys(options)].filter((field) => !hidden.includes(field));
	if (fields.length === 0) return null;
	return (
		<form method="get" action={at} class="filters">
			<CommandFields command={command} given={given} without={hidden} hints={false} />
			<Send class="plain" text="Show" />
		</form>
	);
}

const USUAL_LIMIT = 50;

/** The next page: by cursor, or below the last order. */
function Further({ command, given, data }: Pick<FilterProps, 'command' | 'given'> & { readonly data: unknown }) {
	const next = (field: string, value: string) => `?${new URLSearchParams({ ...queryOf(given), [field]: value })}`;
	const cursor = isRow(data) && 'rows' in data ? data['cursor'] : null;
	const last = Array.isArray(data) && 'after' in command.declaration.options ? data.filter(isRow).at(-1) : undefined;
	const isFull = Array.isArray(data) && data.length >= Number(given.get('limit') || USUAL_LIMIT);
	const address =
		typeof cursor === 'string' ? next('cursor', cursor) : last && isFull ? next('after', String(last['id'])) : null;
	return address === null ? null : (
		<p class="pager">
			<Go to={address} text="Next page" />
		</p>
	);
}
