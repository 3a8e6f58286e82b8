/**
 * What the queue carries: event ids, and nothing that matters if it is lost or doubled. The truth is the outbox row,
 * its due time, and the sweep (platform.md).
 */
import { logError } from '../log.ts';

export interface WebhookKick {
	readonly eventId: string;
}

/** Messages that one call to the queue takes. */
const MAX_BATCH = 100;

/** Asks for delivery now, or `delaySeconds` from now. A queue that is down costs time, not events: the sweep finds them. */
export async function kickWebhooks(
	queue: Queue<WebhookKick>,
	eventIds: readonly string[],
	delaySeconds = 0,
): Promise<void> {
	try {
		for (let start = 0; start < eventIds.length; start += MAX_BATCH) {
			const part = eventIds.slice(start, start + MAX_BATCH);
			await queue.sendBatch(part.map((eventId) => ({ body: { eventId }, delaySeconds })));
		}
	} catch (error) {
		logError('webhook_kick_failed', error, { events: eventIds.length });
	}
}
