/**
 * Rows of `attention` that name a command: each state is made, the printed command is run as it is printed, and the row
 * goes. What a person puts in (R, T, a number) is put in; nothing else.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INCIDENTS, type IncidentName, JOURNAL_INCIDENTS } from '../../src/incidents/kinds.ts';
import { shortIds } from '../../src/operator/reading/fields.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const file = serviceForFile();
const { run, json } = operatorOf(file.current);
let partner: Credentials;
let receiver: WebhookReceiver;

interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
}

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000, webhookUrl: `${receiver.url}/hook` });
});
afterAll(() => receiver?.close());

const rowOf = async (area: string, subject: string): Promise<Row | undefined> =>
	(await file.current().operator<Row[]>('attention')).find((row) => row.area === area && row.subject === subject);
const named = (area: string, subject: string) => eventually(`${area} ${subject}`, () => rowOf(area, subject));
const gone = (area: string, subject: string) =>
	eventually(`${area} ${subject} to go`, async () => !(await rowOf(area, subject)));

/** The command in a text that begins with these words. */
function commandIn(text: string, beginning: string): string[] {
	const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);
	const found = commands.find((command) => command.startsWith(beginning));
	expect(found, text).toBeTruthy();
	return String(found).split(' ');
}

async function follow(words: readonly string[]): Promise<string> {
	const { stderr, stdout } = await run(...words);
	expect([words.join(' '), stderr]).toEqual([words.join(' '), '']);
	return stdout;
}

async function newOrder(): Promise<CreatedOrder> {
	const { data, text } = await create(file.current(), partner);
	expect(data?.id, text).toBeTruthy();
	return data;
}
const deposit = ({ id }: CreatedOrder, amount = '2') =>
	file.current().operator('sandbox/deposit', { orders: [id], amount });
const until = (order: CreatedOrder, status: string) => untilStatus(file.current(), partner, order, status);

describe('a switch', () => {
	it.each([
		['site', 'site update --maintenance on'],
		['Litecoin', 'network update Litecoin --send off'],
		['Dash', 'network update Dash --receive off'],
		['DASH', 'asset update DASH --active off'],
		['BTC>DASH', 'pair update BTC DASH --active off'],
	])('of %s is undone by the command that its row names', async (subject, off) => {
		await follow(off.split(' '));
		const { todo } = await named('switch', subject);
		await follow(commandIn(todo, off.split(' ').slice(0, 2).join(' ')));
		await gone('switch', subject);
	});
});

describe('a cap', () => {
	it('of the day that is nearly used is raised by the command that its row names', async () => {
		await newOrder();
		await file.current().operator('site/update', { dailyCapUsd: 200 });
		const { todo } = await named('cap', 'site');
		await follow(commandIn(todo.replace('-usd N', '-usd 1000000'), 'site update'));
		await gone('cap', 'site');
	});
});

describe('webhooks', () => {
	it('that were given up are listed and sent again by the commands that their row names', async () => {
		const id = crypto.randomUUID();
		await file.current().sql(
			`INSERT INTO webhook_events (id, partner_id, type, body, state, attempts, next_attempt_at, created_at)
			VALUES (?, ?, 'partner.paid_out', '{}', 'ended', 11, ?, ?)`,
			id,
			partner.id,
			Date.now() + 86_400_000,
			Date.now() - 1000,
		);
		await file
			.current()
			.sql(
				'INSERT INTO webhook_deliveries (event_id, attempt, at, status, duration_milliseconds) SELECT id, 11, 1, 500, 1 FROM webhook_events WHERE event_id = ?',
				id,
			);
		await follow(['partner', 'update', partner.id, '--events', 'partner.paid_out']);
		const { todo } = await named('webhook', partner.id);
		const listed = await json<{ id: string }[]>(...commandIn(todo, 'webhook list'));
		expect(listed.map((each) => each.id)).toEqual([id]);
		await follow(commandIn(todo.replace('redeliver ID', `redeliver ${id}`), 'webhook redeliver'));
		await receiver.waitFor(({ headers }) => Object.values(headers).includes(id));
		await gone('webhook', partner.id);
	});
});

describe('settings of order pages', () => {
	it('that somebody wrote are stored again as they are in force', async () => {
		const written = JSON.stringify({ frames: ['javascript:alert(1)'] });
		await file.current().sql('UPDATE partners SET order_page = ? WHERE id = ?', written, partner.id);
		const { todo } = await named('partner', partner.id);
		await follow(commandIn(todo, 'partner update'));
		await gone('partner', partner.id);
	});
});

/** How an order comes to wait for the operator, and in what it ends once the command of its row was run. */
const ORDERS: Record<string, readonly [make: (order: CreatedOrder) => Promise<unknown>, command: string, end: string]> =
	{
		'EMERGENCY, which is sent back': [inEmergency, 'order refund', 'EXPIRED'],
		'EMERGENCY, which is finalised; the deposit that was set aside is sent back then': [
			inEmergency,
			'order finalise',
			'EXPIRED',
		],
		'a deposit after the payout': [(order) => done(order).then(() => deposit(order, '1')), 'order refund', 'DONE'],
		'a deposit to a deleted order': [deletedOrder, 'order refund', ''],
	};

async function inEmergency(order: CreatedOrder): Promise<void> {
	await deposit(order, '0.3');
	await until(order, 'EMERGENCY');
}

async function done(order: CreatedOrder): Promise<void> {
	await deposit(order);
	await until(order, 'DONE');
}

async function deletedOrder(order: CreatedOrder): Promise<void> {
	await follow(['order', 'delete', order.id]);
	await deposit(order);
}

describe('an order', () => {
	it.each(Object.entries(ORDERS))('%s: it ends by the command that its row names', async (_, [make, command, end]) => {
		const order = await newOrder();
		await make(order);
		const { todo } = await named('order', order.id);
		await follow(commandIn(todo, command));
		if (command === 'order finalise') await follow(commandIn((await named('order', order.id)).todo, 'order refund'));
		await gone('order', order.id);
		if (end !== '') await until(order, end);
		const returned = "SELECT 1 FROM transactions WHERE order_id = ? AND kind = 'refund' AND tx_id IS NOT NULL";
		await eventually('the refund', async () => (await file.current().sql(returned, order.id)).length === 1);
	});
});

/** Those of the signer's journal are walked where a journal is lost, set back or restored. */
const OF_JOURNAL: readonly string[] = Object.values(JOURNAL_INCIDENTS);
const IN_D1 = (Object.keys(INCIDENTS) as IncidentName[]).filter((kind) => !OF_JOURNAL.includes(kind));

describe('an incident', () => {
	it.each(IN_D1)('%s: each command that it names runs, and it ends as it says', async (kind) => {
		const order = await newOrder();
		const { lastsMilliseconds } = INCIDENTS[kind];
		const subject = kind === 'payout-address-changed' ? partner.id : order.id;
		const note = (at: number) =>
			file.current().sql('INSERT OR REPLACE INTO incidents VALUES (?, ?, ?, 1, ?, ?)', kind, subject, 'a test', at, at);
		await note(Date.now());
		const { cause, todo } = await named('incident', subject);
		expect(cause).toMatch(new RegExp(`^${kind}: `));
		// Tables print the beginning of an id alone.
		for (const [, command = ''] of shortIds(todo).matchAll(/`([^`]+)`/g)) {
			const { stdout, stderr } = await run(...command.split(' '));
			expect([command, stderr.trim()]).toEqual([
				command,
				expect.stringMatching(EXPECTED[command.split(' ', 2).join(' ')] ?? /^$/),
			]);
			expect(stdout + stderr).not.toBe('');
		}
		if (lastsMilliseconds !== null) {
			expect(todo).not.toContain('alert clear');
			await note(Date.now() - lastsMilliseconds - 1);
		}
		await gone('incident', subject);
	});
});

/** What a command of an incident says where what it is about is not so in this test. */
const EXPECTED: Record<string, RegExp> = {
	'ledger check': /^$|differ/,
	'network check': /^$/,
	'order sweep': /^order .* has .*|nothing/,
	'network update': /^.*NAME/,
	'restored show': /^$/,
};
