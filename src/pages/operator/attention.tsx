/** The first screen: what needs a person. Each row says why, since when and how much, and its button is beside it. */
import * as z from 'zod/mini';
import { rowsIn, shortIds } from '../../operator/reading/fields.ts';
import { TOPICS } from '../../operator/topics/table.ts';
import { withAssetNames } from '../asset-names.ts';
import { Card, Time, type Tone } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { RowsSection } from './answer.tsx';
import { answerTo, type ConsoleContext } from './asking.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { Actions } from './may.tsx';
import { addUsd } from './numbers.ts';
import { Failed } from './reading.tsx';
import { actionsIn, inWords } from './todo.ts';
import { Value, visible } from './values.tsx';

const text = z.nullable(z.string());
const rowsSchema = z.array(
	z.object({
		area: z.string(),
		subject: z.string(),
		cause: z.string(),
		todo: z.string(),
		since: text,
		amount: text,
		usd: text,
		/** Those that one row stands for have no page in common. */
		of: z.optional(z.array(z.string())),
	}),
);
type Waiting = z.infer<typeof rowsSchema>[number];

/** Areas whose subjects have a page; the field that leads there. */
const FIELDS: Readonly<Record<string, string>> = {
	order: 'orderId',
	transaction: 'transaction',
	network: 'network',
	partner: 'partner',
};

export async function attentionPage(c: ConsoleContext): Promise<Response> {
	const [answer, morning] = await Promise.all([answerTo(c, 'attention', {}), answerTo(c, 'morning', {})]);
	const rows = answer.ok ? rowsSchema.safeParse(answer.data).data : undefined;
	const title = rows && rows.length > 0 ? `(${rows.length}) Attention` : 'Attention';
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title={title} path="/operator" scripts={['attention.js']}>
			{rows ? (
				<AllThatWaits rows={rows} />
			) : (
				<Failed error={answer.ok ? 'The answer has another form.' : answer.error} />
			)}
			{morning.ok && (
				<div data-look>
					<RowsSection
						title="How the service is"
						rows={rowsIn(morning.data)}
						columns={TOPICS.morning.commands[''].columns}
						empty=""
					/>
				</div>
			)}
		</ConsoleFrame>,
	);
}

/** The version of the list: the script replaces what it shows where this differs. */
const versionOf = (rows: readonly Waiting[]): string =>
	rows.map(({ area, subject, cause, since, amount }) => [area, subject, cause, since, amount].join(' ')).join('\n');

function AllThatWaits({ rows }: { readonly rows: readonly Waiting[] }) {
	const worth = rows.flatMap(({ usd }) => usd ?? []);
	return (
		<div class="stack" data-waiting={versionOf(rows)}>
			{rows.length === 0 ? (
				<>
					<h1>Nothing waits for you</h1>
					<p class="soft">All orders, payments, prices, networks and wallets go on by themselves.</p>
				</>
			) : (
				<h1>{rows.length === 1 ? 'One thing waits' : `${rows.length} things wait`}</h1>
			)}
			{worth.length > 0 && <p>{`${grouped(addUsd(worth))} USD are at stake in what has a price.`}</p>}
			{bandsOf(rows).map(({ title, tone, groups }) => (
				<section class={`stack ${tone}`} aria-label={title}>
					<h2>{title}</h2>
					{groups.map((group) => (
						<Group rows={group} />
					))}
				</section>
			))}
		</div>
	);
}

/** The most urgent first. What is in no other is about the service. */
const BANDS: readonly (readonly [title: string, tone: Tone, areas: readonly string[]])[] = [
	['Danger', 'bad', ['incident', 'attention', 'configuration']],
	['Money of payers', 'warn', ['order', 'transaction', 'cap']],
	['The service', 'plain', []],
];

interface Band {
	readonly title: string;
	readonly tone: Tone;
	/** Rows of one cause, by what they are worth together. */
	readonly groups: readonly (readonly Waiting[])[];
}

function bandsOf(rows: readonly Waiting[]): Band[] {
	const titleOf = ({ area }: Waiting) => BANDS.find(([, , areas]) => areas.includes(area))?.[0] ?? 'The service';
	const byTitle = Map.groupBy(rows, titleOf);
	return BANDS.flatMap(([title, tone]) => {
		const inBand = byTitle.get(title);
		if (!inBand) return [];
		const byCause = Map.groupBy(inBand, ({ area, cause }) => `${area} ${sameWords(cause)}`);
		const groups = [...byCause.values()].map((group) => group.toSorted((a, b) => moreFirst(centsOf(a), centsOf(b))));
		return [{ title, tone, groups: groups.toSorted((a, b) => moreFirst(totalOf(a), totalOf(b))) }];
	});
}

const withoutIds = (text: string): string => text.replaceAll(/[0-9a-f-]{20,}/gi, '#');
/** Without the ids, times and amounts that differ between rows of one cause. */
const sameWords = (cause: string): string => cause.replaceAll(/[0-9a-f-]{20,}|\d[\d.:TZ-]*/gi, '#');

/** Coins without a price come last. */
const centsOf = ({ usd }: Waiting): bigint => BigInt((usd ?? '0.00').replace('.', ''));
const totalOf = (group: readonly Waiting[]): bigint => group.reduce((sum, row) => sum + centsOf(row), 0n);
const moreFirst = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1);

/** Ids are their beginning, and a command is its button: that has the whole. */
export function sentenceOf(words: string): string {
	const text = visible(
		shortIds(
			withAssetNames(
				inWords(
					words
						.replaceAll(/, by `[^`]+`/g, '')
						.replaceAll(/the decisionHours of `[^`]+`/g, 'the decision hours of the settings'),
				),
			).replaceAll(MOMENT, '$1 $2 UTC'),
		),
	);
	const plain = text.replaceAll(
		STATE,
		(_, state: string, span = '', reasons = '') => `${REASONS[reasons] ?? STATES[state]}${span}: `,
	);
	return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const MOMENT = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z/g;

/** `EMERGENCY for 3 min (LIMIT): `, and the like. */
const STATE = /\b(NEW|PENDING|EXCHANGE|DONE|EXPIRED|EMERGENCY)((?: for| in) [^:(]*[^:( ])?(?: \(([A-Z, ]+)\))?: /g;
const STATES: Readonly<Record<string, string>> = {
	NEW: 'new',
	PENDING: 'payment seen',
	EXCHANGE: 'payout under way',
	DONE: 'done',
	EXPIRED: 'expired',
	EMERGENCY: 'needs a decision',
};
const REASONS: Readonly<Record<string, string>> = {
	LIMIT: 'paid with another amount',
	EXPIRED: 'paid late',
	'LIMIT, EXPIRED': 'paid late, and with another amount',
	'EXPIRED, LIMIT': 'paid late, and with another amount',
};

/** The rows of one cause under one heading. */
function Group({ rows }: { readonly rows: readonly Waiting[] }) {
	const [first] = rows as readonly [Waiting];
	const worth = rows.flatMap(({ usd }) => usd ?? []);
	const [one, isOne] = [rows.length === 1, rows.every(({ cause }) => cause === first.cause)];
	const isOneTodo = rows.every(({ todo }) => withoutIds(todo) === withoutIds(first.todo));
	return (
		<Card>
			<h3>{isOne ? sentenceOf(first.cause) : sentenceOf(sameWords(first.cause).replaceAll('#', '…'))}</h3>
			{!one && (
				<p>
					<b>{`${rows.length} of them${worth.length === 0 ? '' : `, ${grouped(addUsd(worth))} USD`}`}</b>
				</p>
			)}
			{isOneTodo && <Todo text={first.todo} />}
			{rows.map((row) => (
				<OneThatWaits row={row} says={isOne ? null : sentenceOf(row.cause)} isTodoSaid={isOneTodo} />
			))}
		</Card>
	);
}

interface OneProps {
	readonly row: Waiting;
	/** Null where the heading says it. */
	readonly says: string | null;
	readonly isTodoSaid: boolean;
}

/** The advice in words; where it is one command, its button says it all. */
const Todo = ({ text: todo }: { readonly text: string }) =>
	ONE_COMMAND.test(todo) ? null : <p>{`${sentenceOf(todo)}.`}</p>;

function OneThatWaits({ row: { area, subject, since, amount, usd, todo, of }, says, isTodoSaid }: OneProps) {
	return (
		<div class="waiting">
			<p class="row soft">
				<span>
					{`${area} `}
					<Value field={(of ? undefined : FIELDS[area]) ?? 'name'} value={subject} short />
				</span>
				{since && (
					<span>
						{'since '}
						<Time at={Date.parse(since)} />
					</span>
				)}
				{amount && <b>{withAssetNames(usd === null ? amount : `${amount} (${usd} USD)`)}</b>}
			</p>
			{says && <p>{`${says}.`}</p>}
			{!isTodoSaid && <Todo text={todo} />}
			<ActionsIn text={todo} />
		</div>
	);
}

const ONE_COMMAND = /^`[^`]+`$/;

/** The commands that a text names, as buttons. The first leads on, where it changes something. */
export const ActionsIn = ({ text }: { readonly text: string }) => (
	<Actions
		actions={actionsIn(text).map((action, i) => ({ ...action, main: i === 0 && !action.command.declaration.reads }))}
	/>
);
