/** `/docs/system`: every part in every state. Screenshots are made from it. Look here first when you build a page. */
import { Address, Copyable } from '../parts/copyable.tsx';
import { Layout } from '../parts/layout.tsx';
import { Card, Facts, Field, Figure, Note, State, Time, TimeLine, type Tone } from '../parts/parts.tsx';
import { Plot } from '../parts/plot.tsx';
import { Qr } from '../parts/qr.tsx';
import { Table } from '../parts/table.tsx';

const STATES: readonly [Tone, string][] = [
	['plain', 'New'],
	['busy', 'Sending'],
	['good', 'Done'],
	['warn', 'Needs a decision'],
	['bad', 'Refused'],
];
const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const AT = Date.UTC(2026, 10, 1, 12);
const ROWS = [
	{ id: '7f3a01c2', state: STATES[2], amount: '0.05 BTC' },
	{ id: '91c0be77', state: STATES[3], amount: '1 250.00 USDT' },
];
const BARS = [3, 5, 0, 8, 6, 9, 4].map((value, i) => ({ name: `Nov ${i + 1}`, value, text: `${value} orders` }));

export const SystemPage = () => (
	<Layout title="The parts of the pages">
		<h1>The parts of the pages</h1>
		<Card title="States">
			<p class="row">
				{STATES.map(([tone, word]) => (
					<State tone={tone} word={word} />
				))}
			</p>
		</Card>
		<Card title="What people copy">
			<Copyable value="0.05" label="Amount">
				<span class="amount">0.05 BTC</span>
			</Copyable>
			<Copyable value={ADDRESS} label="Address">
				<Address value={ADDRESS} />
			</Copyable>
		</Card>
		<Card title="What wallets scan">
			<Qr text={`bitcoin:${ADDRESS}?amount=0.05`} label="Address and amount as a QR code" />
		</Card>
		<Card title="Notes">
			{STATES.map(([tone, word]) => (
				<Note tone={tone}>{`${word}: one sentence that says what to do.`}</Note>
			))}
		</Card>
		<Card title="Buttons and fields">
			<p class="row">
				<button type="button">Do it</button>
				<button type="button" class="plain">
					Cancel
				</button>
				<button type="button" class="danger">
					Refund
				</button>
				<button type="button" disabled>
					Not now
				</button>
			</p>
			<Field name="plain" label="Webhook URL" hint="https, on a host of yours" value="https://shop.example/hooks" />
			<Field name="wrong" label="Afftax" value="2001" error="At most 2000 basis points." />
			<Field name="choice" label="Status" choices={{ all: 'All', done: 'Done' }} />
		</Card>
		<Card title="Facts and figures">
			<div class="grid">
				<Figure value="1 204" label="orders this month" />
				<Figure value="$18 220.14" label="volume" />
			</div>
			<Facts facts={{ Network: 'Bitcoin', Confirmations: '1 of 2, about 10 minutes', Created: <Time at={AT} /> }} />
		</Card>
		<Table
			label="Orders"
			columns={[
				{ head: 'Order', cell: ({ id }) => <code>{id}</code> },
				{ head: 'State', cell: ({ state }) => state && <State tone={state[0]} word={state[1]} /> },
				{ head: 'Amount', is: 'number', cell: ({ amount }) => amount },
			]}
			rows={ROWS}
			empty=""
		/>
		<Table
			label="No orders"
			columns={[]}
			rows={[]}
			empty="No order in these days. Take more days, or create one in the sandbox."
		/>
		<Card title="Time line">
			<TimeLine
				moments={[
					{ text: 'Order created', at: AT },
					{ text: 'Deposit seen', at: AT + 300_000, detail: '0.05 BTC' },
					{ text: 'Payout', at: null },
				]}
			/>
		</Card>
		<Card title="Plot">
			<Plot title="Orders a day" unit="orders" points={BARS} />
		</Card>
	</Layout>
);
