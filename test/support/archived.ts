/** Orders that are old enough for the archive, and moves to it that go wrong. */
import { drizzle } from 'drizzle-orm/d1';
import { sealBatch } from '../../src/archive/objects.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { API_WORKER } from '../../src/local/workers.ts';
import { moveOrders } from '../../src/treasury/archive/move.ts';
import { storeCursor } from '../../src/treasury/archive/select.ts';
import { eventually, type TestService } from './service.ts';

const DAY = 86_400_000;

/** As if all that happened to an order had happened so many days ago. */
export async function ageOrder({ sql }: TestService, id: string, days: number): Promise<void> {
	const by = days * DAY;
	await sql(
		`UPDATE orders SET created_at = created_at - ?1, expires_at = expires_at - ?1, watch_until = watch_until - ?1,
			updated_at = updated_at - ?1, finished_at = finished_at - ?1 WHERE id = ?2`,
		by,
		id,
	);
	await sql(
		'UPDATE transactions SET planned_at = planned_at - ?1, final_at = final_at - ?1 WHERE order_id = ?2',
		by,
		id,
	);
}

export const untilTransactionsFinal = ({ sql }: TestService, orderId: string): Promise<boolean> =>
	eventually(`the transactions of ${orderId} to be final`, async () => {
		const rows = await sql<{ state: string }>('SELECT state FROM transactions WHERE order_id = ?', orderId);
		return rows.length > 0 && rows.every(({ state }) => state === 'final');
	});

const bucketOf = ({ local }: TestService) => local.miniflare.getR2Bucket('ARCHIVE', API_WORKER);

export interface Bend {
	readonly onPut?: () => Promise<unknown>;
	readonly isAnswerLost?: boolean;
	/** Unix milliseconds: since then nothing has happened to the orders. 31 days ago where it is absent. */
	readonly before?: number;
}

/** The move as the cron makes it, on a bucket and a database that the test may bend. */
export async function moveBent(service: TestService, ids: readonly string[], bend: Bend) {
	const { local, database } = service;
	const store = await bucketOf(service);
	const bent = {
		put: async (...given: Parameters<R2Bucket['put']>) => {
			await bend.onPut?.();
			return store.put(...(given as unknown as Parameters<typeof store.put>));
		},
		get: (name: string) => store.get(name),
		head: (name: string) => store.head(name),
	};
	const db = drizzle(database);
	const batch = db.batch.bind(db);
	Object.assign(db, {
		batch: async (statements: Parameters<typeof batch>[0]) => {
			const done = await batch(statements);
			if (bend.isAnswerLost && statements.length > 12) throw new Error('the answer was lost');
			return done;
		},
	});
	const now = Date.now();
	return moveOrders(
		{
			db,
			now,
			before: bend.before ?? now - 31 * DAY,
			bucket: bent as unknown as R2Bucket,
			isFound: async (object) => (await store.head(object)) !== null,
			sealKeys: keyRing(local.secrets, 'SEAL_KEY'),
			cursor: storeCursor(db, { network: 'Litecoin', expiresAt: 0, orderId: '', endedAt: null }),
		},
		ids,
	);
}

/** So many further batches that are like the newest one, with objects, seals and keys of their own. */
export async function repeatBatch(service: TestService, count: number): Promise<void> {
	const { sql, local } = service;
	const [newest] = await sql<{ number: number; object: string }>(
		'SELECT number, object FROM archived_batches ORDER BY number DESC LIMIT 1',
	);
	if (!newest) throw new Error('there is no batch');
	const store = await bucketOf(service);
	const bytes = (await (await store.get(newest.object))?.arrayBuffer()) ?? new ArrayBuffer(0);
	for (let i = 1; i <= count; i++) {
		const number = newest.number + i;
		const object = newest.object.replace(/^orders\/[^/]+/, `orders/2025-01-0${i}`);
		await store.put(object, bytes);
		const seal = await sealBatch(keyRing(local.secrets, 'SEAL_KEY'), { number, object });
		await sql(
			`INSERT INTO archived_batches SELECT ?, ?, ?, orders, bytes, first_at, last_at, at FROM archived_batches
				WHERE number = ?`,
			number,
			object,
			seal,
			newest.number,
		);
		await sql('INSERT INTO archived_keys SELECT hash, ? FROM archived_keys WHERE batch = ?', number, newest.number);
	}
}
