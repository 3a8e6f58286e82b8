/** The kill switches and every kind of transaction, on SQLite: what each switch stops, and what continues. */
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { waiting } from '../../src/operator/orders/attention.ts';
import { orders as ordersTable } from '../../src/orders/table.ts';
import { type TransactionKind, type TransactionRow, transactions } from '../../src/treasury/table.ts';
import { dueTransactions } from '../../src/treasury/transactions/store.ts';
import { stoppedBy } from '../../src/treasury/transactions/wait-reason.ts';
import { databaseInMemory, orderIdOf } from '../support/database.ts';

type Kind = readonly [TransactionKind, AssetId, AssetId | null];

/** Each kind on Ethereum, with the asset that it moves, and for a sweep or its gas the token swept. */
const KINDS: readonly Kind[] = [
	['payout', 'USDTERC20', null],
	['refund', 'USDTERC20', null],
	['earnings', 'USDTERC20', null],
	['withdrawal', 'USDTERC20', null],
	['gas', 'ETH', 'USDTERC20'],
	['sweep', 'USDTERC20', 'USDTERC20'],
	['consolidation', 'ETH', null],
];
const ALL = KINDS.map(([kind]) => kind);

const asset = (code: string) => `INSERT INTO asset_settings (code, active) VALUES ('${code}', 0)`;
const network = (name: string) => `INSERT INTO network_settings (name, send, receive) VALUES ('${name}', 0, 1)`;

/** A switch that is off, and the kinds that it stops. */
const SWITCHES: readonly (readonly [string, string | null, readonly TransactionKind[]])[] = [
	['nothing is off', null, []],
	['an asset of another network is off', asset('DAIAVAX'), []],
	['another asset of the network is off', asset('USDCERC20'), []],
	['the token is off', asset('USDTERC20'), ['payout', 'refund', 'earnings', 'withdrawal', 'gas', 'sweep']],
	['the coin of the network is off', asset('ETH'), ['gas', 'consolidation']],
	['sending on another network is off', network('Tron'), []],
	['sending on the network is off', network('Ethereum'), ALL],
];

const database = databaseInMemory();

beforeAll(async () => {
	await database.addOrders({ addresses: ['a', 'b'], expiresAt: 0, status: 'EMERGENCY' });
	const db = drizzle(database.d1);
	for (const [i, [kind, code, sweepAsset]] of KINDS.entries()) {
		const ofOrder = kind === 'payout' || kind === 'refund';
		const orderId = ofOrder ? orderIdOf('Ethereum', 'EMERGENCY', i === 0 ? 'a' : 'b') : null;
		await db
			.insert(transactions)
			.values({
				id: kind,
				kind,
				orderId,
				network: 'Ethereum',
				asset: code,
				toAddress: 'to',
				amount: '1',
				usdCents: 1,
				...(sweepAsset && { payInAddress: `of ${kind}`, payInIndex: 1, sweepAsset }),
				state: 'planned',
				plannedAt: 0,
				settlementSeal: ofOrder ? 'sealed' : null,
				nextAttemptAt: 0,
			});
	}
});

describe('while', () => {
	it.each(SWITCHES)('%s, what it stops waits and everything else continues', async (_, statement, stopped) => {
		await database.run('DELETE FROM asset_settings');
		await database.run('DELETE FROM network_settings');
		if (statement) await database.run(statement);
		const due = await dueTransactions({ db: drizzle(database.d1), network: 'Ethereum', now: 1 }, 'planned');
		const goesOn = ALL.filter((kind) => !stopped.includes(kind));
		expect(due.map(({ kind }) => kind).toSorted()).toEqual(goesOn.toSorted());
		expect(await namedSwitches()).toEqual(stopped.toSorted());
	});

	it('sending is off, transactions already sent are followed', async () => {
		await database.run("INSERT OR REPLACE INTO network_settings (name, send, receive) VALUES ('Ethereum', 0, 1)");
		await database.run(
			"UPDATE transactions SET state = 'sent', raw = 'r', tx_id = 't', sent_at = 0, signed_at = 0 WHERE id = 'withdrawal'",
		);
		const due = await dueTransactions({ db: drizzle(database.d1), network: 'Ethereum', now: 1 }, 'sent');
		expect(due.map(({ kind }) => kind)).toEqual(['withdrawal']);
	});
});

/** The kinds that `attention` lists when a switch stops them. */
async function namedSwitches(): Promise<string[]> {
	const off = await database.run('SELECT code FROM asset_settings WHERE active = 0');
	const silent = await database.run('SELECT name FROM network_settings WHERE send = 0');
	const switches = {
		inactiveAssets: off.map(({ code }) => code as AssetId),
		networks: Object.fromEntries(silent.map(({ name }) => [name, { send: false, receive: true }])),
	};
	const rows = (await drizzle(database.d1).select().from(transactions)) as TransactionRow[];
	return rows
		.filter((row) => stoppedBy(row, switches) !== null)
		.map(({ kind }) => kind)
		.toSorted();
}

it('the operator is shown each order whose payout a switch stops, and no other', async () => {
	const orders = () => drizzle(database.d1).select({ id: ordersTable.id }).from(ordersTable).where(waiting(1));
	await database.run('DELETE FROM network_settings');
	await database.run('DELETE FROM asset_settings');
	await database.run("UPDATE orders SET status = 'EXCHANGE'");
	expect(await orders()).toEqual([]);
	await database.run(asset('USDTERC20'));
	expect((await orders()).map(({ id }) => id).toSorted()).toEqual(['Ethereum EMERGENCY a', 'Ethereum EMERGENCY b']);
});
