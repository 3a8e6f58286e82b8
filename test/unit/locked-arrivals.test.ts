/** The sum of what belongs to no order, while payers have locked some of it. */
import { drizzle } from 'drizzle-orm/d1';
import { expect, it } from 'vitest';
import type { ObservedDeposit } from '../../src/chains/port.ts';
import { Arrivals } from '../../src/treasury/deposits/unattributed.ts';
import { NOW } from '../support/rows.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const payment = (txId: string, height: number, countsFrom?: number): ObservedDeposit => ({
	txId,
	position: '0/1',
	address: 'ours',
	asset: 'XMR',
	amount: 5n,
	confirmations: 1,
	irreversible: false,
	height,
	...(countsFrom && { countsFrom }),
});

it('is open until the lock ends, and is then counted once, or not at all where an order has it', async () => {
	const database = sqliteD1();
	const arrivals = new Arrivals(drizzle(database.d1), 'Monero');
	const sum = () => database.run('SELECT counted, open FROM unattributed')[0];
	const [locked, orders] = [payment('a', 100, 200), payment('b', 100, 200)];
	await arrivals.store({ cursor: '100:130', settled: 110, readFrom: null, found: [locked, orders] }, NOW);
	expect(sum()).toEqual({ counted: '0', open: '10' });
	// The lock is over, and the order of the second has recorded its deposit.
	await arrivals.store({ cursor: '100:205', settled: 185, readFrom: null, found: [locked] }, NOW);
	expect(sum()).toEqual({ counted: '0', open: '5' });
	for (const settled of [201, 202, 230]) {
		await arrivals.store({ cursor: `100:${settled + 20}`, settled, readFrom: null, found: [locked] }, NOW);
		expect(sum()).toEqual({ counted: '5', open: '0' });
	}
});
