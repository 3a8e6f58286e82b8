/**
 * Tells the hedger. Each minute, trades that the outbox does not have become webhooks to the hedger, which is a partner: the
 * same secret, signature, retries and commands. Atomic: the events and how far the outbox has the trades are one batch.
 */
import { runBatch } from '../../platform/d1/batches.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import type { Env } from '../../ports/env.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { orderSettledEvent } from '../../webhooks/events/order-settled.ts';
import { pruneTrades, queueEvents, readUnqueued } from './store.ts';
import { tradeOf } from './trade.ts';

export async function queueTrades({ DB, WEBHOOKS }: Pick<Env, 'DB' | 'WEBHOOKS'>, now: number): Promise<void> {
	const db = databaseOf({ DB });
	const [[hedger], found] = await db.batch([...readUnqueued(db), pruneTrades(db, now)]);
	const last = found.at(-1);
	if (!hedger || !last) return;
	const { partnerId } = hedger;
	const events = found.map((row) =>
		orderSettledEvent({ id: crypto.randomUUID(), partnerId, now: row.at }, { ...tradeOf(row) }),
	);
	await runBatch(db, queueEvents(db, hedger, events, last.sequence));
	await wakeWebhooks(
		WEBHOOKS,
		events.map(({ id }) => id),
	);
}
