/** Sums of base units in SQL against BigInt, in Node's SQLite. */
import { DatabaseSync } from 'node:sqlite';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { array, assert, asyncProperty, bigInt, constantFrom, oneof } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactSum, isNotZero } from '../../src/platform/d1/exact-sum.ts';
import { ledgerEntries } from '../../src/treasury/ledger/table.ts';

async function summed(amounts: readonly string[]): Promise<{ sum: bigint; isNotZero: boolean }> {
	const database = new DatabaseSync(':memory:');
	database.exec('CREATE TABLE ledger_entries (amount TEXT NOT NULL) STRICT');
	const insert = database.prepare('INSERT INTO ledger_entries VALUES (?)');
	for (const amount of amounts) insert.run(amount);
	const db = drizzle(async (statement) => ({ rows: database.prepare(statement).all().map(Object.values) }));
	const { amount } = ledgerEntries;
	const [row] = await db.select({ sum: exactSum(amount), isNotZero: isNotZero(amount) }).from(ledgerEntries);
	return { sum: row?.sum ?? -1n, isNotZero: row?.isNotZero === 1 };
}

const amount = oneof(
	bigInt({ min: -(10n ** 35n), max: 10n ** 35n }),
	bigInt({ min: -20n, max: 20n }),
	// Where limbs carry and borrow.
	constantFrom(10n ** 9n, -(10n ** 9n), 10n ** 18n, -(10n ** 18n), 10n ** 27n - 1n, 1n - 10n ** 27n),
);

describe('sums of base units', () => {
	it('are exact, whatever the signs and sizes', async () => {
		await assert(
			asyncProperty(array(amount, { maxLength: 30 }), async (amounts) => {
				const expected = amounts.reduce((sum, one) => sum + one, 0n);
				expect(await summed(amounts.map(String))).toEqual({ sum: expected, isNotZero: expected !== 0n });
			}),
		);
	});

	it('are zero when amounts cancel across limbs', async () => {
		await assert(
			asyncProperty(array(amount, { minLength: 1, maxLength: 10 }), async (amounts) => {
				const rest = amounts.reduce((sum, one) => sum - one, 0n);
				expect(await summed([...amounts, rest].map(String))).toEqual({ sum: 0n, isNotZero: false });
			}),
		);
	});

	it('refuse an amount that is longer than any valid one', async () => {
		await expect(summed([`1${'0'.repeat(36)}`])).rejects.toThrow(RangeError);
	});
});
