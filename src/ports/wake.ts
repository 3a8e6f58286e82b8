/**
 * Waking the delivery of webhooks. The queue carries event ids only, so that nothing is lost with a message that is lost or
 * comes twice: the outbox row has the event and its due time, and the sweep finds what is due.
 */
import { logError } from '../platform/log.ts';

export interface WebhookWake {
	readonly eventId: string;
	/** No event, but the question of `exchange doctor` whether messages arrive; `eventId` is the question's own id. */
	readonly probe?: true;
}

/** Messages that one call to the queue takes. */
const MAX_BATCH = 100;

/** Asks for delivery now, or in `delaySeconds`. While the queue is down, the sweep delivers later. Never throws. */
export async function wakeWebhooks(queue: Queue<WebhookWake>, eventIds: readonly string[], delaySeconds = 0) {
	try {
		for (let start = 0; start < eventIds.length; start += MAX_BATCH) {
			const part = eventIds.slice(start, start + MAX_BATCH);
			await queue.sendBatch(part.map((eventId) => ({ body: { eventId }, delaySeconds })));
		}
	} catch (error) {
		logError('webhook_wake_failed', error, { events: eventIds.length });
	}
}
