/** The first screen: what needs a person. Each row says why, since when and how much, and its button is beside it. */
import type { Context } from 'hono';
import * as z from 'zod/mini';
import { rowsIn, shortIds } from '../../operator/reading/fields.ts';
import { TOPICS } from '../../operator/topics/table.ts';
import { Card, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { RowsSection } from './answer.tsx';
import { answerTo } from './asking.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { addUsd } from './numbers.ts';
import type { ConsoleEnv } from './operator.ts';
import { Failed } from './reading.tsx';
import { actionsIn } from './todo.ts';
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

export async function attentionPage(c: Context<ConsoleEnv>): Promise<Response> {
	const [answer, morning] = await Promise.all([answerTo(c, 'attention', {}), answerTo(c, 'morning', {})]);
	const rows = answer.ok ? rowsSchema.safeParse(answer.data).data : undefined;
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Attention" path="/operator">
			{rows ? (
				<AllThatWaits rows={rows} />
			) : (
				<Failed error={answer.ok ? 'The answer has another form.' : answer.error} />
			)}
			{morning.ok && (
				<RowsSection
					title="How the service is"
					rows={rowsIn(morning.data)}
					columns={TOPICS.morning.commands[''].columns}
					empty=""
				/>
			)}
		</ConsoleFrame>,
	);
}

function AllThatWaits({ rows }: { readonly rows: readonly Waiting[] }) {
	if (rows.length === 0)
		return (
			<>
				<h1>Nothing waits for you</h1>
				<p class="soft">All orders, payments, prices, networks and wallets go on by themselves.</p>
			</>
		);
	const worth = rows.flatMap(({ usd }) => usd ?? []);
	return (
		<>
			<h1>{rows.length === 1 ? 'One thing waits' : `${rows.length} things wait`}</h1>
			{worth.length > 0 && <p>{`${grouped(addUsd(worth))} USD are at stake in what has a price.`}</p>}
			{rows.map((row) => (
				<OneThatWaits row={row} />
			))}
		</>
	);
}

/** Ids are their beginning: the buttons have the whole. */
function sentenceOf(words: string): string {
	const text = visible(shortIds(words.replaceAll('`', '')));
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function OneThatWaits({ row: { area, subject, cause, since, amount, usd, todo, of } }: { readonly row: Waiting }) {
	return (
		<Card>
			<h2>{sentenceOf(cause)}</h2>
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
				{amount && <b>{usd === null ? amount : `${amount} (${usd} USD)`}</b>}
			</p>
			<p>{`${sentenceOf(todo)}.`}</p>
			<p class="row">
				{actionsIn(todo).map(({ text: words, address, changes }, i) => (
					<a class={i === 0 && changes ? 'button' : 'button plain'} href={address}>
						{words}
					</a>
				))}
			</p>
		</Card>
	);
}
