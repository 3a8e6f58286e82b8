/**
 * The outbox at work. The queue's messages, the minute's sweep and an endpoint that answers again wake deliveries. Each
 * attempt takes one event to one endpoint, records the answer and asks for the next attempt: endpoints do not wait for each other. Delivery is at least once; receivers
 * tell repetitions by the event's id.
 */
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { webhookUrlProblem } from '../http/webhook-url.ts';
import { endpointSealHolds } from '../partners/endpoint-seal.ts';
import { openIssued } from '../partners/secrets.ts';
import type { WebhookEndpointRow } from '../partners/table.ts';
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

/** At each endpoint by itself: one that fails holds back no other. */
async function deliver(env: WebhookEnv, eventId: string): Promise<void> {
	const attemptAt = async (event: LeasedEvent) => {
		try {
			const { state, endpointId } = await attemptEvent(env, event, Date.now());
			if (state === 'delivered') await catchUp(env, endpointId, Date.now() + CATCH_UP_MILLISECONDS);
		} catch (error) {
			// The database's doing: the event is due again after its lease.
			logError('webhook_delivery_failed', error, { eventId });
		}
	};
	try {
		await Promise.all((await leaseEvent(databaseOf(env), eventId, Date.now())).map(attemptAt));
	} catch (error) {
		logError('webhook_delivery_failed', error, { eventId });
	}
}

/**
 * Sends what the endpoint missed, oldest first. A failure among them does not stop the others. Each event is released at
 * most twice before it keeps its schedule (`cameEarly`), so the loop ends even without the deadline.
 */
async function catchUp(env: WebhookEnv, endpointId: string, deadline: number): Promise<void> {
	const db = databaseOf(env);
	for (let missed = await releaseMissed(db, endpointId, Date.now()); missed.length > 0; ) {
		for (const [index, eventId] of missed.entries()) {
			if (Date.now() > deadline) return wakeWebhooks(env.WEBHOOKS, missed.slice(index));
			await deliverEvent(env, eventId, Date.now());
		}
		missed = await releaseMissed(db, endpointId, Date.now());
	}
}

export interface Attempted {
	readonly endpointId: string;
	/** `due`: failed, and to be tried again. */
	readonly state: 'delivered' | 'ended' | 'due';
}

/** At each endpoint where the event is due; none where it is due nowhere, or another attempt is under way. */
export async function deliverEvent(env: WebhookEnv, eventId: string, now: number): Promise<Attempted[]> {
	const leased = await leaseEvent(databaseOf(env), eventId, now);
	return Promise.all(leased.map((event) => attemptEvent(env, event, now)));
}

async function attemptEvent(env: WebhookEnv, event: LeasedEvent, now: number): Promise<Attempted> {
	const db = databaseOf(env);
	const { id, eventId, endpoint, attempt } = event;
	if (!endpoint || !isWanted(event, endpoint)) {
		await endUnsent(db, id);
		return { endpointId: endpoint?.id ?? '', state: 'ended' };
	}
	const startedAt = Date.now();
	const problem = await problemOf(env, endpoint);
	const secret = problem === null ? await webhookSecret(env, event) : null;
	const answer =
		secret === null
			? noAnswer(problem === null ? SECRET_UNKNOWN : `refused: the webhook URL ${problem}`)
			: await postWebhook(endpoint.url, secret, { eventId, attempt, body: event.body, at: now });
	const durationMilliseconds = Date.now() - startedAt;
	const verdict = judge(attempt, answer, now + durationMilliseconds);
	metric(
		'delivery',
		{ outcome: verdict.state },
		{ milliseconds: durationMilliseconds, attempt, lagSeconds: Math.max(0, (now - event.createdAt) / 1000) },
	);
	const { status, error } = answer;
	const recorded = await recordAttempt(
		db,
		{ eventId: id, attempt, status, error, at: now, durationMilliseconds },
		verdict,
	);
	if (verdict.state !== 'delivered')
		log('webhook_attempt_failed', { eventId: id, attempt, status, state: verdict.state });
	if (recorded && verdict.state === 'due') {
		const delay = verdict.nextAttemptAt - now - durationMilliseconds;
		if (delay <= MAX_WAKE_DELAY_MILLISECONDS) await wakeWebhooks(env.WEBHOOKS, [eventId], Math.ceil(delay / 1000));
	}
	return { endpointId: endpoint.id, state: verdict.state };
}

/** Why nothing may be sent there, as `webhookUrlProblem` says it; null where it may. */
async function problemOf(env: WebhookEnv, endpoint: WebhookEndpointRow): Promise<string | null> {
	const problem = webhookUrlProblem(endpoint.url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' });
	if (problem !== null) return problem;
	return (await endpointSealHolds(keyRing(env, 'SEAL_KEY'), endpoint))
		? null
		: 'has no valid seal; it must be set again';
}

/** Partners choose their events, and none is sent for a soft-deleted order (book: contract, "Webhooks"). */
const isWanted = ({ type, orderDeletedAt }: LeasedEvent, { enabled, events }: WebhookEndpointRow): boolean =>
	enabled && isWantedType(events, type) && orderDeletedAt === null;

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
