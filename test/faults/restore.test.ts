/**
 * A backup of a service with orders in every state, and its restore into an empty deployment, after the old one went on
 * for a while: it made an order and paid another one, which the backup does not know.
 */
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHeader, sealPiece } from '../../src/backup/sealed.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { payoutsTo } from '../support/earnings.ts';
import { provenHistory, signHistory } from '../support/exported-history.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { emptyDeployment } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

/** Far below the gap, far above every index of these tests. */
const FAR = 900_000;

let service: TestService;
let partner: Credentials;
const { json, refusal, run } = operatorOf(() => service);
let file: string;
/** By what they were at the backup, and one that is newer. */
const orders: Record<string, CreatedOrder> = {};

let recipients = 0;
const newOrder = async (more: Record<string, unknown> = {}): Promise<CreatedOrder> => {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, 'beef')}`;
	const { data, text } = await create(service, partner, { toAddress, ...more });
	expect(data?.id, text).toBeTruthy();
	return data;
};
const orderOf = (name: string): CreatedOrder => orders[name] as CreatedOrder;
const deposit = (order: CreatedOrder, more: Record<string, unknown> = {}) =>
	service.operator('sandbox/deposit', { orders: [order.id], ...more });
const until = (name: string, status: string) => untilStatus(service, partner, orderOf(name), status);
const send = (name: string, on: boolean) => service.operator('network/update', { name, send: on });
const fileOf = (name: string) => join(service.stateDirectory, name);
/** What the chain shows as paid to the order's recipient. */
const paid = (name: string) => payoutsTo(service, orderOf(name).to.network as 'Ethereum', orderOf(name).to.address);

async function ordersInEveryState(): Promise<void> {
	orders['NEW'] = await newOrder();
	orders['EXPIRED'] = await newOrder();
	await service.sql('UPDATE orders SET expires_at = 1 WHERE id = ?', orderOf('EXPIRED').id);
	orders['DONE'] = await newOrder();
	await deposit(orderOf('DONE'));
	orders['EMERGENCY'] = await newOrder();
	await deposit(orderOf('EMERGENCY'), { amount: '0.1' });
	for (const [name, status] of Object.entries({ DONE: 'DONE', EMERGENCY: 'EMERGENCY', EXPIRED: 'EXPIRED' }))
		await until(name, status);
	for (const name of ['owed', 'paid later', 'PENDING']) orders[name] = await newOrder();
	await send('Ethereum', false);
	for (const name of ['owed', 'paid later']) {
		await deposit(orderOf(name));
		await until(name, 'EXCHANGE');
	}
	await deposit(orderOf('PENDING'), { confirmations: 0 });
	await until('PENDING', 'PENDING');
}

/** More than a page, the first 8 bytes of hashes: any bytes at all. */
const KEYS = 700;

/** What triggers keep of the books, and the keys of archived orders. */
async function derived(): Promise<Record<string, unknown>> {
	const tables = [
		'ledger_pieces',
		'ledger_orders',
		'ledger_balances',
		'partner_dues',
		'wallet_flows',
		'deleted_holdings',
	];
	const rows = await Promise.all(tables.map((table) => service.sql(`SELECT * FROM ${table}`)));
	const keys = await service.sql(
		'SELECT hex(hash) AS hash, typeof(hash) AS type, batch FROM archived_keys ORDER BY hash',
	);
	return { ...Object.fromEntries(tables.map((table, i) => [table, rows[i]])), keys };
}
let before: Record<string, unknown>;

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 100 });
	await ordersInEveryState();
	await eventually('the payouts of DONE orders to be final', async () => {
		const open = await service.sql("SELECT 1 FROM transactions WHERE state = 'sent'");
		return open.length === 0;
	});
	await service.sql(
		`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${KEYS - 1})
		 INSERT INTO archived_keys SELECT unhex(printf('%016x', n * 6148914691236517)), 1 FROM numbers`,
	);
	await service.sql("INSERT INTO deleted_holdings (asset, limb_0) VALUES ('DASH', 0)");
	await service.operator('ledger/check', { full: true });
	file = fileOf('backup');
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

const heldTriggers = () => service.sql("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'held%'");

describe('a backup', () => {
	it('that is broken off holds the service for a minute at most: create answers 10 meanwhile', async () => {
		const { header, next } = await service.operator('backup/begin');
		const toDash = { toCcy: 'DASH', toAddress: ADDRESS_ON.Dash };
		expect((await create(service, partner, toDash)).code).toBe(10);
		expect(await refusal('backup', fileOf('second'))).toContain('another backup is under way');
		// A command that writes says why it cannot.
		await expect(service.operator('partner/create', { name: 'Held' })).rejects.toThrow('holds the database still');
		// The minute is over.
		await service.sql('UPDATE holds SET until = 1');
		const page = service.operator('backup/page', { header, piece: 1, cursor: next });
		await expect(page).rejects.toThrow('took too long between two steps');
		await service.local.runScheduled();
		expect(await heldTriggers()).toEqual([]);
	});

	it('is one file that only its owner reads, and the service goes on afterwards', async () => {
		await signHistory(service);
		before = await derived();
		const made = await json('backup', file);
		expect(made).toMatchObject({ file, rows: expect.any(Number) });
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(readFileSync(file, 'utf8')).not.toContain(orderOf('DONE').id);
		expect(await refusal('backup', file)).toBe(`${file} exists; name a new file`);
		expect(await heldTriggers()).toEqual([]);
		// What the backup does not know: a new order, and a payout.
		await service.operator('payout/give-up', { id: await payoutOf('owed'), reason: 'to pay only the other one' });
		await send('Ethereum', true);
		orders['newer'] = await newOrder();
		await until('paid later', 'DONE');
		await signHistory(service);
	});

	it('is no way to mark as paid what is owed: without a restore no order is booked with a transaction', async () => {
		const order = await newOrder();
		await send('Ethereum', false);
		await deposit(order);
		await untilStatus(service, partner, order, 'EXCHANGE');
		const [own] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
		const [mined] = await paid('DONE');
		const txId = String(mined?.txId);
		// Who writes rows hides from the operator Worker that the transaction is known.
		await service.sql('UPDATE transactions SET tx_id = ? WHERE tx_id = ?', `hidden ${txId}`, txId);
		const book = ['restored', 'paid', String(own?.id), '--tx-id', txId, '--reason', 'an attack'];
		expect(await refusal(...book)).toContain('waits for nobody because of a restore');
		await service.sql('UPDATE transactions SET tx_id = ? WHERE tx_id = ?', txId, `hidden ${txId}`);
		await send('Ethereum', true);
		await untilStatus(service, partner, order, 'DONE');
		expect(await payoutsTo(service, 'Ethereum', order.to.address)).toHaveLength(1);
	});

	it('is refused where there are orders, and nothing is written', async () => {
		expect(await refusal('restore', file)).toContain('this deployment is not empty');
		// The bucket's lines are read to the last one, and their digest holds, before that is found.
		await json('backup', 'nightly', '--r2');
		expect(await refusal('restore', 'nightly', '--r2')).toContain('this deployment is not empty');
		expect(await refusal('backup', 'nightly', '--r2')).toContain('exists in the bucket');
		expect((await readOrder(service, partner, orderOf('paid later'))).status).toBe('DONE');
	});
});

async function payoutOf(name: string): Promise<string> {
	const [row] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', orderOf(name).id);
	return String(row?.id);
}

const BUCKETS = 'data/r2';

/** The old deployment ends; a new one with the same keys begins. */
async function newDeployment(): Promise<void> {
	const old = service;
	await old.local.stop();
	const folder = await emptyDeployment(old);
	copyFileSync(file, join(folder, 'backup'));
	// The bucket of backups is outside of both, too.
	cpSync(join(old.stateDirectory, BUCKETS), join(folder, BUCKETS), { recursive: true });
	rmSync(old.stateDirectory, { recursive: true, force: true });
	service = await startTestService({}, folder);
	file = fileOf('backup');
}

const rows = async () => (await service.sql<{ rows: number }>('SELECT count(*) AS rows FROM orders'))[0]?.rows;

describe('a restore into an empty deployment', () => {
	const runbook = followRunbook('Everything is lost', () => service);

	beforeAll(newDeployment);

	it('refuses a file that is truncated, altered, reordered or of another deployment, before it writes anything', async () => {
		const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
		const [header = '', ...rest] = lines;
		const last = rest.pop() ?? '';
		const bad = fileOf('bad');
		const refused = async (text: readonly string[]) => {
			writeFileSync(bad, `${text.join('\n')}\n`);
			return refusal('restore', bad);
		};
		const [first = '', second = '', ...others] = rest;
		expect(await refused([header])).toContain('is not a whole backup');
		expect(await refused(lines.slice(0, -1))).toContain('truncated or altered');
		expect(await refused([header, ...rest.slice(1), last])).toContain('was altered');
		expect(await refused([header, second, first, ...others, last])).toContain('was altered');
		expect(
			await refused([header, `${first.startsWith('A') ? 'B' : 'A'}${first.slice(1)}`, second, ...others, last]),
		).toContain('was altered');
		expect(await refused(['something else', ...rest, last])).toContain('this is not a backup');
		const read = readHeader(header);
		if (!read) throw new Error('no header');
		const foreign = await sealPiece(keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY'), read, 'end', '{}');
		expect(await refused([header, ...rest, foreign])).toContain('another deployment made it');
		expect(await rows()).toBe(0);
		expect((await json('sandbox', 'price', 'LTC', '95'))['coin']).toBe('LTC');
	});

	it('that is broken off serves nothing, and goes on with the same file', async () => {
		const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
		const ends = { header: lines[0], manifest: lines.at(-1) };
		const { createHash } = await import('node:crypto');
		const digest = createHash('sha256')
			.update(
				lines
					.slice(0, -1)
					.map((line) => `${line}\n`)
					.join(''),
			)
			.digest('hex');
		await service.operator('restore/begin', { ...ends, pieces: lines.length - 2, digest });
		for (let piece = 1; piece <= 4; piece++)
			await service.operator('restore/write', { ...ends, piece, line: lines[piece] });
		expect(await refusal('partner', 'create', '--name', 'early')).toContain('holds the database still');
		expect(await refusal('backup', fileOf('other'))).toContain('a restore has begun and not ended');
		// Anyone who writes rows has SQL of their own among the triggers that the restore makes again.
		const evil = 'CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM audit_log; END';
		await service.sql("UPDATE holds SET triggers = json_insert(triggers, '$[#]', ?)", evil);
		expect(await refusal('restore', file)).toContain('somebody has changed the triggers');
		await expect(service.operator('restore/end', ends)).rejects.toThrow(/rows are missing|somebody has changed/);
		expect(await service.sql("SELECT name FROM sqlite_master WHERE name = 'evil'")).toEqual([]);
		await service.sql("UPDATE holds SET triggers = json_remove(triggers, '$[#-1]')");
		// The last step asks again.
		for (let piece = 5; piece < lines.length - 1; piece++)
			await service.operator('restore/write', { ...ends, piece, line: lines[piece] });
		await service.sql("UPDATE holds SET triggers = json_insert(triggers, '$[#]', ?)", evil);
		await expect(service.operator('restore/end', ends)).rejects.toThrow('somebody has changed the triggers');
		await service.sql("UPDATE holds SET triggers = json_remove(triggers, '$[#-1]')");
		await runbook.step('backup check FILE', { FILE: file });
		expect(await runbook.step('restore FILE', { FILE: file })).toMatch(/orders +7\n/);
	});

	it('has the kept balances, their proofs and the keys of archived orders as they were, and triggers keep them on', async () => {
		expect(before['ledger_balances']).not.toEqual([]);
		expect(before['wallet_flows']).not.toEqual([]);
		expect(before['keys']).toHaveLength(KEYS);
		expect(await derived()).toEqual(before);
		// The wallets differ: they have paid what the backup does not know.
		const { unbalanced, kept, next } = await service.operator('ledger/check', { full: true });
		expect({ unbalanced, kept, next }).toEqual({ unbalanced: [], kept: [], next: 'nothing to do' });
		await expect(service.sql("UPDATE ledger_entries SET amount = '1'")).rejects.toThrow('never changed');
	});

	it('knows every order as it was, and shows no address again', async () => {
		const shown = Object.values(orders).map(({ from }) => from.address);
		for (const name of ['NEW', 'EXPIRED', 'DONE', 'EMERGENCY', 'PENDING'])
			expect((await readOrder(service, partner, orderOf(name))).status, name).toBe(name);
		await send('Ethereum', true);
		const fresh = await eventually('an order on a new address', async () => {
			const { code, data } = await create(service, partner);
			return code === 0 && data;
		});
		expect(shown).not.toContain(fresh.from.address);
		const [row] = await service.sql<{ top: number }>('SELECT max(pay_in_index) AS top FROM orders');
		expect(row?.top).toBeGreaterThan(FAR);
		orders['after'] = fresh;
		// The restore has raised the counters: nobody has lost them.
		expect(await service.sql("SELECT subject FROM incidents WHERE kind = 'index-counter-lost'")).toEqual([]);
		// The chain of the audit log came with the journal, and goes on.
		expect(await service.operator('audit/verify')).toMatchObject({ wrong: 0, broken: [], triggers: [] });
	});

	it('pays new orders at once, and older ones only after a person has looked', async () => {
		await deposit(orderOf('after'));
		await until('after', 'DONE');
		await deposit(orderOf('NEW'));
		await service.operator('sandbox/confirm', { orders: [orderOf('PENDING').id] });
		type Shown = { waiting: { order: string; transaction: string; onChain: string; do: string }[] };
		const shown = await eventually('five orders to wait', async () => {
			const found = await json<Shown>('restored', 'show');
			return found.waiting.length === 5 && found;
		});
		const of = (name: string) => shown.waiting.find(({ order }) => order === orderOf(name).id);
		expect(of('owed')).toMatchObject({ onChain: 'nothing', do: `restored confirm ${orderOf('owed').id}` });
		const [sent] = await paid('paid later');
		expect(of('paid later')).toMatchObject({ onChain: sent?.txId });
		await runbook.step('restored show');

		const wrong = [
			'restored',
			'paid',
			String(of('owed')?.transaction),
			'--tx-id',
			'f'.repeat(64),
			'--reason',
			'guessed',
		];
		expect(await refusal(...wrong)).toContain('does not know');
		// Mined, and of our wallet, but another order's.
		const others = ['restored', 'paid', String(of('owed')?.transaction), '--tx-id', String(sent?.txId)];
		expect(await refusal(...others, '--reason', 'mistaken')).toContain('does not pay that recipient that amount');
		const id = String(of('paid later')?.transaction);
		const book = ['restored', 'paid', id, '--tx-id', String(sent?.txId), '--reason', 'seen in an explorer'];
		// It breaks off once the signer has recorded it and its row is signed.
		await service.sql(`CREATE TRIGGER dies BEFORE UPDATE ON transactions WHEN NEW.state = 'sent' AND NEW.raw = ''
			BEGIN SELECT RAISE(ABORT, 'died'); END`);
		for (const _ of [1, 2]) expect(await refusal(...book)).toContain('is recorded and not booked yet: run it again');
		await json('restored', 'confirm', orderOf('NEW').id);
		await until('NEW', 'DONE');
		await service.sql('DROP TRIGGER dies');
		const T = String(sent?.txId);
		expect(await runbook.step('restored paid PAYMENT --tx-id T --reason R', { PAYMENT: id, T })).toContain(T);
		await until('paid later', 'DONE');
		await runbook.step('restored confirm ORDER', { ORDER: ['owed', 'PENDING'].map((name) => orderOf(name).id) });
		await runbook.step('restored confirm --own');
		for (const name of ['owed', 'NEW', 'PENDING']) await until(name, 'DONE');
		for (const name of ['DONE', 'owed', 'paid later', 'NEW', 'PENDING', 'after'])
			expect(await paid(name), name).toHaveLength(1);
	});

	it('has exact books, and what partners have earned can be paid out', async () => {
		const books = await json('ledger', 'check', '--full');
		expect(books).toMatchObject({ differences: 0, unchecked: 0, unbalanced: [], kept: [] });
		await service.operator('order/refund', { id: orderOf('EMERGENCY').id });
		await service.operator('restored/confirm', { orders: [orderOf('EMERGENCY').id] });
		await until('EMERGENCY', 'EXPIRED');
		expect(await payoutsTo(service, 'Litecoin', LTC_REFUND)).toHaveLength(1);
	});

	it('says in its history, and to who has files alone, that the signer had signed more, until a person says why', async () => {
		const setBack = /^the signer’s journal was set back, alone or with the database: the bucket has a head of/;
		await signHistory(service);
		const [online, offline] = [await run('history', 'verify', '--json'), await provenHistory(service)];
		expect([online.status, JSON.parse(online.stdout).first]).toEqual([1, expect.stringMatching(setBack)]);
		expect([offline.status, offline.stderr]).toEqual([1, expect.stringMatching(setBack)]);
		const waiting = await service.operator<{ cause: string }[]>('attention');
		expect(waiting.some(({ cause }) => cause.startsWith('history-bent'))).toBe(true);
		await runbook.step('history accept --reason R');
		await signHistory(service);
		expect(await json('history', 'verify')).toMatchObject({ wrong: 0, uncompared: 0, late: 0 });
		expect(await provenHistory(service)).toMatchObject({ status: 0, stderr: '' });
	});

	it('has the secrets and passkeys of the backup until its partners get new ones', async () => {
		const PARTNER = partner.id;
		const read = async () =>
			(await signed(service, partner, '/api/v1/order', { id: orderOf('DONE').id, token: orderOf('DONE').token })).code;
		expect(await read()).toBe(0);
		await runbook.step('partner replace-secret PARTNER apiSecret', { PARTNER });
		expect(await read()).toBe(3);
		await runbook.step('partner replace-secret PARTNER webhookSecret', { PARTNER });
		await runbook.step('partner end-access PARTNER', { PARTNER });
		await runbook.step('partner invite PARTNER --recover', { PARTNER });
		await runbook.end();
		for (const name of ['DONE', 'owed', 'paid later', 'NEW', 'PENDING', 'after'])
			expect(await paid(name), name).toHaveLength(1);
	});
});
