/** Wakes deliveries: the queue's messages, the minute's sweep, and an endpoint that answers again. */
import { databaseOf } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import { type WebhookWake, wakeWebhooks } from '../ports/wake.ts';
import { deliverEvent, type WebhookEnv } from './deliver.ts';
import { releaseMissed } from './missed.ts';
import { dropBodies, pruneEvents } from './prune.ts';
import { dueEventIds } from './store.ts';

/**
 * Milliseconds in which what a partner missed is sent from here, one after the other, which is what keeps it in order;
 * the queue takes the rest. With the attempts before and after it stays within the 30 s that `waitUntil` has.
 */
const CATCH_UP_MILLISECONDS = 8_000;

/**
 * Messages are acknowledged before anything is sent: they may be lost, the sweep finds their events. The attempts run side
 * by side and after the handler, so that one slow endpoint holds back nobody.
 */
export function consumeWebhooks(batch: MessageBatch<WebhookWake>, env: WebhookEnv, ctx: ExecutionContext): void {
	batch.ackAll();
	for (const { body } of batch.messages)
		ctx.waitUntil(body.probe ? answerProbe(env, body.eventId) : deliver(env, body.eventId));
}

/** Wakes everything that is due, also events whose message was lost. At start, and each minute. */
export async function sweepWebhooks(env: WebhookEnv, now: number): Promise<void> {
	await wakeWebhooks(env.WEBHOOKS, await dueEventIds(databaseOf(env), now));
}

/** Forgets what is older than it need be kept: a bounded number of events, each minute. */
export async function pruneWebhooks(env: Pick<WebhookEnv, 'DB'>, now: number): Promise<void> {
	const db = databaseOf(env);
	await pruneEvents(db, now);
	await dropBodies(db, now);
}

/** The book remembers it in memory, for the doctor that waits: nothing is stored. */
async function answerProbe(env: WebhookEnv, id: string): Promise<void> {
	await objectNamed(env, env.RATE_BOOK, 'book').probed(id);
}

async function deliver(env: WebhookEnv, eventId: string): Promise<void> {
	try {
		const attempted = await deliverEvent(env, eventId, Date.now());
		if (attempted?.state === 'delivered') await catchUp(env, attempted.partnerId, Date.now() + CATCH_UP_MILLISECONDS);
	} catch (error) {
		// The database's doing: the event is due again after its lease.
		logError('webhook_delivery_failed', error, { eventId });
	}
}

/**
 * Sends what the partner missed, oldest first. A failure among them does not stop the others. Each event is released at
 * most twice before it keeps its schedule (`cameEarly`), so the loop ends even without the deadline.
 */
async function catchUp(env: WebhookEnv, partnerId: string, deadline: number): Promise<void> {
	const db = databaseOf(env);
	for (let missed = await releaseMissed(db, partnerId, Date.now()); missed.length > 0; ) {
		for (const [index, eventId] of missed.entries()) {
			if (Date.now() > deadline) return wakeWebhooks(env.WEBHOOKS, missed.slice(index));
			await deliverEvent(env, eventId, Date.now());
		}
		missed = await releaseMissed(db, partnerId, Date.now());
	}
}
