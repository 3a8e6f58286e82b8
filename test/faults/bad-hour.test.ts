/**
 * The bad hour: D1 is set back to an earlier minute, the signer's journal is restored to an older state, or lost, one
 * after the other on the same service. It is stopped meanwhile, but for the restore of the journal.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyDatabaseFile, databaseFile } from '../support/database-file.ts';
import { payoutsTo } from '../support/earnings.ts';
import { databasePath, inDatabase, VAULT } from '../support/object-storage.ts';
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

const copyOf = (name: string) => join(service.stateDirectory, `earlier-${name}`);

const signaturesIn = (journal: string): number =>
	inDatabase(journal, (database) =>
		Number(database.prepare('SELECT count(*) AS rows FROM signatures').get()?.['rows']),
	);

/** The incident waits until a person ends it, and the doctor has it too; nothing need be owed for that. */
async function told(kind: string): Promise<void> {
	const waits = async () => {
		const rows = await service.operator<{ area: string; cause: string; todo: string }[]>('attention');
		return rows.find(({ area, cause }) => area === 'incident' && cause.startsWith(`${kind}: `));
	};
	const clear = `alert clear ${kind} signer`;
	expect((await waits())?.todo).toContain(`; then \`${clear}\``);
	const { rows } = await service.operator<{ rows: { area: string; state: string; todo: string }[] }>('doctor');
	expect(rows.find(({ area }) => area === 'journal')).toMatchObject({
		state: 'wrong',
		todo: expect.stringContaining(clear),
	});
	await json('alert', 'clear', kind, 'signer');
	expect(await waits()).toBeUndefined();
}

/** The agent has thrown away its free addresses of before: orders on them would wait for a person. */
const freshAddresses = (times: number) =>
	eventually('fresh addresses', async () => {
		const retired = service.logged('pool_retired').filter(({ network }) => network === 'Litecoin');
		return retired.length === times;
	});

/** Runs `change` while the service is stopped. */
async function stoppedFor(change: () => void | Promise<void>): Promise<void> {
	await service.local.stop();
	await change();
	service = await startTestService({}, service.stateDirectory);
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	early = await done(await newOrder());
	owed = await held();
	await copyDatabaseFile(databaseFile(service), copyOf('database'));
	await copyDatabaseFile(await databasePath(service, VAULT), copyOf('journal'));
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
		await stoppedFor(() => copyDatabaseFile(copyOf('database'), databaseFile(service)));
		await send(true);
		await until(owed, 'DONE');
		const next = await done(await newOrder());
		expect([early, owed, late].map(({ from }) => from.address)).not.toContain(next.from.address);
		expect([await timesPaid(owed), await timesPaid(late), await timesPaid(next)]).toEqual([1, 1, 1]);
		const { wallets } = await service.operator<{ wallets: Record<string, unknown>[] }>('ledger/check');
		expect(wallets.find(({ asset }) => asset === 'LTC')).toMatchObject({ difference: '0', result: 'ok' });
		// So are lines of the audit log, until a person says why.
		const { wrong } = await service.operator<{ wrong: number }>('audit/verify');
		expect(wrong).toBeGreaterThan(0);
		await service.operator('audit/accept', { reason: 'D1 was set back' });
		expect(await service.operator('audit/verify')).toMatchObject({ wrong: 0 });
		// The deposit of the order that D1 has forgotten.
		const sums = await service.sql<{ counted: string }>("SELECT counted FROM unattributed WHERE asset = 'LTC'");
		expect(sums).toEqual([{ counted: '200000000' }]);
	});

	it('lists the orders that it has forgotten, with their addresses', async () => {
		const found = await json<{ order: string; payInAddress: string; network: string; txId: string }[]>(
			'restored',
			'forgotten',
		);
		const [payout] = await payoutsTo(service, 'Ethereum', late.to.address);
		expect(found).toMatchObject([
			{ order: late.id, payInAddress: late.from.address, network: 'Ethereum', txId: payout?.txId },
		]);
	});
});

describe('a journal that is older than D1', () => {
	it('is noticed by what the agents remember: nothing is paid twice, what may have been paid waits, and new orders go on', async () => {
		// As after the restore of an object: it begins again, and the API Worker goes on.
		const journal = await databasePath(service, VAULT);
		const known = signaturesIn(journal);
		await copyDatabaseFile(copyOf('journal'), journal);
		await service.evict(VAULT.binding, VAULT.name);
		expect(signaturesIn(journal)).toBe(signaturesIn(copyOf('journal')));
		expect(signaturesIn(journal)).toBeLessThan(known);
		// Its address is one of before: it may have been paid, for all that the journal knows.
		const doubted = await newOrder();
		await deposit(doubted);
		await eventually('the older order to wait', async () => {
			const { waiting } = await json<{ waiting: { order: string }[] }>('restored', 'show');
			return waiting.some(({ order }) => order === doubted.id);
		});
		expect(service.logged('journal_older')).toHaveLength(1);
		await freshAddresses(1);
		await told('journal-older');
		// What isolates have drawn is of before as well.
		await stoppedFor(() => undefined);
		const next = await done(await newOrder());
		expect(await timesPaid(doubted)).toBe(0);
		await json('restored', 'confirm', doubted.id);
		await until(doubted, 'DONE');
		const all = [early, owed, doubted, next];
		expect(await Promise.all(all.map(timesPaid))).toEqual([1, 1, 1, 1]);
	});
});

describe('a journal that is lost', () => {
	it('is noticed: new orders are paid, and what was owed waits until a person has looked', async () => {
		open = await held();
		const journal = await databasePath(service, VAULT);
		await stoppedFor(() => {
			// SQLite's own files beside the database belong to it.
			for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
		});
		await send(true);
		await freshAddresses(2);
		await told('journal-lost');
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
