/** Orders: found, filtered, and everything on one of them. */
import type { Child } from 'hono/jsx';
import { isEmpty, isRow, type Row, rowsIn, shortIds } from '../../operator/reading/fields.ts';
import { orderSentence } from '../../operator/reading/order-sentence.ts';
import { labelOf } from '../../operator/topics/labels.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import type { PayerOrder } from '../../payer/order.ts';
import { type Story, storyOf } from '../order/story.ts';
import { Card, Facts, Field, Note, Send, State, TimeLine } from '../parts/parts.tsx';
import { sayEnglish } from '../say.ts';
import { RecordFacts, RowsSection } from './answer.tsx';
import { answerTo, type ConsoleContext } from './asking.ts';
import { ActionsIn, sentenceOf } from './attention.tsx';
import { addressOf } from './commands.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { Actions, actionOf } from './may.tsx';
import { readPage, recordOr } from './reading.tsx';
import { Copied, statusWord, Value, visible } from './values.tsx';

export const ordersPage = (c: ConsoleContext): Promise<Response> => {
	const text = c.req.query('text') ?? '';
	const page = { title: 'Orders', at: '/operator/orders', above: <FindOrders text={text} /> };
	return text === ''
		? readPage(c, { ...page, path: 'order/list' })
		: readPage(c, { ...page, path: 'order/find', without: ['text', 'limit'] });
};

const FindOrders = ({ text }: { readonly text: string }) => (
	<form method="get" action="/operator/orders" class="filters">
		<Field
			name="text"
			label="Find by the beginning of an id, an address or a transaction"
			value={text}
			autocomplete="off"
		/>
		<Send text="Find" />
	</form>
);

export async function orderPage(c: ConsoleContext): Promise<Response> {
	const id = c.req.param('id') ?? '';
	const [answer, shown] = await Promise.all([
		answerTo(c, 'order/show', { id }),
		// An order whose seal is broken, say: the operator reads everything else of it.
		c.env.desk.payerView(id).catch(() => null),
	]);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Order" path="/operator/orders">
			{!answer.ok && <h1>No such order</h1>}
			{recordOr(answer, (data) => (
				<OneOrder data={data} shown={shown} now={Date.now()} />
			))}
		</ConsoleFrame>,
		{ status: answer.ok ? 200 : 404 },
	);
}

interface OrderProps {
	readonly data: Row;
	/** The payer's own view of it; null where there is none. */
	readonly shown: PayerOrder | null;
	readonly now: number;
}

function OneOrder({ data, shown, now }: OrderProps) {
	const order = isRow(data['order']) ? data['order'] : {};
	const id = String(order['id']);
	const reasons = Array.isArray(data['attention']) ? data['attention'].map(String) : [];
	return (
		<>
			<div class="row">
				<h1>{`Order ${visible(shortIds(id))}`}</h1>
				<Value field="status" value={order['status']} />
			</div>
			<p>{sentenceOf(orderSentence(data, now) ?? '')}</p>
			{reasons.length > 0 && (
				<Note tone="warn">
					{reasons.map((reason) => (
						<>
							<p>{`${sentenceOf(reason)}.`}</p>
							<ActionsIn text={reason} />
						</>
					))}
				</Note>
			)}
			<Decisions id={id} status={String(order['status'])} />
			<div class="two">
				<div class="stack">
					<Card title="The order">
						<Facts facts={factsOf(order)} />
						<a href={addressOf('order/show', { id })}>Every field</a>
					</Card>
					<Lists data={data} />
				</div>
				<div class="stack">
					{shown && <ToldToPayer {...storyOf(shown, sayEnglish())} />}
					<Card title="What happened">
						<TimeLine moments={momentsOf(data)} />
					</Card>
				</div>
			</div>
			<Card title="Internal">
				<RecordFacts record={isRow(data['internal']) ? data['internal'] : {}} />
			</Card>
		</>
	);
}

const ToldToPayer = ({ tone, word, headline, next }: Story) => (
	<Card title="What the payer reads">
		<p class="row">
			<State tone={tone} word={word} />
		</p>
		<p>
			<b>{headline}</b>
		</p>
		<p>{next}</p>
	</Card>
);

/** The operator's decisions, where they make sense. */
function Decisions({ id, status }: { readonly id: string; readonly status: string }) {
	const possible: readonly (readonly [CommandPath, boolean])[] = [
		['order/refund', status === 'EMERGENCY' || status === 'EXPIRED' || status === 'DONE'],
		['order/finalise', status === 'EMERGENCY'],
		['order/screen', status === 'EMERGENCY' || status === 'PENDING'],
		['order/delete', true],
	];
	return <Actions actions={possible.filter(([, isPossible]) => isPossible).map(([path]) => actionOf(path, { id }))} />;
}

const inside = (record: Row, field: string): Row => (isRow(record[field]) ? record[field] : {});

/** The facts that people ask for first; `Every field` has the rest. */
function factsOf(order: Row): Record<string, Child> {
	const [time, from, to, back, emergency] = ['time', 'from', 'to', 'back', 'emergency'].map((field) =>
		inside(order, field),
	);
	const coins = (amount: unknown, side: Row | undefined) => (isEmpty(amount) ? null : `${amount} ${side?.['code']}`);
	const shown = (field: string, value: unknown) => (isEmpty(value) ? null : <Value field={field} value={value} />);
	return {
		Order: <Copied label="Order" text={visible(String(order['id']))} />,
		Type: shown('type', order['type']),
		Created: shown('reg', time?.['reg']),
		Expires: shown('expiration', time?.['expiration']),
		Finished: shown('finish', time?.['finish']),
		Asked: coins(from?.['amount'], from),
		'Pay-in address': shown('address', from?.['address']),
		Received: coins(from && inside(from, 'tx')['amount'], from),
		'Pays out': coins(to?.['amount'], to),
		'At least': coins(order['minToAmount'], to),
		Recipient: shown('address', to?.['address']),
		Paid: coins(to && inside(to, 'tx')['amount'], to),
		'Refund address': shown('address', back?.['address']),
		Refunded: coins(back && inside(back, 'tx')['amount'], from),
		Emergency: shown('emergency', emergency?.['status']),
		'Partner’s choice': shown('choice', emergency?.['choice']),
		Rate: shown('rate', order['rate']),
	};
}

const LISTS: Readonly<Record<string, readonly string[] | undefined>> = {
	deposits: ['asset', 'amount', 'state', 'txId', 'firstSeenAt', 'payoutId', 'dust', 'setAside', 'explorer'],
	payouts: ['id', 'kind', 'state', 'amount', 'asset', 'toAddress', 'txId', 'waitsBecause', 'held', 'explorer'],
	screening: ['subject', 'txId', 'address', 'verdict', 'decidedBy', 'note', 'at'],
	sweeps: ['id', 'kind', 'state', 'amount', 'asset', 'txId', 'waitsBecause'],
	ledger: undefined,
	webhooks: ['id', 'type', 'state', 'attempts', 'createdAt'],
	reports: ['txId', 'says', 'at'],
};

const Lists = ({ data }: { readonly data: Row }) => (
	<>
		{Object.entries(LISTS).map(([field, columns]) => {
			const rows = rowsIn(data[field]);
			if (rows.length === 0) return null;
			const title = field.charAt(0).toUpperCase() + field.slice(1);
			const page = field === 'payouts' || field === 'sweeps' ? 'transactions' : undefined;
			return <RowsSection title={title} rows={rows} columns={columns} empty="" page={page} />;
		})}
	</>
);

function momentsOf(data: Row) {
	const at = (value: unknown): number => Date.parse(String(value));
	const moments = [
		...rowsIn(data['history']).map((row) => ({
			text: statusWord(String(row['status'])),
			at: at(row['at']),
			detail: visible(typeof row['cause'] === 'string' ? row['cause'] : JSON.stringify(row['cause'] ?? '')),
		})),
		...rowsIn(data['deposits']).map((row) => ({
			text: 'Deposit seen',
			at: at(row['firstSeenAt']),
			detail: `${row['amount']} ${row['asset']}`,
		})),
		...rowsIn(data['payouts']).flatMap((row) =>
			row['sentAt']
				? [
						{
							text: `${labelOf(String(row['kind']))} sent`,
							at: at(row['sentAt']),
							detail: `${row['amount']} ${row['asset']}`,
						},
					]
				: [],
		),
	];
	return moments.toSorted((a, b) => a.at - b.at);
}
