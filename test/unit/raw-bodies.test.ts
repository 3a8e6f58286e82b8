/** The guide's notes on raw bodies: those whose frameworks need nothing that is not here run as they are printed. */
import { createHmac } from 'node:crypto';
import { transformSync } from 'esbuild';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { GUIDE_CHAPTERS } from '../../src/docs/guide/chapters.ts';
import { verifyWebhook, WebhookError } from '../../src/sdk/index.ts';

const text = GUIDE_CHAPTERS.find(({ name }) => name === 'raw-bodies')?.text ?? '';
const SECRET = 'Zt4LhQ8rJm2VxYcB6sKdN0wPfE1uGaTo9iRyXn5Dk7M';
/** Printed again it would be other bytes. */
const BODY = '{ "id": "5e9f9bb7", "type": "webhook.test", "amount": 1.0 }';

const kept: string[] = [];
const KNOWN = {
	verifyWebhook,
	WebhookError,
	process: { env: { WEBHOOK_SECRET: SECRET } },
	keep: async ({ id }: { readonly id: string }) => kept.push(id),
};

/** The framework's snippet with these names in reach; `answer`: what is wanted of it. */
function run<T>(framework: string, names: Readonly<Record<string, unknown>>, answer: string): T {
	const [, source = ''] = new RegExp(`## ${framework}\\n[\\s\\S]*?\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
	const { code } = transformSync(source.replace('export ', ''), { loader: 'ts' });
	const all = { ...KNOWN, ...names };
	return new Function(...Object.keys(all), `${code}\nreturn ${answer};`)(...Object.values(all));
}

type Answering = (request: Request) => Response | Promise<Response>;

const FRAMEWORKS: Readonly<Record<string, () => Answering>> = {
	'Next.js': () => run<Answering>('Next.js', {}, 'POST'),
	Hono: () => {
		const app = new Hono();
		run('Hono', { app }, 'app');
		return (request) => app.fetch(request, { WEBHOOK_SECRET: SECRET });
	},
};

beforeEach(() => {
	kept.length = 0;
});

describe.each(Object.keys(FRAMEWORKS))('the note on %s', (name) => {
	const answer = FRAMEWORKS[name]?.();
	const delivered = (body: string) =>
		answer?.(
			new Request('https://shop.example/hooks', {
				method: 'POST',
				body,
				headers: {
					'content-type': 'application/json',
					'x-partner-webhook-sign': createHmac('sha256', SECRET).update(BODY).digest('hex'),
					'x-partner-webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
				},
			}),
		);

	it('takes the bytes that were signed, and answers 401 to any others', async () => {
		expect((await delivered(BODY))?.status).toBe(204);
		expect((await delivered(JSON.stringify(JSON.parse(BODY))))?.status).toBe(401);
		expect(kept).toEqual(['5e9f9bb7']);
	});
});
