/**
 * Asks the operator's screening service (book: run, "Screening"). It is off without `SCREENING_URL`. Once that is
 * set, everything but a clear answer in time means hold: a wrong URL, a missing secret, a slow, large or absurd answer.
 * Nothing that the outside does makes it throw.
 */
import * as z from 'zod/mini';
import { assetOf } from '../../catalog/assets.ts';
import { boundedText } from '../../chains/rpc/bounded-text.ts';
import { webhookUrlProblem } from '../../http/webhook-url.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { jsonOrNull } from '../../platform/json.ts';
import { signedHeaders } from '../../webhooks/post.ts';
import type { Verdict } from './table.ts';
import type { Subject } from './verdict.ts';

const TIMEOUT_MILLISECONDS = 5_000;
const MAX_ANSWER_BYTES = 4_096;
const MAX_NOTE = 200;

export interface ScreeningVariables {
	readonly SCREENING_URL?: string;
	readonly SCREENING_SECRET?: string;
	readonly WEBHOOK_LOOPBACK?: string;
}

export interface Question {
	readonly orderId: string;
	readonly subject: Subject;
	/** From 1. */
	readonly attempt: number;
}

export interface Answered {
	readonly verdict: Verdict;
	/** Why there was no usable answer; null where there was one. */
	readonly note: string | null;
}

const answerSchema = z.lazy(() => z.object({ verdict: z.enum(['accept', 'hold', 'refund']) }));

export const isScreeningOn = ({ SCREENING_URL }: ScreeningVariables): boolean => Boolean(SCREENING_URL);

export async function askScreening(env: ScreeningVariables, question: Question, now: number): Promise<Answered> {
	const { SCREENING_URL: url = '', SCREENING_SECRET: secret } = env;
	const problem = webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' });
	if (problem !== null) return held(`SCREENING_URL ${problem}`);
	if (!secret) return held('SCREENING_SECRET is not set');
	const { body, id } = message(question, now);
	try {
		const response = await fetch(url, {
			method: 'POST',
			headers: await signedHeaders(secret, { eventId: id, attempt: question.attempt, body, at: now }),
			body,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		});
		const text = await boundedText(response, MAX_ANSWER_BYTES);
		return response.status === 200 ? read(text, question) : held(`it answered with HTTP ${response.status}`);
	} catch (error) {
		return held(errorText(error));
	}
}

const held = (note: string): Answered => ({ verdict: 'hold', note: note.slice(0, MAX_NOTE) });

function read(text: string, { subject }: Question): Answered {
	const parsed = answerSchema.safeParse(jsonOrNull(text));
	if (!parsed.success) return held('its answer is not {"verdict":"accept"|"hold"|"refund"}');
	const { verdict } = parsed.data;
	if (verdict === 'refund' && subject.kind === 'refund') return held('it answered refund about a refund address');
	return { verdict, note: null };
}

function errorText(error: unknown): string {
	if (!(error instanceof Error)) return 'no answer';
	if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MILLISECONDS / 1000} seconds`;
	return `no answer: ${error.message}`;
}

/** The id is the same each time that the same thing is asked. */
function message({ orderId, subject }: Question, now: number) {
	const { kind, txId, position, address, network, asset, amount } = subject;
	const id = [orderId, kind, txId, position].filter(Boolean).join(':');
	const coins =
		amount === null ? {} : { txId, position, amount: fromBaseUnits(BigInt(amount), assetOf(asset).decimals) };
	const data = { orderId, subject: kind, network, asset, address, ...coins };
	const body = JSON.stringify({ id, type: `screening.${kind}`, createdAt: new Date(now).toISOString(), data });
	return { id, body };
}
