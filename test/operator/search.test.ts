/** Finding things with the operator's command: beginnings of ids, names of partners, pages of orders, `order find`. */
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { withWholeIds } from '../../src/operator/names.ts';
import { findByText } from '../../src/operator/orders/find.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

interface Line {
	readonly id: string;
	readonly partnerName: string;
	readonly received: string | null;
	readonly receivedUsd: string | null;
	readonly foundBy?: string;
}
interface Shown {
	readonly order: CreatedOrder;
	readonly deposits: readonly { readonly txId: string; readonly explorer: string | null }[];
	readonly payouts: readonly { readonly id: string; readonly txId: string; readonly explorer: string | null }[];
}

const service = serviceForFile();
const { run } = operatorOf(service.current);
const operator = <T = Record<string, unknown>>(command: string, input: unknown = {}) =>
	service.current().operator<T>(command, input);
const list = (input: unknown = {}) => operator<Line[]>('order/list', input);
const find = (text: string, limit = 50) => operator<Line[]>('order/find', { text, limit });
const idsOf = (lines: readonly Line[]) => lines.map(({ id }) => id);

let partner: Credentials;
/** The newest first. */
let orders: CreatedOrder[];
let shown: Shown;

async function made(): Promise<CreatedOrder> {
	const { data, text } = await create(service.current(), partner);
	if (!data) throw new Error(text);
	return data;
}

beforeAll(async () => {
	partner = await createPartner(service.current(), { name: 'Acme 交易所' });
	orders = [];
	for (let i = 0; i < 3; i++) orders.unshift(await made());
	const [, , first] = orders;
	if (!first) throw new Error('no order');
	await operator('sandbox/deposit', { orders: [first.id.slice(0, 8)] });
	await untilStatus(service.current(), partner, first, 'DONE');
	shown = await operator<Shown>('order/show', { id: first.id });
});

const done = () => shown.order.id;

describe('the beginning of an id', () => {
	it('stands for the id, in capitals too', async () => {
		const short = done().slice(0, 8).toUpperCase();
		expect((await operator<Shown>('order/show', { id: short })).order.id).toBe(done());
		const [payout] = shown.payouts;
		const settle = operator('payout/settle', { id: payout?.id.slice(0, 8), txId: 'x', reason: 'test' });
		await expect(settle).rejects.toThrow(`transaction ${payout?.id} may still arrive`);
		expect(await operator('webhook/list', { order: short })).toEqual([]);
	});

	it('is refused with the candidates when it stands for several, and nothing is changed', async () => {
		const [newest] = orders;
		const twin = `${newest?.id.slice(0, 9)}0000-4000-8000-000000000000`;
		await service
			.current()
			.sql(
				`INSERT INTO orders SELECT ${await columnsWith({ id: `'${twin}'`, pay_in_address: "'twin'", idempotency_key: 'NULL' })} FROM orders WHERE id = ?1`,
				newest?.id,
			);
		const refused = operator('order/delete', { id: newest?.id.slice(0, 8) });
		await expect(refused).rejects.toThrow(`${newest?.id.slice(0, 8)} may be any of `);
		await expect(refused).rejects.toThrow(twin);
		expect(await find(twin.slice(0, 8))).toHaveLength(2);
		await service.current().sql('DELETE FROM orders WHERE id = ?1', twin);
		expect((await list({ partner: partner.id }))[0]).toMatchObject({ id: newest?.id, deletedAt: null });
	});

	it('of fewer than four characters stands for nothing', async () => {
		const short = done().slice(0, 3);
		await expect(operator('order/show', { id: short })).rejects.toThrow(`there is no order ${short}`);
	});
});

/** All columns of `orders`, some as other expressions. */
async function columnsWith(others: Readonly<Record<string, string>>): Promise<string> {
	const rows = await service.current().sql<{ name: string }>("SELECT name FROM pragma_table_info('orders')");
	return rows.map(({ name }) => others[name] ?? name).join(', ');
}

describe('the name of a partner', () => {
	it('stands for its id, in any case, wherever a partner is named', async () => {
		expect(await operator('partner/show', { id: 'ACME 交易所' })).toMatchObject({ id: partner.id });
		expect(await operator('partner/show', { id: partner.id.slice(0, 8) })).toMatchObject({ id: partner.id });
		expect(await list({ partner: 'acme 交易所' })).toHaveLength(3);
		expect(await operator('earnings/show', { partner: 'Acme 交易所' })).toMatchObject({ partnerId: partner.id });
		await expect(operator('partner/show', { id: 'Acme' })).rejects.toThrow('there is no partner Acme');
	});

	it('is refused with the candidates when two have it', async () => {
		const twins = [
			await createPartner(service.current(), { name: 'Twin' }),
			await createPartner(service.current(), { name: 'twin' }),
		];
		const refused = operator('partner/update', { id: 'twin', enabled: false });
		for (const { id } of twins) await expect(refused).rejects.toThrow(id);
		expect(await operator('partner/show', { id: twins[0]?.id })).toMatchObject({ enabled: true });
	});
});

describe('order list', () => {
	it('has the partner’s name, what arrived and what that is worth', async () => {
		const lines = await list({ partner: partner.id });
		expect(idsOf(lines)).toEqual(orders.map(({ id }) => id));
		expect(lines.map(({ partnerName, received, receivedUsd }) => [partnerName, received, receivedUsd])).toEqual([
			['Acme 交易所', null, null],
			['Acme 交易所', null, null],
			['Acme 交易所', '2', '190.00'],
		]);
	});

	it('goes on below the last order of a page, also among orders of one millisecond', async () => {
		await service.current().sql('UPDATE orders SET created_at = (SELECT min(created_at) FROM orders)');
		const all = idsOf(await list());
		const pages: string[] = [];
		for (let after: string | undefined; ; after = pages.at(-1)?.slice(0, 8)) {
			const page = idsOf(await list({ limit: 1, ...(after && { after }) }));
			if (page.length === 0) break;
			pages.push(...page);
		}
		expect(pages).toEqual(all);
		expect(all).toEqual(all.toSorted());
		await expect(list({ after: 'nothing' })).rejects.toThrow('there is no order nothing');
	});

	it('shows what was made since and until a moment, absolute or ago', async () => {
		const [line] = await operator<{ createdAt: string }[]>('order/list');
		expect(await list({ since: '1h', until: '2999-01-01' })).toHaveLength(3);
		expect(await list({ since: line?.createdAt })).toHaveLength(3);
		expect(await list({ until: line?.createdAt })).toEqual([]);
		await expect(list({ since: 'yesterday' })).rejects.toThrow('must be a date or time in UTC');
	});

	it('is a table of at most 80 columns with short ids, and says how it goes on', async () => {
		const { status, stdout } = await run('order', 'list', '-n', '2', '--partner', 'Acme 交易所');
		expect(status).toBe(0);
		expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
		const [first, second] = idsOf(await list());
		expect(stdout).toMatch(new RegExp(`^ID +STATUS .*\\n${first?.slice(0, 8)} `));
		expect(stdout).toContain(`--after ${second?.slice(0, 8)}\n`);
		const csv = await run('order', 'list', '--format', 'csv');
		expect(csv.stdout.split('\r\n')).toHaveLength(5);
		expect(csv.stdout).toContain(`${first},${partner.id},`);
	});
});

describe('order find', () => {
	it('finds an order by the beginning of its id and by each of its addresses, in any case', async () => {
		const one = { id: done() };
		expect(await find(done().slice(0, 8))).toMatchObject([{ ...one, foundBy: 'id' }]);
		expect(await find(shown.order.from.address)).toMatchObject([{ ...one, foundBy: 'deposit address' }]);
		expect(await find(shown.order.from.address.toUpperCase())).toMatchObject([{ ...one, foundBy: 'deposit address' }]);
		for (const [address, foundBy] of [
			[ETH_RECIPIENT.toLowerCase(), 'recipient'],
			[LTC_REFUND.toUpperCase(), 'refund address'],
		] as const)
			expect((await find(address)).map((line) => line.foundBy)).toEqual([foundBy, foundBy, foundBy]);
		expect(await find(ETH_RECIPIENT, 2)).toHaveLength(2);
	});

	it('finds it by the transaction of its deposit, of its payout, of a replaced one and of one made by hand', async () => {
		const { sql } = service.current();
		const [[deposit], [payout]] = [shown.deposits, shown.payouts];
		await sql(
			"UPDATE transactions SET state = 'final', final_at = coalesce(final_at, 1), settled_tx_id = 'byHand' WHERE id = ?1",
			payout?.id,
		);
		await sql(`INSERT INTO transaction_versions VALUES (?1, '0x${'ab'.repeat(32)}', '', 0)`, payout?.id);
		for (const [text = '', foundBy] of [
			[deposit?.txId.toUpperCase(), 'deposit'],
			[payout?.txId, 'payout'],
			[payout?.id.slice(0, 8), 'payout'],
			[`0x${'AB'.repeat(32)}`, 'payout'],
			['byHand', 'payout'],
		])
			expect(await find(text)).toMatchObject([{ id: done(), foundBy, received: '2' }]);
	});

	it('says what a transaction is that belongs to no order, and what is found nowhere', async () => {
		expect(await find('nowhere')).toEqual([]);
		expect((await run('order', 'find', 'nowhere')).stdout).toBe(
			'No order has this id, address, reference or transaction, archived ones included.\n',
		);
		await expect(operator('order/find', { text: 'abc' })).rejects.toThrow('name at least 4 characters');
	});

	it('no search and no resolved name reads a whole table', async () => {
		const d1 = service.current().database;
		const seen: { sql: string; params: unknown[] }[] = [];
		const recorded = (sql: string) => ({
			bind(...params: unknown[]) {
				seen.push({ sql, params });
				return d1.prepare(sql).bind(...params);
			},
		});
		const recording = { prepare: recorded, batch: (statements: never[]) => d1.batch(statements) };
		const db = drizzle(recording as unknown as D1Database);
		await findByText(db, 'abcdef', 5);
		const named = (command: { arguments?: object; options: object }, input: object) =>
			withWholeIds(db, command as never, input);
		await named(TOPICS.order.commands.show, { id: 'abcdef' });
		await named(TOPICS.payout.commands.settle, { id: 'abcdef' });
		await named(TOPICS.restored.commands.paid, { id: 'abcdef' });
		await named(TOPICS.webhook.commands.redeliver, { id: 'abcdef' });
		await named(TOPICS.partner.commands.show, { id: 'abcdef' });
		await named(TOPICS.audit.commands.list, { subject: 'abcdef' });
		expect(seen.length).toBeGreaterThan(12);
		for (const { sql, params } of seen) {
			const plan = await service.current().sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
			const scans = plan.filter(({ detail }) => /^SCAN (?!json_each)/.test(detail));
			expect([sql, scans]).toEqual([sql, []]);
		}
	});
});

it('a transaction on the sandbox has no explorer, because none knows it', () => {
	expect([...shown.deposits, ...shown.payouts].map(({ explorer }) => explorer)).toEqual([null, null]);
});
