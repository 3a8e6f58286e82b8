/** How much of D1 an archived order takes: its keys, its share of the batch's row, and nothing else. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const BATCHES = 50;
const ORDERS = 200;

function migrated(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	for (const name of readdirSync(MIGRATIONS).sort()) database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
	return database;
}

/** Bytes of the database file for each archived order that has so many keys. */
function bytesPerOrder(keys: number): number {
	const database = migrated();
	const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
	const size = () => (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
	const before = size();
	const addBatch = database.prepare('INSERT INTO archived_batches VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
	const addKey = database.prepare('INSERT INTO archived_keys VALUES (?, ?)');
	database.exec('BEGIN');
	for (let number = 1; number <= BATCHES; number++) {
		const object = `orders/2026-11-22/${randomBytes(32).toString('hex')}.jsonl.gz`;
		const seal = `1.${randomBytes(32).toString('hex')}`;
		addBatch.run(number, object, seal, ORDERS, 150_000, Date.now(), Date.now(), Date.now());
		const hashes = Array.from({ length: ORDERS * keys }, () => randomBytes(8)).sort(Buffer.compare);
		for (const hash of hashes) addKey.run(hash, number);
	}
	database.exec('COMMIT');
	return (size() - before) / (BATCHES * ORDERS);
}

it('an archived order takes about 60 bytes of D1, where an order that is not archived takes thousands', () => {
	const [unpaid, paid] = [bytesPerOrder(3), bytesPerOrder(4)];
	expect(unpaid).toBeLessThan(70);
	expect(paid).toBeLessThan(80);
});

it('finished orders are archived after 90 days where nobody has said otherwise', () => {
	const database = migrated();
	expect(database.prepare('SELECT archive_after_days AS days FROM site').get()).toEqual({ days: 90 });
	database.close();
});
