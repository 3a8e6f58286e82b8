/** Networks: how each is now, its switches, and how it was. */
import type { Context } from 'hono';
import { isRow, type Row } from '../../operator/reading/fields.ts';
import { Card } from '../parts/parts.tsx';
import { Plot } from '../parts/plot.tsx';
import { RecordFacts, Rows } from './answer.tsx';
import { answerTo, askerOf } from './asking.ts';
import { addressOf } from './commands.ts';
import { dayPoints } from './days.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import type { ConsoleEnv } from './operator.ts';
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

export async function networksPage(c: Context<ConsoleEnv>): Promise<Response> {
	const answer = await answerTo(c, 'network/list', {});
	const rows = answer.ok && Array.isArray(answer.data) ? answer.data.filter(isRow) : [];
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Networks" path="/operator/networks">
			<div class="row ends">
				<h1>Networks</h1>
				<a class="button plain" href={addressOf('network/check', { name: '' })}>
					Check the nodes
				</a>
			</div>
			{answer.ok ? (
				<Rows label="Networks" rows={rows} columns={COLUMNS} empty="No network." page="networks" />
			) : (
				<Failed error={answer.error} />
			)}
		</ConsoleFrame>,
	);
}

export async function networkPage(c: Context<ConsoleEnv>): Promise<Response> {
	const name = c.req.param('name') ?? '';
	const ask = askerOf(c);
	const [networks, history] = await Promise.all([
		ask('network/list', {}),
		ask('network/history', { name, by: 'day', since: `${DAYS}d` }),
	]);
	const network = Array.isArray(networks) ? networks.filter(isRow).find((row) => row['name'] === name) : undefined;
	const days = Array.isArray(history) ? history.filter(isRow) : [];
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title={network ? name : 'No such network'} path="/operator/networks">
			{network ? <OneNetwork network={network} days={days} /> : <Failed error="There is no network of this name." />}
		</ConsoleFrame>,
		{ status: network ? 200 : 404 },
	);
}

function OneNetwork({ network, days }: { readonly network: Row; readonly days: readonly Row[] }) {
	const name = String(network['name']);
	return (
		<>
			<h1>{name}</h1>
			<p class="row">
				<Switch name={name} field="send" what="payouts" isOn={network['send'] === true} />
				<Switch name={name} field="receive" what="new deposits" isOn={network['receive'] === true} />
				<a class="button plain" href={addressOf('network/check', { name })}>
					Check its nodes
				</a>
			</p>
			<Card title="Now">
				<RecordFacts record={network} />
			</Card>
			<Card title="The last 30 days">
				<Plot title="Longest time since a poll" unit="seconds" points={pointsOf(days, 'lagSeconds', 's')} />
				<Plot title="Lowest reserve" unit="US dollars" points={pointsOf(days, 'reserveUsd', 'USD')} />
			</Card>
		</>
	);
}

interface SwitchProps {
	readonly name: string;
	readonly field: string;
	readonly what: string;
	readonly isOn: boolean;
}

const Switch = ({ name, field, what, isOn }: SwitchProps) => (
	<a class="button plain" href={addressOf('network/update', { name, [field]: isOn ? 'off' : 'on' })}>
		{`${isOn ? 'Stop' : 'Start'} ${what}`}
	</a>
);

function pointsOf(days: readonly Row[], field: string, unit: string) {
	const known = days.flatMap((row): [string, string][] =>
		row[field] === null ? [] : [[String(row['at']).slice(0, 10), String(row[field])]],
	);
	return dayPoints(new Map(known), { count: DAYS, now: Date.now() }, { unit, nothing: 'not noted' });
}
