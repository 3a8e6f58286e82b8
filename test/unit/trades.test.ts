/**
 * What the hedger is told (book: hedging, "A hedger"): each settlement and each that was taken back, numbered without a gap, so
 * that their sum is the exposure of the books.
 */
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { runBatch } from '../../src/platform/d1/batches.ts';
import type { Db } from '../../src/platform/d1/database.ts';
import { DAY_MILLISECONDS } from '../../src/platform/time.ts';
import { queueTrades } from '../../src/treasury/hedge/queue.ts';
import { exposureByAsset, tradesAfter } from '../../src/treasury/hedge/store.ts';
import { type Trade, tradeOf } from '../../src/treasury/hedge/trade.ts';
import { settledEntries } from '../../src/treasury/ledger/entries.ts';
import { accountBalances, insertEntries } from '../../src/treasury/ledger/store.ts';
import { giveUpStatements } from '../../src/treasury/transactions/give-up.ts';
import { findTransaction, insertPlanned } from '../../src/treasury/transactions/store.ts';
import { addOrders, addPartner, orderIdOf } from '../support/database.ts';
import { NOW } from '../support/rows.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const ORDERS = 6;
const PAID_IN = [
	['Ethereum', 'ETH'],
	['Litecoin', 'LTC'],
] as const;

interface Booked {
	readonly order: number;
	readonly received: bigint;
	readonly gross: bigint;
}

/** The books of a few orders, paid in one asset or the other, all for XMR. */
class Books {
	readonly sqlite = sqliteD1();
	readonly db: Db = drizzle(this.sqlite.d1);

	async open(): Promise<void> {
		await addPartner(this.sqlite.run);
		const addresses = Array.from({ length: ORDERS }, (_, i) => `address ${i}`);
		for (const [network, asset] of PAID_IN)
			await addOrders(this.sqlite.run, { addresses, expiresAt: 0, network, asset, status: 'EXCHANGE' });
	}

	settle({ order, received, gross }: Booked): Promise<void> {
		const [network, from] = PAID_IN[order % PAID_IN.length] ?? PAID_IN[0];
		const orderId = orderIdOf(network, 'EXCHANGE', `address ${Math.floor(order / PAID_IN.length)}`);
		const id = `payout of ${order}`;
		const owed = gross - gross / 100n;
		const payout = { id, orderId, kind: 'payout', network: 'Monero', asset: 'XMR', toAddress: 'to' } as const;
		const rest = { amount: owed.toString(), usdCents: 12_345, settlementSeal: 'seal' };
		const settlement = { received, gross, owed, fee: 0n, afftax: 0n } as Parameters<typeof settledEntries>[2];
		return runBatch(this.db, [
			insertPlanned(this.db, { ...payout, ...rest, earnedSeal: null }, NOW),
			...insertEntries(this.db, settledEntries(orderId, { from, to: 'XMR' }, settlement, NOW + order)),
		]);
	}

	async giveUp(order: number): Promise<void> {
		const row = await findTransaction(this.db, `payout of ${order}`);
		if (row)
			await runBatch(
				this.db,
				giveUpStatements(this.db, row, () => this.db.run('select 1'), NOW + 100),
			);
	}

	async trades(): Promise<Trade[]> {
		return (await tradesAfter(this.db, 0, 500)).map(tradeOf);
	}
}

/** What a hedger makes of the trades, base units: each is checked by the exposure that it names. */
function exposureBy(trades: readonly Trade[]): Record<string, bigint> {
	const held: Record<string, bigint> = {};
	for (const { from, fromAmount, fromExposure, to, toAmount, toExposure } of trades)
		for (const [asset, amount, after] of [
			[from, fromAmount, fromExposure],
			[to, toAmount, toExposure],
		] as const) {
			held[asset] = (held[asset] ?? 0n) + units(asset, amount);
			expect(held[asset]).toBe(units(asset, after));
		}
	return held;
}

const units = (asset: AssetId, coins: string): bigint =>
	coins.startsWith('-') ? -units(asset, coins.slice(1)) : toBaseUnits(coins, assetOf(asset).decimals);

const withoutZeros = (sums: Record<string, bigint>) =>
	Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0n));

const step = fc.record({
	does: fc.constantFrom('settle', 'settle', 'give up'),
	order: fc.nat({ max: ORDERS * PAID_IN.length - 1 }),
	received: fc.bigInt({ min: 1n, max: 10n ** 30n }),
	gross: fc.bigInt({ min: 1n, max: 10n ** 25n }),
});

describe('trades', () => {
	it('are each settlement and each that was taken back, without a gap, and add up to the exposure of the books', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
				const books = new Books();
				await books.open();
				// One that is booked already fails as a whole, and uses no number up.
				for (const { does, ...booked } of steps)
					if (does === 'settle') await books.settle(booked).catch(() => undefined);
					else if (does === 'give up') await books.giveUp(booked.order);
				const trades = await books.trades();
				expect(trades.map(({ sequence }) => sequence)).toEqual(trades.map((_, i) => i + 1));
				const market = (await accountBalances(books.db)).filter(({ account }) => account === 'market');
				const byBooks = withoutZeros(Object.fromEntries(market.map(({ asset, amount }) => [asset, -amount])));
				const kept = await exposureByAsset(books.db);
				expect(withoutZeros(exposureBy(trades))).toEqual(byBooks);
				expect(withoutZeros(Object.fromEntries(kept.map(({ asset, amount }) => [asset, amount])))).toEqual(byBooks);
			}),
			{ numRuns: 12 },
		);
	});

	it('say what came in and went out, the rate rounded down, what is paid and its worth; taken back, the other way round', async () => {
		const books = new Books();
		await books.open();
		await books.settle({ order: 1, received: 300_000_000n, gross: 2_000_000_000_000n });
		await books.giveUp(1);
		const [settled, reversal] = await books.trades();
		expect(settled).toEqual({
			sequence: 1,
			orderId: orderIdOf('Litecoin', 'EXCHANGE', 'address 0'),
			reversal: false,
			bookedAt: new Date(NOW + 1).toISOString(),
			from: 'LTC',
			fromAmount: '3',
			fromExposure: '3',
			to: 'XMR',
			toAmount: '-2',
			toExposure: '-2',
			rate: '0.666666666666666666',
			payout: '1.98',
			usd: '123.45',
		});
		expect(reversal).toEqual({
			...settled,
			sequence: 2,
			reversal: true,
			bookedAt: new Date(NOW + 100).toISOString(),
			fromAmount: '-3',
			fromExposure: '0',
			toAmount: '2',
			toExposure: '0',
		});
	});

	it('are put into the outbox once each from where the hedger began, also where two runs meet or D1 fails', async () => {
		const books = new Books();
		await books.open();
		const { run, d1 } = books.sqlite;
		const woken: string[] = [];
		const queue = {
			sendBatch: async (batch: { body: { eventId: string } }[]) =>
				void woken.push(...batch.map(({ body }) => body.eventId)),
		};
		const env = { DB: d1, WEBHOOKS: queue } as unknown as Parameters<typeof queueTrades>[0];
		const settle = (order: number) => books.settle({ order, received: 5n, gross: 7n });
		await settle(0);
		await queueTrades(env, NOW);
		run(`INSERT INTO webhook_endpoints (id, partner_id, url, events, url_set_at, created_at)
			VALUES ('endpoint', 'partner', 'https://hedger.example/', '[]', 0, 0)`);
		run("INSERT INTO hedgers VALUES (1, 'partner', 1)");
		for (const order of [1, 2]) await settle(order);
		run("CREATE TRIGGER fails BEFORE UPDATE ON hedgers BEGIN SELECT RAISE(ABORT, 'down'); END");
		await expect(queueTrades(env, NOW)).rejects.toThrow();
		run('DROP TRIGGER fails');
		await Promise.all([queueTrades(env, NOW), queueTrades(env, NOW)]);
		await settle(3);
		await queueTrades(env, NOW);
		const events = run(
			'SELECT event_id AS id, partner_id, order_id, sequence, type, body FROM webhook_events ORDER BY sequence',
		);
		expect(events.map(({ sequence, type, order_id }) => [sequence, type, order_id])).toEqual(
			[2, 3, 4].map((sequence) => [sequence, 'order.settled', null]),
		);
		const told = events.map(({ body }) => JSON.parse(String(body)).data);
		expect(told).toEqual((await books.trades()).slice(1));
		expect(woken).toEqual(expect.arrayContaining(events.map(({ id }) => id)));
	});

	it('are kept for 90 days, and the newest for ever, whose number the next one follows', async () => {
		const books = new Books();
		await books.open();
		const env = { DB: books.sqlite.d1, WEBHOOKS: {} } as unknown as Parameters<typeof queueTrades>[0];
		for (const order of [0, 1, 2]) await books.settle({ order, received: 5n, gross: 7n });
		await queueTrades(env, NOW + 90 * DAY_MILLISECONDS);
		expect(await books.trades()).toHaveLength(3);
		await queueTrades(env, NOW + 91 * DAY_MILLISECONDS);
		await books.settle({ order: 3, received: 5n, gross: 7n });
		expect((await books.trades()).map(({ sequence }) => sequence)).toEqual([3, 4]);
	});
});
