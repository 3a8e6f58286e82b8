/** Caps and switches: of the site, of networks, of assets; those of pairs have a page of their own. */
import { isRow, type Row, rowsIn } from '../../operator/reading/fields.ts';
import { labelOf } from '../../operator/topics/labels.ts';
import type { CommandPath } from '../../operator/topics/table.ts';
import { assetName } from '../asset-names.ts';
import { Card, Go, Section, State } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { RecordFacts } from './answer.tsx';
import { askerOf, type ConsoleContext } from './asking.ts';
import { addressOf, commandOf, type Query } from './commands.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { Actions, actionOf, IfMay, useMay, Withheld } from './may.tsx';
import { Failed } from './reading.tsx';
import { Value } from './values.tsx';

/** For who may change no setting. */
const IfReadOnly = () => (useMay()(commandOf('site/update')) ? null : <Withheld what="changes of settings" />);

export async function settingsPage(c: ConsoleContext): Promise<Response> {
	const ask = askerOf(c);
	const [site, networks, assets] = await Promise.all([
		ask('site/show', {}),
		ask('network/list', {}),
		ask('asset/list', {}),
	]);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Settings" path="/operator/settings">
			<h1>Settings</h1>
			<IfReadOnly />
			{isRow(site) ? <Site site={site} /> : <Failed error="The settings cannot be read now." />}
			<Networks rows={rowsIn(networks)} />
			<Assets rows={rowsIn(assets)} />
			<p>
				<Go to="/operator/settings/pairs" text="Pairs" />
			</p>
		</ConsoleFrame>,
	);
}

function Site({ site }: { readonly site: Row }) {
	const { today, signer, ...settings } = site;
	const isMaintained = settings['maintenance'] === true;
	return (
		<div class="grid">
			<Card title="The whole service">
				<RecordFacts record={settings} />
				<Actions
					actions={[
						actionOf('site/update', {}, 'Change'),
						actionOf(
							'site/update',
							{ maintenance: isMaintained ? 'off' : 'on' },
							isMaintained ? 'End maintenance' : 'Start maintenance',
						),
					]}
				/>
			</Card>
			<div class="stack">
				{isRow(today) && (
					<Card title="Today’s cap">
						<RecordFacts record={today} />
					</Card>
				)}
				<Card title="The signer’s caps today">
					{isRow(signer) ? <RecordFacts record={signer} /> : <p>The signer does not answer now.</p>}
				</Card>
			</div>
		</div>
	);
}

interface SwitchProps {
	readonly path: CommandPath;
	readonly query: Query;
	readonly field: string;
	readonly isOn: boolean;
	/** For who does not see the row. */
	readonly of: string;
}

const Switch = ({ path, query, field, isOn, of }: SwitchProps) => (
	<span class="row">
		<State tone={isOn ? 'good' : field === 'beyondReserve' ? 'plain' : 'bad'} word={isOn ? 'on' : 'off'} />
		<IfMay path={path}>
			<a
				href={addressOf(path, { ...query, [field]: isOn ? 'off' : 'on' })}
				aria-label={`Switch ${isOn ? 'off' : 'on'}: ${labelOf(field).toLowerCase()} of ${of}`}
			>
				{isOn ? 'Switch off' : 'Switch on'}
			</a>
		</IfMay>
	</span>
);

const switchCell = (path: CommandPath, field: string, queryOf: (row: Row) => Query) => (row: Row) => (
	<Switch
		path={path}
		query={queryOf(row)}
		field={field}
		isOn={row[field] === true}
		of={Object.values(queryOf(row)).map(assetName).join(' to ')}
	/>
);

const text = (field: string) => (row: Row) => <Value field={field} value={row[field]} short />;

const numberColumn = (field: string) => ({ head: labelOf(field), is: 'number' as const, cell: text(field) });

const Networks = ({ rows }: { readonly rows: readonly Row[] }) => {
	const of = (row: Row): Query => ({ name: String(row['name']) });
	return (
		<Section title="Networks">
			<Table
				label="Switches of networks"
				rows={rows}
				empty="The networks cannot be read now."
				columns={[
					{ head: 'Network', cell: text('name') },
					{ head: 'Payouts', cell: switchCell('network/update', 'send', of) },
					{ head: 'New deposits', cell: switchCell('network/update', 'receive', of) },
				]}
			/>
		</Section>
	);
};

const Assets = ({ rows }: { readonly rows: readonly Row[] }) => {
	const of = (row: Row): Query => ({ code: String(row['code']) });
	return (
		<Section title="Assets">
			<Table
				label="Switches of assets"
				rows={rows}
				empty="The assets cannot be read now."
				columns={[
					{ head: 'Asset', cell: text('code') },
					{ head: 'Network', cell: text('network') },
					{ head: 'Offered', cell: switchCell('asset/update', 'active', of) },
					{ head: 'Beyond reserve', cell: switchCell('asset/update', 'beyondReserve', of) },
					{ head: 'Reserve shown', is: 'number', cell: text('reserve') },
					{ head: 'Balance', is: 'number', cell: text('balance') },
					...['leanOutBps', 'leanInBps', 'priceUsd'].map(numberColumn),
				]}
			/>
		</Section>
	);
};

export async function pairsPage(c: ConsoleContext): Promise<Response> {
	const pairs = rowsIn(await askerOf(c)('pair/list', {}));
	const from = (c.req.query('from') ?? '').toUpperCase();
	const of = (row: Row): Query => ({ from: String(row['from']), to: String(row['to']) });
	const sources = [...new Set(pairs.map((row) => String(row['from'])))];
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Pairs" path="/operator/settings">
			<h1>Pairs</h1>
			<IfReadOnly />
			<p class="row">
				{sources.map((code) => (
					<a href={`/operator/settings/pairs?from=${code}`} aria-current={code === from ? 'true' : undefined}>
						{assetName(code)}
					</a>
				))}
			</p>
			<Table
				label="Pairs"
				rows={pairs.filter((row) => row['from'] === from)}
				empty="Choose the asset that is deposited."
				columns={[
					{ head: 'From', cell: text('from') },
					{ head: 'To', cell: text('to') },
					{ head: 'Switch', cell: switchCell('pair/update', 'active', of) },
					...['minUsd', 'maxUsd'].map(numberColumn),
					{ head: 'Offered now', cell: text('offered') },
					{ head: 'Why not', is: 'wrap', cell: text('why') },
					{
						head: 'Bounds',
						cell: (row) => (
							<IfMay path="pair/update" else="–">
								<a
									href={addressOf('pair/update', of(row))}
									aria-label={`Change: the bounds of ${assetName(String(row['from']))} to ${assetName(String(row['to']))}`}
								>
									Change
								</a>
							</IfMay>
						),
					},
				]}
			/>
		</ConsoleFrame>,
	);
}
