/**
 * The outbox at work. The queue's messages, the minute's sweep and an endpoint that answers again wake deliveries. Each
 * attempt takes one event, sends it, records the answer and asks for the next attempt. Delivery is at least once; receivers
 * tell repetitions by the event's id.
 */
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { openIssued } from '../partners/secrets.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { log, logError } from '../platform/log.ts';
import { metric } from '../platform/metrics/metric.ts';
import { objectNamed } from '../platform/region.ts';
import type { Env } from '../ports/env.ts';
import { type WebhookWake, wakeWebhooks } from '../ports/wake.ts';
import { isWantedType } from './events/events.ts';
import { type Answer, noAnswer, postWebhook } from './post.ts';
import { nextAttemptDelay, parseRetryAfter } from './retry-schedule.ts';
import {
	dueEventIds,
	endUnsent,
	type LeasedEvent,
	leaseEvent,
	recordAttempt,
	releaseMissed,
	type Verdict,
} from './store.ts';
import { webhookUrlProblem } from './url.ts';

export type WebhookEnv = KeyVariables &
	Pick<Env, 'DB' | 'PARTNER_GATE' | 'RATE_BOOK' | 'REGION' | 'WEBHOOKS' | 'WEBHOOK_LOOPBACK'>;

/** Longest delay of a message, milliseconds; the cron finds later attempts. */
const MAX_WAKE_DELAY_MILLISECONDS = 43_200_000;
const GONE = 410;
const SECRET_UNKNOWN = 'the gate did not tell the webhook secret, or it does not open under SECRETS_KEY';
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

export interface Attempted {
	readonly partnerId: string;
	/** `due`: failed, and to be tried again. */
	readonly state: 'delivered' | 'ended' | 'due';
}

/** Null when the event is not due or another attempt is under way. */
export async function deliverEvent(env: WebhookEnv, eventId: string, now: number): Promise<Attempted | null> {
	const db = databaseOf(env);
	const event = await leaseEvent(db, eventId, now);
	if (!event) return null;
	const { partnerId, url, attempt } = event;
	if (url === null || !isWanted(event)) {
		await endUnsent(db, eventId);
		return { partnerId, state: 'ended' };
	}
	const startedAt = Date.now();
	const problem = webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' });
	const secret = problem === null ? await webhookSecret(env, event) : null;
	const answer =
		secret === null
			? noAnswer(problem === null ? SECRET_UNKNOWN : `refused: the webhook URL ${problem}`)
			: await postWebhook(url, secret, { eventId, attempt, body: event.body, at: now });
	const durationMilliseconds = Date.now() - startedAt;
	const verdict = judge(attempt, answer, now + durationMilliseconds);
	metric(
		'delivery',
		{ outcome: verdict.state },
		{ milliseconds: durationMilliseconds, attempt, lagSeconds: Math.max(0, (now - event.createdAt) / 1000) },
	);
	const { status, error } = answer;
	const recorded = await recordAttempt(db, { eventId, attempt, status, error, at: now, durationMilliseconds }, verdict);
	if (verdict.state !== 'delivered') log('webhook_attempt_failed', { eventId, attempt, status, state: verdict.state });
	if (recorded && verdict.state === 'due') {
		const delay = verdict.nextAttemptAt - now - durationMilliseconds;
		if (delay <= MAX_WAKE_DELAY_MILLISECONDS) await wakeWebhooks(env.WEBHOOKS, [eventId], Math.ceil(delay / 1000));
	}
	return { partnerId, state: verdict.state };
}

/** Partners choose their events, and none is sent for a soft-deleted order (book: contract, "Webhooks"). */
const isWanted = (event: LeasedEvent): boolean =>
	isWantedType(event.chosenTypes, event.type) && event.orderDeletedAt === null;

/** The secret of this moment, so that a rotation holds from the next attempt on. The gate knows it, whatever a row says. */
async function webhookSecret(env: WebhookEnv, { id, partnerId }: LeasedEvent): Promise<string | null> {
	try {
		const sealed = await objectNamed(env, env.PARTNER_GATE, partnerId).secrets(partnerId);
		const stored = sealed?.webhookSecretSealed ?? '';
		return await openIssued(keyRing(env, 'SECRETS_KEY'), { partnerId, name: 'webhookSecret', stored });
	} catch (error) {
		logError('webhook_secret_unknown', error, { eventId: id, partnerId });
		return null;
	}
}

/** `now`: when the attempt ended; the gap to the next one begins there. */
function judge(attempt: number, { status, retryAfter }: Answer, now: number): Verdict {
	if (status !== null && status >= 200 && status < 300) return { state: 'delivered' };
	if (status === GONE) return { state: 'ended' };
	const delay = nextAttemptDelay(attempt, Math.random(), parseRetryAfter(retryAfter, now));
	return delay === null ? { state: 'ended' } : { state: 'due', nextAttemptAt: now + delay };
}
