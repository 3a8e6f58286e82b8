/** The pages that are one command each, with what leads further: prices, transactions, the ledger, the audit log. */
import { shortIds } from '../../operator/reading/fields.ts';
import { Card } from '../parts/parts.tsx';
import { RecordFacts, Sections } from './answer.tsx';
import { answerTo, type ConsoleContext } from './asking.ts';
import { addressOf, COMMANDS } from './commands.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { Actions, actionOf, useMay, Withheld } from './may.tsx';
import { readPage, recordOr } from './reading.tsx';
import { inWords } from './todo.ts';
import { visible } from './values.tsx';

export const pricesPage = (c: ConsoleContext): Promise<Response> =>
	readPage(c, { path: 'price/list', title: 'Prices', at: '/operator/prices' });

export const transactionsPage = (c: ConsoleContext): Promise<Response> =>
	readPage(c, { path: 'payout/list', title: 'Transactions', at: '/operator/transactions', wide: true });

export const auditPage = (c: ConsoleContext): Promise<Response> =>
	readPage(c, { path: 'audit/list', title: 'Audit', at: '/operator/audit' });

export async function transactionPage(c: ConsoleContext): Promise<Response> {
	const id = c.req.param('id') ?? '';
	const answer = await answerTo(c, 'payout/show', { id });
	const isFact = ([, value]: readonly [string, unknown]) => typeof value !== 'object' || value === null;
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Transaction" path="/operator/transactions">
			<h1>{`Transaction ${visible(shortIds(id))}`}</h1>
			{recordOr(answer, (record) => (
				<>
					<Actions actions={[actionOf('payout/settle', { id }), actionOf('payout/give-up', { id })]} />
					<Card>
						<RecordFacts record={Object.fromEntries(Object.entries(record).filter(isFact))} />
					</Card>
				</>
			))}
		</ConsoleFrame>,
		{ status: answer.ok ? 200 : 404 },
	);
}

export async function ledgerPage(c: ConsoleContext): Promise<Response> {
	const answer = await answerTo(c, 'treasury/show', {});
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Ledger" path="/operator/ledger">
			<h1>Ledger</h1>
			<Actions
				actions={[
					{ ...actionOf('ledger/check'), main: true },
					actionOf('treasury/withdraw'),
					actionOf('export/ledger', { since: '7d' }, 'Entries of 7 days'),
				]}
			/>
			{recordOr(answer, (record) => (
				<Sections record={record} />
			))}
		</ConsoleFrame>,
	);
}

/** All that the command can do. */
export const commandsPage = (c: ConsoleContext): Promise<Response> =>
	consolePage(
		<ConsoleFrame operator={c.var.operator} title="Commands" path="/operator/command" width="text">
			<h1>Commands</h1>
			<p>Everything that npx exchange can do, but for backup and restore, which work with files.</p>
			<AllCommands />
		</ConsoleFrame>,
	);

function AllCommands() {
	const may = useMay();
	return (
		<>
			<dl class="facts">
				{COMMANDS.filter(may).map(({ path, words, declaration: { summary } }) => [
					<dt>
						<a href={addressOf(path)}>{words}</a>
					</dt>,
					<dd>{inWords(summary)}</dd>,
				])}
			</dl>
			<Withheld
				what={COMMANDS.filter((command) => !may(command))
					.map(({ words }) => words)
					.join(', ')}
			/>
		</>
	);
}
