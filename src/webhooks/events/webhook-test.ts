/** `webhook.test`: the partner asked for it, to see that their endpoint works. Pure. */
import * as z from 'zod/mini';
import type { NewWebhookEventRow } from '../table.ts';
import { dueEvent, type EventHead, webhookEvent } from './event.ts';

export const WEBHOOK_TEST = 'webhook.test';

export const webhookTest = /* @__PURE__ */ webhookEvent({
	type: WEBHOOK_TEST,
	operationId: 'webhookTest',
	summary: 'A test that you asked for',
	description: 'Sent when you call `/api/v1/webhooks/test`, whatever events you chose.',
	data: /* @__PURE__ */ z.lazy(() => z.object({ test: z.literal(true).check(z.describe('Always `true`.')) })),
	example: { id: '9a3c0a52-1f0e-4f6d-8e0b-2f5b1d7c6e44', data: { test: true } },
});

export const webhookTestEvent = (head: EventHead): NewWebhookEventRow => dueEvent(head, WEBHOOK_TEST, { test: true });
