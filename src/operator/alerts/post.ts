/** Posts what is to be told: signed as partner webhooks are, one message after the other, the longest due first. */
import { type Db, databaseOf } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import { eventBody } from '../../webhooks/events/event.ts';
import { postWebhook } from '../../webhooks/post.ts';
import type { OperatorEnv } from '../env.ts';
import { leaseAlert, storeAccepted, storeFailed } from './store.ts';
import type { AlertRow } from './table.ts';
import { type AlertTarget, alertTarget } from './target.ts';

/** Most messages that one run posts; the rest follows a minute later. */
const MOST_POSTED = 30;
/** A run begins no message after this. */
const RUN_MILLISECONDS = 40_000;

export async function postAlerts(env: OperatorEnv): Promise<void> {
	const target = alertTarget(env);
	if (!target) return;
	const db = databaseOf(env);
	const deadline = Date.now() + RUN_MILLISECONDS;
	for (let posted = 0; posted < MOST_POSTED && Date.now() < deadline; posted++) {
		if (!(await postNext(db, target))) return;
	}
}

/** False where nothing is due, or the endpoint did not accept it: then it need not be asked for the others now. */
async function postNext(db: Db, target: AlertTarget): Promise<boolean> {
	const row = await leaseAlert(db, Date.now());
	if (!row) return false;
	const message = { eventId: row.eventId, attempt: row.attempts, body: alertBody(row) };
	const error = await postTo(target, message);
	if (error === null) {
		await storeAccepted(db, row);
		return true;
	}
	log('alert_not_accepted', { key: row.key, attempt: row.attempts, reason: error });
	await storeFailed(db, row, error, Date.now());
	return false;
}

/** Null where the endpoint accepted it, else why not. Never throws. */
export async function postTo(
	{ url, secret }: AlertTarget,
	message: { readonly eventId: string; readonly attempt: number; readonly body: string },
): Promise<string | null> {
	const { status, error } = await postWebhook(url, secret, { ...message, at: Date.now() });
	if (status !== null && status >= 200 && status < 300) return null;
	return error ?? `it answered ${status}`;
}

/** `raised`: something waits. `over`: it waits no more. `test`: from `alert test`. */
export type AlertType = 'alert.raised' | 'alert.over' | 'alert.test';

export function alertBody(row: AlertRow): string {
	const { key, state, eventId: id, area, subject, cause, todo, since, raisedAt, goneAt } = row;
	const isOver = state === 'over';
	const now = isOver ? (goneAt ?? raisedAt) : raisedAt;
	const text = isOver ? `Over: ${area} ${subject}: ${cause}` : `${area} ${subject}: ${cause}. To do: ${todo}`;
	const data = { key, area, subject, cause, todo, since: isoTimeOrNull(since) };
	return messageBody({ id, now }, isOver ? 'alert.over' : 'alert.raised', text, {
		...data,
		raisedAt: isoTimeOrNull(raisedAt),
		goneAt: isoTimeOrNull(isOver ? goneAt : null),
	});
}

/** `text`: one line for a person, beside the envelope, where chat tools look for it. */
export const messageBody = (
	head: { readonly id: string; readonly now: number },
	type: AlertType,
	text: string,
	data: Readonly<Record<string, unknown>>,
): string => eventBody(head, type, data, { text });
