/**
 * The bad hour: D1 is set back to an earlier minute, the signer's journal is restored to an older state, or lost. Each
 * happens to a copy of the state folder while the service is stopped, one after the other on the same service.
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { databasePath, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json } = operatorOf(() => service);
/** Paid before anything happens; planned at the earlier minute and paid after it; made after it. */
let early: CreatedOrder;
let owed: CreatedOrder;
let late: CreatedOrder;
/** Planned when the journal is lost. */
let open: CreatedOrder;

let recipients = 0;
async function newOrder(): Promise<CreatedOrder> {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, 'bad0')}`;
	const { data, text } = await create(service, partner, { toAddress });
	expect(data?.id, text).toBeTruthy();
	return data;
}

const deposit = ({ id }: CreatedOrder) => service.operator('sandbox/deposit', { orders: [id] });
const until = (order: CreatedOrder, status: string) => untilStatus(service, partner, order, status);
const send = (on: boolean) => service.operator('network/update', { name: 'Ethereum', send: on });
const timesPaid = async ({ to }: CreatedOrder) => (await payoutsTo(service, 'Ethereum', to.address)).length;

async function done(order: CreatedOrder): Promise<CreatedOrder> {
	await deposit(order);
	await until(order, 'DONE');
	return order;
}

/** An order whose payout is planned and not signed. */
async function held(): Promise<CreatedOrder> {
	const order = await newOrder();
	await send(false);
	await deposit(order);
	await until(order, 'EXCHANGE');
	return order;
}

/** Runs `change` on the state folder while the service is stopped. `journal`: the path of the vault's database. */
async function stoppedFor(change: (journal: string) => void): Promise<void> {
	const journal = await databasePath(service, VAULT);
	await service.local.stop();
	change(journal);
	service = await startTestService({}, service.stateDirectory);
}

const database = () => join(service.stateDirectory, 'data/d1');
const copyOf = (name: string) => join(service.stateDirectory, `earlier-${name}`);
/** SQLite's own files beside the database belong to it. */
const FILES = ['', '-wal', '-shm'];

function replace(from: string, to: string): void {
	rmSync(to, { recursive: true, force: true });
	cpSync(from, to, { recursive: true });
}

function copyJournal(from: string, to: string): void {
	for (const end of FILES) {
		rmSync(`${to}${end}`, { force: true });
		if (existsSync(`${from}${end}`)) cpSync(`${from}${end}`, `${to}${end}`);
	}
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	early = await done(await newOrder());
	owed = await held();
	await stoppedFor((journal) => {
		replace(database(), copyOf('database'));
		copyJournal(journal, copyOf('journal'));
	});
	await send(true);
	await until(owed, 'DONE');
	late = await done(await newOrder());
}, 60_000);
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

describe('D1 that is restored to an earlier minute', () => {
	it('pays nothing twice, shows no address again, and the books say what it has forgotten', async () => {
		await stoppedFor(() => replace(copyOf('database'), database()));
		await send(true);
		await until(owed, 'DONE');
		const next = await done(await newOrder());
		expect([early, owed, late].map(({ from }) => from.address)).not.toContain(next.from.address);
		expect([await timesPaid(owed), await timesPaid(late), await timesPaid(next)]).toEqual([1, 1, 1]);
		const { wallets } = await service.operator<{ wallets: Record<string, unknown>[] }>('ledger/check');
		// The deposit of the order that D1 has forgotten.
		expect(wallets.find(({ asset }) => asset === 'LTC')).toMatchObject({ difference: '2', result: 'differs' });
	});
});

describe('a journal that is older than D1', () => {
	it('pays nothing twice, and new orders go on', async () => {
		await stoppedFor((journal) => copyJournal(copyOf('journal'), journal));
		const next = await done(await newOrder());
		expect([await timesPaid(early), await timesPaid(owed), await timesPaid(next)]).toEqual([1, 1, 1]);
	});
});

describe('a journal that is lost', () => {
	it('is noticed: new orders are paid, and what was owed waits until a person has looked', async () => {
		open = await held();
		await stoppedFor((journal) => {
			for (const end of FILES) rmSync(`${journal}${end}`, { force: true });
		});
		await send(true);
		const next = await done(await newOrder());
		const waiting = await eventually('the older order to wait', async () => {
			const shown = await json<{ backupAt: string | null; waiting: Record<string, unknown>[] }>('restored', 'show');
			return shown.waiting.length > 0 && shown;
		});
		expect(waiting).toMatchObject({ backupAt: null, waiting: [{ order: open.id, onChain: 'nothing' }] });
		expect(service.logged('journal_lost')).toHaveLength(1);
		expect([await timesPaid(open), await timesPaid(owed)]).toEqual([0, 1]);
		await json('restored', 'confirm', open.id);
		await until(open, 'DONE');
		expect([await timesPaid(open), await timesPaid(next)]).toEqual([1, 1]);
	});
});
