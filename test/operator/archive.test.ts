/** Finished orders leave D1 for R2 and are read as before. The cron runs as the platform runs it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { API_WORKER } from '../../src/local/workers.ts';
import { ageOrder, type Bend, moveBent, repeatBatch, untilTransactionsFinal } from '../support/archived.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { provenHistory, signHistory } from '../support/exported-history.ts';
import { operatorOf } from '../support/operator.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({}, { pages: true });
const { partner, newOrder, until, deposit } = ordersForFile(service);
const { json } = operatorOf(service.current);
const DAY = 86_400_000;
const KEY = 'the key of the done order';
const REFERENCE = { externalId: 'the cart of the done order', externalIdUnique: true };
/** What is archived, and what must stay. */
const gone: CreatedOrder[] = [];
let done: CreatedOrder;
let recent: CreatedOrder;
let owed: CreatedOrder;
let hooked: CreatedOrder;
/** At its address lies a token that is not listed. */
let tokened: CreatedOrder;
let earner: Credentials;
const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	service.current().sql<T>(statement, ...values);
const cron = () => service.current().local.runScheduled();
const bucket = () => service.current().local.miniflare.getR2Bucket('ARCHIVE', API_WORKER);
const objects = async () => (await (await bucket()).list()).objects.map(({ key }) => key);
const ids = async () => (await sql<{ id: string }>('SELECT id FROM orders ORDER BY id')).map(({ id }) => id);
const orderText = async (order: CreatedOrder, path = '/api/v1/order', more = {}) =>
	(await signed(service.current(), partner(), path, { id: order.id, token: order.token, ...more })).text;
const shown = (order: CreatedOrder) => service.current().operator('order/show', { id: order.id });
const books = async () => {
	const { differences, balances, wallets } = await service.current().operator('ledger/check');
	const { referenceCodes: codes } = await service.current().operator('partner/show', { id: partner().id });
	return { differences, balances, wallets, codes };
};

/** As if all of it had happened so many days ago. */
const age = (order: CreatedOrder, days: number) => ageOrder(service.current(), order.id, days);
const untilFinal = (order: CreatedOrder) => untilTransactionsFinal(service.current(), order.id);

beforeAll(async () => {
	const { operator } = service.current();
	earner = await createPartner(service.current(), { afftaxBps: 100, weightPerMinute: 1_000_000 });
	const coded = { apiKey: `${partner().apiKey}.summer` };
	await signed(service.current(), partner(), '/api/v1/codes', { code: 'summer' });
	done = (await create(service.current(), partner(), REFERENCE, { headers: { 'idempotency-key': KEY } })).data;
	const withCode = (await create(service.current(), partner(), {}, coded)).data;
	hooked = await newOrder();
	owed = (await create(service.current(), earner)).data;
	const refunded = await newOrder();
	const unpaid = await newOrder();
	tokened = await newOrder();
	await operator('sandbox/deposit', { orders: [done, withCode, hooked, owed].map(({ id }) => id) });
	await deposit(refunded, { amount: '0.2' });
	for (const order of [done, withCode, hooked]) await until(order, 'DONE');
	await untilStatus(service.current(), earner, owed, 'DONE');
	await until(refunded, 'EMERGENCY');
	await operator('order/refund', { id: refunded.id });
	await until(refunded, 'EXPIRED');
	for (const order of [done, withCode, hooked, owed, refunded]) await untilFinal(order);
	await eventually('no pay-in address to wait for a sweep', async () => {
		await sql('UPDATE sweep_candidates SET next_attempt_at = 0');
		return (await sql('SELECT * FROM sweep_candidates')).length === 0;
	});
	for (const { id } of [unpaid, tokened])
		await sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", id);
	await sql(
		`INSERT INTO unlisted_tokens (network, address, token, order_id, amount, found_at)
			SELECT from_network, pay_in_address, '0xtoken', id, '5', 0 FROM orders WHERE id = ?`,
		tokened.id,
	);
	await sql(
		`INSERT INTO webhook_events (id, partner_id, order_id, sequence, type, body, next_attempt_at, created_at, event_id, endpoint_id)
			VALUES ('hook', ?, ?, 9, 'order.status_changed', '{}', ?, 0, 'hook', 'none')`,
		partner().id,
		hooked.id,
		Date.now() + DAY,
	);
	recent = await newOrder();
	gone.push(done, withCode, refunded, unpaid);
	for (const order of [...gone, hooked, owed, tokened]) await age(order, 40);
});

describe('the archive', () => {
	it('moves nothing while the operator has switched it off', async () => {
		const before = await ids();
		await cron();
		expect(await ids()).toEqual(before);
		expect(await objects()).toEqual([]);
	});

	it('loses nothing where the run ends between the object and the batch, and makes the same object again', async () => {
		const before = await ids();
		await service.current().operator('site/update', { archiveAfterDays: 31 });
		await sql("CREATE TRIGGER crash BEFORE DELETE ON order_changes BEGIN SELECT RAISE(ABORT, 'crash'); END");
		await cron();
		expect(await ids()).toEqual(before);
		expect(await objects()).toHaveLength(1);
		expect(await sql('SELECT * FROM archived_batches')).toEqual([]);
		expect(await sql('SELECT * FROM archived_totals')).toEqual([]);
		expect(service.current().logged('watchdog_failed').at(-1)).toMatchObject({ part: 'archive' });
		await sql('DROP TRIGGER crash');
	});
});

describe('archived orders', () => {
	const before = new Map<string, unknown>();
	let kept: unknown;

	it('leave D1 once, those alone that are finished and of which nothing is owed', async () => {
		for (const order of gone) before.set(order.id, [await orderText(order), await shown(order)]);
		kept = await books();
		const all = await ids();
		await Promise.allSettled([cron(), cron()]);
		await sql('DELETE FROM archive_cursors');
		await cron();
		const moved = gone.map(({ id }) => id);
		expect(await ids()).toEqual(all.filter((id) => !moved.includes(id)));
		expect(await ids()).toEqual(expect.arrayContaining([recent.id, owed.id, hooked.id, tokened.id]));
		const [batch] = await sql('SELECT number, orders, object FROM archived_batches');
		expect(await sql('SELECT count(*) AS batches, sum(orders) AS orders FROM archived_batches')).toEqual([
			{ batches: 1, orders: moved.length },
		]);
		expect(await objects()).toEqual([batch?.['object']]);
	});

	it('are read as before, byte for byte, by their partner and by the operator', async () => {
		for (const order of gone) expect([await orderText(order), await shown(order)]).toEqual(before.get(order.id));
	});

	it('leave the books and the counters as they were', async () => {
		expect(await service.current().operator('history/verify')).toMatchObject({ wrong: 0, late: 0 });
		expect(kept).toMatchObject({ differences: 0, codes: [{ code: 'summer', orders: 1, ordersDone: 1 }] });
		expect(await books()).toEqual(kept);
	});

	it('are compared in their objects also by who has the files alone', async () => {
		await signHistory(service.current());
		expect(await provenHistory(service.current())).toMatchObject({ status: 0, stderr: '' });
		const [object = ''] = (await objects()).filter((key) => key.startsWith('orders/'));
		const { status, stderr } = await provenHistory(service.current(), object);
		expect([status, stderr]).toEqual([1, `the archive has no object ${object}\n`]);
	});

	it('count in the totals of the reports, by the day of their settlement', async () => {
		const totals = await sql('SELECT * FROM archived_totals ORDER BY reference_code, day');
		const day = new Date(Date.now() - 40 * DAY).toISOString().slice(0, 10);
		const both = { day, partner_id: partner().id, from_asset: 'LTC', to_asset: 'ETH' };
		const [paid] = await sql<{ amount: string; usd: number }>(
			"SELECT amount, usd_cents AS usd FROM transactions WHERE order_id = ? AND kind = 'payout'",
			hooked.id,
		);
		const once = { volume_usd_cents: paid?.usd, paid: paid?.amount, received: '200000000' };
		expect(totals).toMatchObject([
			{
				...both,
				...once,
				reference_code: '',
				orders: 3,
				orders_done: 1,
				partner_share: '0',
				refunded: expect.any(String),
			},
			{ ...both, ...once, reference_code: 'summer', orders: 1, orders_done: 1, refunded: '0' },
		]);
	});

	it('keep their Idempotency-Keys', async () => {
		const bend = { headers: { 'idempotency-key': KEY } };
		const replay = await create(service.current(), partner(), REFERENCE, bend);
		expect(replay.data).toEqual({ ...JSON.parse(String((before.get(done.id) as unknown[])[0])).data, token: null });
		const other = await create(service.current(), partner(), { amount: '3' }, bend);
		expect([other.status, other.code]).toEqual([409, 1]);
		const others = await create(service.current(), earner, {}, bend);
		expect([others.code, others.data.id === done.id]).toEqual([0, false]);
	});

	it('keep their references: another create of the same one answers them, and none takes it', async () => {
		const replay = await create(service.current(), partner(), REFERENCE);
		expect(replay.data).toMatchObject({ id: done.id, token: null, externalId: REFERENCE.externalId });
		const other = await create(service.current(), partner(), { ...REFERENCE, amount: '3' });
		expect([other.status, other.code]).toEqual([409, 1]);
		const others = await create(service.current(), earner, REFERENCE);
		expect([others.code, others.data.id === done.id]).toEqual([0, false]);
	});

	it('are shown to nobody else: a wrong token and another partner read code 6', async () => {
		const wrong = await orderText({ ...done, token: recent.token });
		const foreign = await signed(service.current(), earner, '/api/v1/order', { id: done.id, token: done.token });
		expect([JSON.parse(wrong).code, foreign.code]).toEqual([6, 6]);
	});

	it('are not in a list, which says since when none is missing', async () => {
		const { data } = await signed<{ orders: { id: string }[]; completeSince: number }>(
			...([service.current(), partner(), '/api/v1/orders', { since: 0 }] as const),
		);
		const listed = data.orders.map(({ id }) => id);
		expect(gone.filter(({ id }) => listed.includes(id))).toEqual([]);
		expect(listed).toEqual(expect.arrayContaining([recent.id, hooked.id]));
		const [newest] = await sql<{ made: number; at: number }>(
			'SELECT max(last_at) AS made, max(at) AS at FROM archived_batches',
		);
		expect(data.completeSince * 1000).toBeGreaterThan(newest?.made ?? 0);
		expect(Math.abs(data.completeSince * 1000 - ((newest?.at ?? 0) - 31 * DAY))).toBeLessThanOrEqual(1000);
		const others = await signed<{ completeSince: null }>(service.current(), earner, '/api/v1/orders', {});
		expect(others.data.completeSince).toBeNull();
	});

	it('are found in the cabinet of their partner, shown with what happened, and nowhere in another’s', async () => {
		const [owner, other] = [
			await new CabinetVisitor(service.current()).enter(partner().id),
			await new CabinetVisitor(service.current()).enter(earner.id),
		];
		const payout = JSON.parse(await orderText(done)).data.to.tx.id;
		for (const q of [done.id, done.from.address, REFERENCE.externalId, payout]) {
			const path = `/cabinet/orders?q=${encodeURIComponent(q)}`;
			expect([q, (await owner.get(path)).text.includes(`/cabinet/orders/${done.id}`)]).toEqual([q, true]);
			expect([q, (await other.get(path)).text.includes(done.id)]).toEqual([q, q === done.id]);
		}
		const { status, text } = await owner.get(`/cabinet/orders/${done.id}`);
		expect(status).toBe(200);
		for (const said of ['This order is archived', 'Sent 0.0', 'Deposit of 2 LTC seen', 'Payout of', done.from.address])
			expect([said, text.includes(said)]).toEqual([said, true]);
		expect(text).not.toContain('Send again');
		expect((await other.get(`/cabinet/orders/${done.id}`)).status).toBe(404);
		expect((await owner.get('/cabinet/orders')).text).toMatch(/made since <time[^>]*>[^<]*<\/time> are all here/);
		expect((await other.get('/cabinet/orders')).text).not.toContain('are archived');
		expect((await owner.get('/cabinet/orders.csv')).text).not.toContain(done.id);
	});

	it('answer qr and emergency as a finished order does', async () => {
		expect(JSON.parse(await orderText(done, '/api/v1/qr')).data.qrPng).toMatch(/^data:image/);
		const choice = { choice: 'EXCHANGE' };
		expect(await orderText(done, '/api/v1/emergency', choice)).toBe(
			await orderText(hooked, '/api/v1/emergency', choice),
		);
	});

	it('never have their pay-in address as a recipient', async () => {
		const refused = await create(service.current(), partner(), {
			fromCcy: 'ETH',
			toCcy: 'LTC',
			amount: '0.1',
			toAddress: done.from.address.toUpperCase(),
			refundAddress: done.to.address,
		});
		expect(refused.code).toBe(1);
	});

	it('are changed by no command, and it says so', async () => {
		for (const command of ['order/delete', 'order/refund', 'order/finalise']) {
			const input = { id: done.id, ...(command === 'order/finalise' && { reason: 'a test' }) };
			await expect(service.current().operator(command, input)).rejects.toThrow('is archived');
		}
	});

	it('are listed by their batch, found by address and transaction, by order find too, and checked against their objects', async () => {
		const { operator } = service.current();
		expect(await operator('archive/list')).toMatchObject([{ number: 1, orders: 4 }]);
		expect(await operator<{ id: string }[]>('archive/show', { number: 1 })).toHaveLength(4);
		const payout = JSON.parse(await orderText(done)).data.to.tx.id;
		for (const text of [done.id, done.from.address, REFERENCE.externalId, payout])
			expect(await operator('archive/find', { text })).toMatchObject({ id: done.id });
		const line = { id: done.id, status: 'DONE', received: '2', receivedUsd: expect.any(String), foundBy: 'archive' };
		for (const text of [done.id, done.from.address, payout])
			expect(await operator('order/find', { text })).toMatchObject([line]);
		expect(await operator('order/find', { text: 'nobody has this' })).toEqual([]);
		const begun = operator('order/show', { id: done.id.slice(0, 8) });
		await expect(begun).rejects.toThrow('an archived one is found by its whole id');
		expect(await operator('archive/check')).toMatchObject({ checked: 1, wrong: [], next: null });
	});

	it('are never read from an object that was changed, or under a seal that does not hold', async () => {
		const [name = ''] = await objects();
		const store = await bucket();
		const bytes = await (await store.get(name))?.arrayBuffer();
		await store.put(name, new Uint8Array([1, 2, 3]));
		expect(JSON.parse(await orderText(done)).code).toBe(99);
		expect(await service.current().operator('archive/check')).toMatchObject({ wrong: [{ number: 1 }] });
		await store.put(name, new Uint8Array(bytes ?? new ArrayBuffer(0)));
		await sql("UPDATE archived_batches SET seal = '1.' || substr(hex(zeroblob(32)), 1, 64)");
		expect(JSON.parse(await orderText(done)).code).toBe(99);
		const owner = await new CabinetVisitor(service.current()).enter(partner().id);
		const { status, text } = await owner.get(`/cabinet/orders?q=${encodeURIComponent(REFERENCE.externalId)}`);
		expect([status, text.includes('The archive could not be searched'), text.includes(done.id)]).toEqual([
			200,
			true,
			false,
		]);
	});
});

describe('a move', () => {
	const move = (ids: readonly string[], bend: Bend) => moveBent(service.current(), ids, bend);
	const state = () =>
		sql(
			`SELECT (SELECT count(*) FROM orders) AS orders, (SELECT sum(orders) FROM archived_batches) AS archived,
				(SELECT sum(orders) FROM archived_totals) AS counted`,
		);
	const archiveAfter = (days: number | null) => service.current().operator('site/update', { archiveAfterDays: days });
	// The service's own cron would move the orders of these tests.
	beforeAll(() => archiveAfter(null).then(() => undefined));

	/** An order that nobody paid, forty days old. */
	async function oldOrder(who: Credentials = partner(), more: Record<string, unknown> = {}): Promise<CreatedOrder> {
		const { data: order } = await create(service.current(), who, more);
		await sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", order.id);
		await age(order, 40);
		return order;
	}

	it('does nothing where a row has changed since it was read', async () => {
		const order = await oldOrder();
		const before = await state();
		const onPut = () => service.current().operator('order/delete', { id: order.id });
		const message = expect.stringContaining('archived_batches.orders');
		await expect(move([order.id], { onPut })).rejects.toMatchObject({ cause: { message } });
		expect(await state()).toEqual(before);
		expect(JSON.parse(await orderText(order)).code).toBe(6);
	});

	it('leaves orders in D1 that owe somebody or whose books do not hold, and folds the books of the others', async () => {
		const [open, wrong, sound] = [await oldOrder(), await oldOrder(), await oldOrder()];
		const book = ({ id }: CreatedOrder, cause: string, account: string, amount: string) =>
			sql('INSERT INTO ledger_entries VALUES (null, ?, ?, ?, ?, ?, ?)', id, cause, account, 'LTC', amount, Date.now());
		await book(open, 'settled', 'wallet', '7');
		await book(open, 'settled', 'payable', '-7');
		await book(sound, 'settled', 'wallet', '5');
		await book(sound, 'settled', 'house', '-5');
		const before = await books();
		expect(await move([open.id, sound.id], {})).toBe(1);
		const left = await ids();
		expect([open, sound].map(({ id }) => left.includes(id))).toEqual([true, false]);
		expect(await sql('SELECT * FROM ledger_entries WHERE order_id = ?', sound.id)).toEqual([]);
		expect(await books()).toEqual(before);
		await book(wrong, 'settled', 'house', '3');
		expect(await move([wrong.id], {})).toBe(0);
		await book(wrong, 'settled and taken back', 'house', '-3');
		expect(await move([wrong.id], {})).toBe(1);
		expect(await books()).toEqual(before);
	});

	it('counts its orders once where the answer to its batch was lost', async () => {
		const order = await oldOrder();
		const [[before], text] = [await state(), await orderText(order)];
		await expect(move([order.id], { isAnswerLost: true })).rejects.toThrow('the answer was lost');
		await sql('DELETE FROM archive_cursors');
		await archiveAfter(31).then(cron);
		await archiveAfter(null);
		const plus = (name: string, more: number) => ({ [name]: Number(before?.[name]) + more });
		expect(await state()).toEqual([{ ...plus('orders', -1), ...plus('archived', 1), ...plus('counted', 1) }]);
		expect(await orderText(order)).toBe(text);
	});

	it('far back is found too: the cabinet says how far it searched, and goes on from there', async () => {
		const shared = { externalId: 'cart 7' };
		const [oldest, older, theirs] = [
			await oldOrder(partner(), shared),
			await oldOrder(partner(), shared),
			await oldOrder(earner, shared),
		];
		expect([await move([oldest.id, older.id], {}), await move([theirs.id], {})]).toEqual([2, 1]);
		// Another partner has the same reference in as many batches as one page reads.
		await repeatBatch(service.current(), 7);
		const live = await create(service.current(), partner(), shared);
		const owner = await new CabinetVisitor(service.current()).enter(partner().id);
		const listed = (text: string) => [...text.matchAll(/\/cabinet\/orders\/([0-9a-f-]{36})/g)].map(([, id]) => id);
		const first = await owner.get('/cabinet/orders?q=cart+7');
		expect(listed(first.text)).toEqual([live.data.id]);
		expect(first.text).toMatch(
			/those that were archived since <time[^>]*>[^<]*<\/time>\. Others may have this text too/,
		);
		const further = /href="([^"]*back=[^"]*)">Search further back/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
		const second = await owner.get(further ?? '');
		expect(listed(second.text).toSorted()).toEqual([oldest.id, older.id].toSorted());
		expect([second.text.includes('Search further back'), second.text.includes('This is all')]).toEqual([false, true]);
		expect((await owner.get(`/cabinet/orders/${oldest.id}`)).text).toContain('This order is archived');
		// What the archive does not know an order by is said.
		const byRecipient = await owner.get(`/cabinet/orders?q=${oldest.to.address.slice(0, -1)}0`);
		expect(byRecipient.text).toMatch(
			/made before <time[^>]*>[^<]*<\/time> are archived\. Those are found by their whole id/,
		);
		// A text that no other partner has is found at once, however far back it is.
		expect(listed((await owner.get(`/cabinet/orders?q=${oldest.from.address}`)).text)).toEqual([oldest.id]);
		const nobody = await new CabinetVisitor(service.current()).enter((await createPartner(service.current())).id);
		const strange = await nobody.get(further ?? '');
		expect([listed(strange.text), strange.text.includes('None of your older orders')]).toEqual([[], true]);
	});
});

describe('what grows', () => {
	it('is pruned: bodies of delivered webhooks by the operator’s age, and deliveries after 30 days', async () => {
		const ago = (days: number) => Date.now() - days * DAY;
		const add = (id: string, state: string, at: number) =>
			sql(
				`INSERT INTO webhook_events (id, partner_id, type, body, state, next_attempt_at, created_at, event_id, endpoint_id)
					VALUES (?1, ?2, 'partner.paid_out', 'a body', ?3, 0, ?4, ?1, 'none')`,
				id,
				partner().id,
				state,
				at,
			);
		await add('young', 'delivered', ago(2));
		await add('old', 'delivered', ago(9));
		await add('refused', 'ended', ago(9));
		await add('outdated', 'delivered', ago(31));
		const changed = await json('site', 'update', '--webhook-body-days', '7', '--archive-after-days', 'none');
		expect(changed).toMatchObject({ webhookBodyDays: 7, archiveAfterDays: null });
		await cron();
		const left = await sql("SELECT id, body FROM webhook_events WHERE type = 'partner.paid_out' ORDER BY id");
		expect(left).toEqual([
			{ id: 'old', body: '' },
			{ id: 'refused', body: 'a body' },
			{ id: 'young', body: 'a body' },
		]);
		await expect(service.current().operator('webhook/redeliver', { id: 'old' })).rejects.toThrow(
			'its body was dropped',
		);
	});
});
