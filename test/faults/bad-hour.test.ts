/**
 * The bad hour: D1 is set back to an earlier minute, the signer's journal is restored to an older state, or lost, one
 * after the other on the same service. It is stopped meanwhile, but for the restore of the journal.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS_ON } from '../support/addresses.ts';
import { copyDatabaseFile, databaseFile } from '../support/database-file.ts';
import { payoutsTo } from '../support/earnings.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { databasePath, inDatabase, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json } = operatorOf(() => service);
/** Paid before anything happens; made before the earlier minute, or planned then, and paid after it; made after it. */
let early: CreatedOrder;
let made: CreatedOrder;
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

interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
}

/** The incident of this kind, which waits until a person ends it. */
async function incident(kind: string): Promise<Row | undefined> {
	const rows = await service.operator<Row[]>('attention');
	return rows.find(({ area, cause }) => area === 'incident' && cause.startsWith(`${kind}: `));
}

/** Nothing need be owed for that, and the doctor has it too. */
async function told(kind: string): Promise<void> {
	const clear = `alert clear ${kind} signer`;
	expect((await incident(kind))?.todo).toContain(`; then \`${clear}\``);
	const { rows } = await service.operator<{ rows: { area: string; state: string; todo: string }[] }>('doctor');
	expect(rows.find(({ area }) => area === 'journal')).toMatchObject({
		state: 'wrong',
		todo: expect.stringContaining(clear),
	});
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
	made = await newOrder();
	owed = await held();
	await copyDatabaseFile(databaseFile(service), copyOf('database'));
	await copyDatabaseFile(await databasePath(service, VAULT), copyOf('journal'));
	await send(true);
	await until(owed, 'DONE');
	await done(made);
	late = await done(await newOrder());
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

describe('D1 that is restored to an earlier minute', () => {
	it('pays nothing twice by its runbook, shows no address again, and the books say what it has forgotten', async () => {
		const { step, elsewhere, end } = followRunbook('D1 is set back to an earlier minute', () => service);
		await step('site update --maintenance on');
		await elsewhere('wrangler d1 time-travel restore partner-exchange --timestamp TIME', async () => {
			await stoppedFor(() => copyDatabaseFile(copyOf('database'), databaseFile(service)));
			await eventually('it to be noticed', async () => (await setBack()).length === 2);
		});
		await step('attention');
		// On a pair that nobody has switched off.
		expect((await create(service, partner, { toCcy: 'BTC', toAddress: ADDRESS_ON.Bitcoin })).code).toBe(10);
		expect(await step('site show')).toMatch(/maintenance +on/);
		// Payouts there were off at that minute.
		expect(await step('network list')).toMatch(/^Ethereum +\S+ +off/m);
		await step('pair list');
		await send(true);
		expect((await setBack()).toSorted()).toEqual(['database', 'site']);
		await json('alert', 'clear', 'settings-set-back', 'database');
		await step('alert clear settings-set-back SUBJECT', { SUBJECT: 'site' });
		expect(await setBack()).toEqual([]);
		await until(owed, 'DONE');

		const [paid] = await payoutsTo(service, 'Ethereum', made.to.address);
		const planned = await eventually('the payment to be planned again', async () => {
			const ofOrder = "SELECT id FROM transactions WHERE order_id = ? AND kind = 'payout'";
			return (await service.sql<{ id: string }>(ofOrder, made.id))[0]?.id;
		});
		// As it is printed, cut short.
		const [PAYMENT, T] = [planned.slice(0, 8), String(paid?.txId)];
		expect(await step('attention', { PAYMENT })).toContain(`restored paid ${PAYMENT} --tx-id ${T} --reason R`);
		await step('restored paid PAYMENT --tx-id T --reason R', { PAYMENT, T });
		expect((await until(made, 'DONE')).to.tx.id).toBe(T);
		await step('restored forgotten --wide', { ORDER: late.id });

		await step('ledger check');
		const difference = await walletOf('ETH');
		expect(difference).toMatch(/^-0\.\d+$/);
		await step('ledger adjust ASSET --amount A --reason R', { ASSET: 'ETH', A: difference.slice(1) });
		expect([await walletOf('ETH'), await walletOf('LTC')]).toEqual(['0', '0']);
		await step('attention');
		const { wrong } = await service.operator<{ wrong: number }>('audit/verify');
		expect(wrong).toBeGreaterThan(0);
		await step('audit accept --reason R');
		await step('history accept --reason R');
		expect(await service.operator('audit/verify')).toMatchObject({ wrong: 0 });
		await step('site update --maintenance off');
		await step('partner show PARTNER', { PARTNER: partner.id });
		await end();

		const next = await done(await newOrder());
		expect([early, made, owed, late].map(({ from }) => from.address)).not.toContain(next.from.address);
		expect(await Promise.all([made, owed, late, next].map(timesPaid))).toEqual([1, 1, 1, 1]);
		// The deposit of the order that D1 has forgotten.
		const sums = await service.sql<{ counted: string }>("SELECT counted FROM unattributed WHERE asset = 'LTC'");
		expect(sums).toEqual([{ counted: '200000000' }]);
	});

	async function setBack(): Promise<string[]> {
		const rows = await service.operator<Row[]>('attention');
		return rows.filter(({ cause }) => cause.startsWith('settings-set-back: ')).map(({ subject }) => subject);
	}

	async function walletOf(asset: string): Promise<string> {
		const { wallets } = await service.operator<{ wallets: { asset: string; difference: string }[] }>('ledger/check');
		return String(wallets.find((wallet) => wallet.asset === asset)?.difference);
	}

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
		const { step, end } = followRunbook("The signer's journal is older than D1", () => service);
		await step('attention');
		await told('journal-older');
		// What isolates have drawn is of before as well.
		await stoppedFor(() => undefined);
		const next = await done(await newOrder());
		expect(await timesPaid(doubted)).toBe(0);
		await step('restored show');
		await step('restored confirm ORDER', { ORDER: doubted.id });
		await until(doubted, 'DONE');
		await step('restored confirm --own');
		await step('alert clear journal-older signer');
		expect(await incident('journal-older')).toBeUndefined();
		await end();
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
		const { step, end } = followRunbook("The signer's journal is lost", () => service);
		await step('attention');
		await told('journal-lost');
		await step('doctor');
		const next = await done(await newOrder());
		const waiting = await eventually('the older order to wait', async () => {
			const shown = await json<{ backupAt: string | null; waiting: Record<string, unknown>[] }>('restored', 'show');
			return shown.waiting.length > 0 && shown;
		});
		expect(waiting).toMatchObject({ backupAt: null, waiting: [{ order: open.id, onChain: 'nothing' }] });
		expect(service.logged('journal_lost')).toHaveLength(1);
		expect([await timesPaid(open), await timesPaid(owed)]).toEqual([0, 1]);
		await step('restored show');
		await step('restored confirm ORDER', { ORDER: open.id });
		await until(open, 'DONE');
		await step('partner show PARTNER', { PARTNER: partner.id });
		await step('restored confirm --own');
		await step('alert clear journal-lost signer');
		expect(await incident('journal-lost')).toBeUndefined();
		await end();
		expect([await timesPaid(open), await timesPaid(next)]).toEqual([1, 1]);
	});
});
