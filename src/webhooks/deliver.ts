/**
 * One attempt to deliver one event: take it, send it, record what came of it, ask for the next attempt. Delivery is at
 * least once; receivers tell repetitions by the event's id.
 */
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { openIssued } from '../partners/secrets.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { log, logError } from '../platform/log.ts';
import { metric } from '../platform/metrics/metric.ts';
import { objectNamed } from '../platform/region.ts';
import type { Env } from '../ports/env.ts';
import { wakeWebhooks } from '../ports/wake.ts';
import { isWantedType } from './events/events.ts';
import { type Answer, noAnswer, postWebhook } from './post.ts';
import { nextAttemptDelay, parseRetryAfter } from './retry-schedule.ts';
import { endUnsent, type LeasedEvent, leaseEvent, recordAttempt, type Verdict } from './store.ts';
import { webhookUrlProblem } from './url.ts';

export type WebhookEnv = KeyVariables &
	Pick<Env, 'DB' | 'PARTNER_GATE' | 'RATE_BOOK' | 'REGION' | 'WEBHOOKS' | 'WEBHOOK_LOOPBACK'>;

/** Longest delay of a message, milliseconds; the cron finds later attempts. */
const MAX_WAKE_DELAY_MILLISECONDS = 43_200_000;
const GONE = 410;

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
	const { partnerId, url } = event;
	if (url === null || !isWanted(event)) {
		await endUnsent(db, eventId);
		return { partnerId, state: 'ended' };
	}
	const startedAt = Date.now();
	const answer = await send(env, event, url, now);
	const durationMilliseconds = Date.now() - startedAt;
	const verdict = judge(event.attempt, answer, now + durationMilliseconds);
	metric(
		'delivery',
		{ outcome: verdict.state },
		{
			milliseconds: durationMilliseconds,
			attempt: event.attempt,
			lagSeconds: Math.max(0, (now - event.createdAt) / 1000),
		},
	);
	const { attempt } = event;
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

async function send(env: WebhookEnv, event: LeasedEvent, url: string, now: number): Promise<Answer> {
	const problem = webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' });
	if (problem !== null) return noAnswer(`refused: the webhook URL ${problem}`);
	const secret = await webhookSecret(env, event);
	if (secret === null)
		return noAnswer('the gate did not tell the webhook secret, or it does not open under SECRETS_KEY');
	return postWebhook(url, secret, { eventId: event.id, attempt: event.attempt, body: event.body, at: now });
}

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
