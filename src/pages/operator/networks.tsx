/** Networks: how each is now, its switches, and how it was. */
import { type Row, rowsIn } from '../../operator/reading/fields.ts';
import { Card, Go } from '../parts/parts.tsx';
import { Plot } from '../parts/plot.tsx';
import { RecordFacts, Rows } from './answer.tsx';
import { answerTo, askerOf, type ConsoleContext } from './asking.ts';
import { addressOf } from './commands.ts';
import { dayPoints } from './days.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { type Action, Actions, actionOf } from './may.tsx';
import { Failed } from './reading.tsx';

const COLUMNS = [
	'name',
	'answers',
	'mode',
	{ title: 'last poll', fields: ['lastScannedAt'] },
	'height',
	'reserveUsd',
	'freeAddresses',
	'send',
	'receive',
	'lastError',
];
const DAYS = 30;

export async function networksPage(c: ConsoleContext): Promise<Response> {
	const answer = await answerTo(c, 'network/list', {});
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Networks" path="/operator/networks">
			<div class="row ends">
				<h1>Networks</h1>
				<Go to={addressOf('network/check', { name: '' })} text="Check the nodes" />
			</div>
			{answer.ok ? (
				<Rows label="Networks" rows={rowsIn(answer.data)} columns={COLUMNS} empty="No network." page="networks" />
			) : (
				<Failed error={answer.error} />
			)}
		</ConsoleFrame>,
	);
}

export async function networkPage(c: ConsoleContext): Promise<Response> {
	const name = c.req.param('name') ?? '';
	const ask = askerOf(c);
	const [networks, history] = await Promise.all([
		ask('network/list', {}),
		ask('network/history', { name, by: 'day', since: `${DAYS}d` }),
	]);
	const network = rowsIn(networks).find((row) => row['name'] === name);
	const [title, status] = network ? [name, 200] : ['No such network', 404];
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title={title} path="/operator/networks">
			{network ? (
				<OneNetwork network={network} days={rowsIn(history)} />
			) : (
				<>
					<h1>No such network</h1>
					<Failed error="There is no network of this name." />
				</>
			)}
		</ConsoleFrame>,
		{ status },
	);
}

function OneNetwork({ network, days }: { readonly network: Row; readonly days: readonly Row[] }) {
	const name = String(network['name']);
	return (
		<>
			<h1>{name}</h1>
			<Actions
				actions={[
					switchOf(name, 'send', 'payouts', network),
					switchOf(name, 'receive', 'new deposits', network),
					actionOf('network/check', { name }, 'Check its nodes'),
				]}
			/>
			<Card title="Now">
				<RecordFacts record={network} />
			</Card>
			<Card title="The last 30 days">
				<div class="grid halves">
					<Plot title="Longest time since a poll" unit="seconds" points={pointsOf(days, 'lagSeconds', 's')} />
					<Plot title="Lowest reserve" unit="US dollars" points={pointsOf(days, 'reserveUsd', 'USD')} />
				</div>
			</Card>
		</>
	);
}

const switchOf = (name: string, field: string, what: string, { [field]: now }: Row): Action =>
	actionOf(
		'network/update',
		{ name, [field]: now === true ? 'off' : 'on' },
		`${now === true ? 'Stop' : 'Start'} ${what}`,
	);

function pointsOf(days: readonly Row[], field: string, unit: string) {
	const known = days.flatMap((row): [string, string][] =>
		row[field] === null ? [] : [[String(row['at']).slice(0, 10), String(row[field])]],
	);
	return dayPoints(new Map(known), { count: DAYS, now: Date.now() }, { unit, nothing: 'not noted' });
}
