/**
 * Any command at `/operator/command/<topic>/<verb>`. One that reads is asked by its address; one that changes something
 * has a form. Only a form of this session that says that it is sure runs it, and each form runs it once.
 */
import { type Row, rowsIn } from '../../operator/reading/fields.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answerTo, askerOf, type ConsoleContext } from './asking.ts';
import { ChangePage, DonePage } from './change.tsx';
import { addressOf, type Command, commandAt, type Input, inputOf, queryOf } from './commands.ts';
import { fileAskedFor } from './files.tsx';
import { type Form, isOwnForm, readForm, takeForm, textOf } from './forms.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { confirmationOf, confirmingIn, confirmPage } from './passkeys.tsx';
import { previewOf } from './preview.ts';
import { readPage } from './reading.tsx';
import { actionText } from './todo.ts';

const FORM_ID = /^[0-9a-f-]{36}$/;
/** The clocks of two Workers may be this far apart. */
const APART_MILLISECONDS = 5_000;

const commandIn = (c: ConsoleContext): Command | undefined =>
	commandAt([c.req.param('topic'), c.req.param('verb')].filter(Boolean).join('/'));

/** Null for an address that is no command. */
export async function showCommand(c: ConsoleContext): Promise<Response | null> {
	const command = commandIn(c);
	if (!command) return null;
	const given = new URL(c.req.url).searchParams;
	if (!command.declaration.reads) return changePage(c, command, given);
	const file = await fileAskedFor(c, command, given);
	if (file) return file;
	const { path, words } = command;
	return readPage(c, {
		path,
		title: words.charAt(0).toUpperCase() + words.slice(1),
		at: addressOf(path),
		nav: '/operator/command',
		wide: true,
	});
}

/** A form with a wrong field keeps its other values: the person corrects it. */
async function changePage(
	c: ConsoleContext,
	command: Command,
	given: URLSearchParams,
	{ error, status = 200 }: { readonly error?: string; readonly status?: number } = {},
) {
	const read = inputOf(command, given);
	const wrong = 'wrong' in read ? String(read['wrong']) : undefined;
	const input: Input = wrong === undefined ? read : {};
	const preview = await previewOf(command, input, askerOf(c));
	const { operator } = c.var;
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title={actionText(command)} path="/operator/command" width="text">
			<ChangePage
				command={command}
				given={given}
				input={input}
				preview={preview}
				operator={operator}
				error={error ?? wrong}
			/>
		</ConsoleFrame>,
		{ status },
	);
}

/** Null for an address that is no command that changes something. */
export async function runCommand(c: ConsoleContext): Promise<Response | null> {
	const command = commandIn(c);
	if (!command || command.declaration.reads) return null;
	const form = await readForm(c);
	if (!form || !isOwnForm(c, form))
		return changePage(c, command, new URLSearchParams(), {
			error: 'The form is not of this session. Fill it in here.',
			status: 403,
		});
	if (textOf(form, '_sure') !== 'yes') return changePage(c, command, form);
	return run(c, command, form);
}

async function run(c: ConsoleContext, command: Command, form: Form): Promise<Response> {
	const input = inputOf(command, form);
	if ('wrong' in input) return changePage(c, command, form, { error: String(input['wrong']), status: 400 });
	const id = textOf(form, '_form');
	const startedAt = Date.now();
	if (!FORM_ID.test(id) || !(await takeForm(databaseOf(c.env), id, startedAt)))
		return changePage(c, command, form, {
			error: 'This form was sent before, and did its work then. The audit log has it.',
			status: 409,
		});
	const given = confirmingIn(form);
	const confirmation = given && confirmationOf(given);
	if (given && !confirmation) return asksFor(c, command, form, given);
	const answer = await answerTo(c, command.path, { ...input, ...(confirmation && { _confirmation: confirmation }) });
	if (!answer.ok && answer.asks) return asksFor(c, command, form, { asks: answer.asks, answers: [] });
	if (!answer.ok) return changePage(c, command, form, { error: answer.error, status: 409 });
	const audit = await auditLines(c, command, startedAt);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Done" path="/operator/command">
			<DonePage command={command} data={answer.data} audit={audit} />
		</ConsoleFrame>,
	);
}

const asksFor = (
	c: ConsoleContext,
	command: Command,
	form: Form,
	given: NonNullable<ReturnType<typeof confirmingIn>>,
) => confirmPage(c, { operator: c.var.operator, command, query: fieldsIn(command, form), given });

/** The command's own fields. */
const fieldsIn = ({ declaration: { arguments: positional, options } }: Command, form: Form) =>
	Object.fromEntries(Object.entries(queryOf(form)).filter(([name]) => name in positional || name in options));

/** The audit lines that this person just wrote by this command. */
async function auditLines(c: ConsoleContext, { words }: Command, startedAt: number): Promise<Row[]> {
	const since = new Date(startedAt - APART_MILLISECONDS).toISOString();
	const rows = await askerOf(c)('audit/list', { since, limit: 20 });
	return rowsIn(rows)
		.filter((row) => row['by'] === c.var.operator.by && row['command'] === words)
		.slice(0, 1);
}
