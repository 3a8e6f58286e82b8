/** Webhook delivery in workerd, over a real D1 and a real queue, with one partner. */
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealIssued } from '../../src/partners/secrets.ts';
import { migratedDatabase } from './migrated.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const SECRETS_KEY = 'A'.repeat(43);
const SEAL_KEY = `B${'A'.repeat(42)}`;
export const SECRET = 'webhook-secret-of-the-partner';
export const PARTNER = 'partner-1';
export const ENDPOINT = 'endpoint-1';

/** The queue's consumer, and each function as a path: the arguments come as JSON, the result goes as JSON. */
const WORKER = `
	import { drizzle } from 'drizzle-orm/d1';
	import { keyRing } from './src/crypto/key-ring.ts';
	import { sealEndpoint } from './src/partners/endpoint-seal.ts';
	import { webhookEndpoints } from './src/partners/table.ts';
	import { consumeWebhooks, deliverEvent, sweepWebhooks } from './src/webhooks/outbox.ts';
	import { pruneWebhooks } from './src/webhooks/prune.ts';
	import { wakeWebhooks } from './src/ports/wake.ts';
	import { leaseEvent, releaseMissed, sendAgain } from './src/webhooks/store.ts';
	/** As the gate: it tells what is stored. */
	const withGate = (env) => ({ ...env, PARTNER_GATE: { getByName: () => ({
		secrets: (id) => env.DB.prepare('SELECT webhook_secret_sealed AS webhookSecretSealed FROM partners WHERE id = ?').bind(id).first(),
	}) } });
	const calls = {
		deliver: (env, id, now) => deliverEvent(withGate(env), id, now),
		lease: (env, id, now) => leaseEvent(drizzle(env.DB), id, now),
		leaseTwice: (env, id, now) => Promise.all([leaseEvent(drizzle(env.DB), id, now), leaseEvent(drizzle(env.DB), id, now)]),
		again: async (env, id, now) => (await sendAgain(drizzle(env.DB), [id], now)).length > 0,
		missed: (env, endpointId, now) => releaseMissed(drizzle(env.DB), endpointId, now),
		wake: (env, ids) => wakeWebhooks(env.WEBHOOKS, ids),
		sweep: (env, now) => sweepWebhooks(withGate(env), now),
		/** Replaces the endpoint with this id; none where the URL is null. */
		setUrl: async (env, partnerId, id, url) => {
			await env.DB.prepare('DELETE FROM webhook_endpoints WHERE id = ?').bind(id).run();
			if (url === null) return;
			const row = { id, partnerId, orderId: null, url, urlSetAt: 1, createdAt: 1, events: ['order.status_changed'] };
			const seal = await sealEndpoint(keyRing(env, 'SEAL_KEY'), row);
			await drizzle(env.DB).insert(webhookEndpoints).values({ ...row, seal });
		},
		sql: async (env, sql, ...values) => (await env.DB.prepare(sql).bind(...values).run()).results,
		prune: (env, now) => pruneWebhooks(env, now),
	};
	export default {
		async fetch(request, env) {
			const { call, args } = await request.json();
			return Response.json((await calls[call](env, ...args)) ?? null);
		},
		queue: (batch, env, ctx) => consumeWebhooks(batch, withGate(env), ctx),
	};
`;

export interface WebhookWorker {
	/** Calls a function of the Worker by its name. */
	call<Result>(name: string, ...args: unknown[]): Promise<Result>;
	/** The rows of a statement. */
	run(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
	dispose(): Promise<void>;
}

export async function startWebhookWorker(): Promise<WebhookWorker> {
	const bundle = await build({
		stdin: { contents: WORKER, resolveDir: ROOT, loader: 'ts' },
		bundle: true,
		format: 'esm',
		platform: 'browser',
		write: false,
	});
	const migrated = await migratedDatabase();
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			modules: true,
			script: bundle.outputFiles[0]?.text ?? '',
			compatibilityDate: '2026-11-01',
			compatibilityFlags: ['global_fetch_strictly_public', 'queue_consumer_no_wait_for_wait_until'],
			bindings: { SECRETS_KEY, SEAL_KEY, WEBHOOK_LOOPBACK: 'allowed' },
			...migrated.worker,
			...migrated.shared,
			queueProducers: { WEBHOOKS: 'webhooks' },
			queueConsumers: { webhooks: { maxBatchSize: 5, maxBatchTimeout: 0 } },
		}),
	);
	async function call<Result>(name: string, ...args: unknown[]): Promise<Result> {
		const request = { method: 'POST', body: JSON.stringify({ call: name, args }) };
		const response = await miniflare.dispatchFetch('http://worker/', request);
		if (!response.ok) throw new Error(await response.text());
		return (await response.json()) as Result;
	}
	const run: WebhookWorker['run'] = (sql, ...values) => call('sql', sql, ...values);
	const secret = { partnerId: PARTNER, name: 'webhookSecret', secret: SECRET, at: 1 } as const;
	const sealed = await sealIssued(keyRing({ SECRETS_KEY }, 'SECRETS_KEY'), secret);
	await run(
		`INSERT INTO partners (id, name, api_key, api_secret_sealed, webhook_secret_sealed, created_at, updated_at)
		VALUES (?, 'Partner', 'key', 'sealed', ?, 0, 0)`,
		PARTNER,
		sealed,
	);
	return { call, run, dispose: () => miniflare.dispose() };
}
