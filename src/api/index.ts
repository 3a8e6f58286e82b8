/** The API Worker's entry: what the platform calls, and the Durable Objects that it runs. No logic. */
import { observe } from '../platform/metrics/observe.ts';
import type { OwnApiEnv } from '../ports/env.ts';
import type { WebhookWake } from '../ports/wake.ts';
import { consumeWebhooks } from '../webhooks/outbox.ts';
import { createApp } from './app.ts';
import { watch } from './cron.ts';
import { PagesDesk } from './desk.ts';

export { AnonymousGate } from '../partners/gate/anonymous-gate.ts';
export { PartnerGate } from '../partners/gate/gate.ts';
export { RateBook } from '../pricing/rate-book.ts';
export { Keeper } from './keeper.ts';

const app = createApp((...facts) => new PagesDesk(...facts));

export default {
	fetch: (request, env, ctx) => {
		observe(env);
		return app(request, env, ctx);
	},
	scheduled: (_controller, env) => {
		observe(env);
		return watch(env, Date.now());
	},
	queue: (batch, env, ctx) => {
		observe(env);
		consumeWebhooks(batch, env, ctx);
	},
} satisfies ExportedHandler<OwnApiEnv, WebhookWake>;
