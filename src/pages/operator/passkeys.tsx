/**
 * Passkeys at the console: a person confirms what a command asks, each on this page, and the signer judges it; and the entry of
 * a new passkey is made for the signer's configuration. No passkey of an operator is kept by this service.
 */
import type { Hono } from 'hono';
import { randomToken } from '../../crypto/tokens.ts';
import { readMove } from '../../operator/reading/moves.ts';
import { creationOptions, entryOf, readSigned, signingOptions } from '../../operator/reading/passkeys.ts';
import { jsonOrNull } from '../../platform/json.ts';
import type { Operator } from '../../ports/desk.ts';
import type { AskedPersons, Confirmation, PasskeyAnswer, PasskeyName } from '../../ports/persons.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card, Facts, Field, Note, Send } from '../parts/parts.tsx';
import type { ConsoleContext, ConsoleEnv } from './asking.ts';
import { addressOf, type Command, type Query } from './commands.ts';
import { type Form, isOwnForm, readForm, textOf } from './forms.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { actionText } from './todo.ts';
import { visible } from './values.tsx';

const PATH = '/operator/passkey';
const OPTIONS = `${PATH}/options`;
const PERSON = /^[a-z][a-z0-9-]{0,31}$/;

const siteOf = (c: ConsoleContext): string => new URL(c.req.url).origin;

interface Given {
	readonly asks: AskedPersons;
	readonly answers: readonly PasskeyAnswer[];
}

/** The answers that a form of `confirmPage` brings; null of any other form. The signer judges all of it. */
export function confirmingIn(form: Form): Given | null {
	const [asks, before, answer] = ['_asks', '_signed', 'answer'].map((name) => jsonOrNull(textOf(form, name)));
	const read = readSigned(answer);
	if (!asks || !Array.isArray(before)) return null;
	return { asks: asks as AskedPersons, answers: read ? [...before, read] : before };
}

export const confirmationOf = ({ asks, answers }: Given): Confirmation | null =>
	answers.length < asks.persons ? null : { asked: asks.asked, answers };

/** Those of this site, of persons who have not signed yet. */
function passkeysFor({ asks, answers }: Given, origin: string): PasskeyName[] {
	const signed = answers.map(({ id }) => asks.passkeys.find((each) => each.id === id)?.person);
	return asks.passkeys.filter((each) => each.origin === origin && !signed.includes(each.person));
}

interface ConfirmProps {
	readonly operator: Operator;
	readonly command: Command;
	readonly query: Query;
	readonly given: Given;
}

/** The command runs once enough persons have signed. */
export function confirmPage(c: ConsoleContext, { operator, command, query, given }: ConfirmProps) {
	const { asks, answers } = given;
	const isHere = passkeysFor(given, siteOf(c)).length > 0;
	const who = asks.persons === 1 ? '' : `: person ${answers.length + 1} of ${asks.persons}`;
	return consolePage(
		<ConsoleFrame operator={operator} title="Confirm" path="/operator/command" width="text" scripts={['passkey.js']}>
			<h1>{`Confirm with your passkey${who}`}</h1>
			<p>Nothing was changed yet. The signer does what you sign, and nothing else.</p>
			{asks.asked.moves.map((move) => (
				<MoveCard move={move} />
			))}
			{isHere ? (
				<form method="post" action={addressOf(command.path)} data-ceremony={`get:${OPTIONS}`}>
					<Hidden
						fields={{
							...query,
							_key: operator.formKey,
							_form: crypto.randomUUID(),
							_sure: 'yes',
							_asks: JSON.stringify(asks),
							_signed: JSON.stringify(answers),
							answer: '',
						}}
					/>
					<Said />
					<Send class="danger" text={`${actionText(command)} with your passkey`} />
				</form>
			) : (
				<Note tone="warn">
					The signer knows no further passkey of this site. Run the command on a machine whose passkey it knows.
				</Note>
			)}
		</ConsoleFrame>,
	);
}

function MoveCard({ move }: { readonly move: AskedPersons['asked']['moves'][number] }) {
	const { title, facts } = readMove(move);
	return (
		<Card title={title}>
			<Facts facts={Object.fromEntries(facts.map(([name, value]) => [name, <bdi>{visible(value)}</bdi>]))} />
		</Card>
	);
}

const Hidden = ({ fields }: { readonly fields: Query }) =>
	Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={value} />);

const Said = () => (
	<>
		<p data-said role="status" class="small" />
		<noscript>
			<p class="small">Passkeys need JavaScript. Switch it on for this site.</p>
		</noscript>
	</>
);

/** Tells the browser the challenge for a passkey, or how a new one is made. */
async function options(c: ConsoleContext): Promise<Response> {
	const form = await readForm(c);
	if (!form || !isOwnForm(c, form))
		return Response.json({ error: 'The form is not of this session.' }, { status: 403 });
	const given = confirmingIn(form);
	if (given) return Response.json(await signingOptions(given.asks, passkeysFor(given, siteOf(c))));
	const person = textOf(form, 'person');
	if (!PERSON.test(person))
		return Response.json(
			{ error: 'A name is letters a to z, digits and -, and begins with a letter.' },
			{ status: 400 },
		);
	return Response.json(creationOptions(person, siteOf(c), textOf(form, '_challenge')));
}

function newPage(c: ConsoleContext, entry?: string | null): Promise<Response> {
	const { operator } = c.var;
	return Promise.resolve(
		consolePage(
			<ConsoleFrame
				operator={operator}
				title="A new passkey"
				path="/operator/command"
				width="text"
				scripts={['passkey.js', 'copy.js']}
			>
				<h1>A new passkey for the signer</h1>
				<p>
					The signer asks persons for their passkeys before the reserve moves. Which ones, its own configuration says:
					add the entry that you get here to its OPERATOR_PASSKEYS.
				</p>
				{entry && (
					<Card title="The entry">
						<Copyable value={entry} label="Entry" />
					</Card>
				)}
				{entry === null && (
					<Note tone="bad" alert>
						The browser’s answer does not hold. Try again.
					</Note>
				)}
				<form method="post" action={PATH} data-ceremony={`create:${OPTIONS}`}>
					<Hidden fields={{ _key: operator.formKey, _challenge: randomToken(), answer: '' }} />
					<Field name="person" label="The person’s name, in small letters" />
					<Said />
					<Send text="Make the passkey" />
				</form>
			</ConsoleFrame>,
		),
	);
}

async function made(c: ConsoleContext): Promise<Response> {
	const form = await readForm(c);
	if (!form || !isOwnForm(c, form)) return newPage(c, null);
	const asking = { person: textOf(form, 'person'), origin: siteOf(c), challenge: textOf(form, '_challenge') };
	return newPage(c, PERSON.test(asking.person) ? await entryOf(asking, jsonOrNull(textOf(form, 'answer'))) : null);
}

export function passkeyPages(app: Hono<ConsoleEnv>): void {
	app.get(PATH, (c) => newPage(c));
	app.post(PATH, made);
	app.post(OPTIONS, options);
}
