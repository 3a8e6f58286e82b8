/**
 * The alert for the case that D1 does not answer, so that no alert can be read or stored. It is posted at once and not
 * stored. Its id is the same for an hour, so a receiver that remembers ids is told once an hour.
 */

import { log } from '../../platform/log.ts';
import { HOUR_MILLISECONDS, isoTime, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { OperatorEnv } from '../env.ts';
import { messageBody } from './message.ts';
import { postTo } from './post.ts';
import { alertTarget } from './target.ts';

const REST_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** When this isolate posted it last. */
let toldAt = 0;

export async function tellUnread(env: OperatorEnv, now: number): Promise<void> {
	const target = alertTarget(env);
	if (!target || now - toldAt < REST_MILLISECONDS) return;
	const hour = now - (now % HOUR_MILLISECONDS);
	const eventId = `attention-unread-${hour}`;
	const cause = 'what waits could not be read or stored: the database does not answer';
	const todo = 'the log line alerts_not_evaluated says why';
	const data = { key: 'attention all', area: 'attention', subject: 'all', cause, todo, since: null };
	const more = { raisedAt: isoTime(hour), goneAt: null };
	const text = `attention all: ${cause}. To do: ${todo}`;
	const body = messageBody({ id: eventId, now: hour }, 'alert.raised', text, { ...data, ...more });
	const error = await postTo(target, { eventId, attempt: 1, body });
	if (error === null) toldAt = now;
	else log('alert_not_accepted', { key: 'attention all', reason: error });
}
