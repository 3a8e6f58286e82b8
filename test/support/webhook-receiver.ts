/**
 * A partner's endpoint: a local HTTP server on loopback that records what it receives, byte by byte. Its answers can be
 * set while it runs.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
	readonly method: string;
	/** Path and query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly rawBody: Buffer;
	/** Undefined when the body is no JSON. */
	readonly json: unknown;
	/** Unix milliseconds at which the whole body was here. */
	readonly at: number;
}

export interface Reply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	/** Before the first byte of the answer. */
	readonly delayMilliseconds?: number;
}

/** A status, a whole reply, or none: `silence` keeps the connection open, `hang-up` closes it. */
export type Manner = number | Reply | 'silence' | 'hang-up';
export type Answer = Manner | ((received: ReceivedWebhook, index: number) => Manner);

export interface WebhookReceiver {
	readonly url: string;
	/** In the order in which they came. */
	readonly received: readonly ReceivedWebhook[];
	/** How all later requests are answered; 200 at first. */
	answer(answer: Answer): void;
	/** The first request that matches, past or future; rejects when none comes in time. */
	waitFor(
		fits: (received: ReceivedWebhook, index: number) => boolean,
		timeoutMilliseconds?: number,
	): Promise<ReceivedWebhook>;
	/** Forgets the requests so far. */
	clear(): void;
	close(): Promise<void>;
}

/** The receiver contract: hex HMAC-SHA256 under webhookSecret over the exact raw body, compared in constant time. */
export function verify(received: ReceivedWebhook, webhookSecret: string): boolean {
	const expected = createHmac('sha256', webhookSecret).update(received.rawBody).digest();
	const given = Buffer.from(String(received.headers['x-partner-webhook-sign'] ?? ''), 'hex');
	return given.length === expected.length && timingSafeEqual(given, expected);
}

export const redirectTo = (location: string, status = 302): Reply => ({ status, headers: { location } });

const DEFAULT_WAIT = 5_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
	const received: ReceivedWebhook[] = [];
	const waiting = new Set<() => void>();
	let current: Answer = 200;

	const server = createServer(async (request, response) => {
		const webhook = await readWebhook(request).catch(() => null);
		if (!webhook) return;
		const index = received.push(webhook) - 1;
		for (const look of waiting) look();
		reply(response, typeof current === 'function' ? current(webhook, index) : current);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;

	return {
		url: `http://127.0.0.1:${port}/webhooks`,
		received,
		answer(answer) {
			current = answer;
		},
		waitFor: (fits, timeoutMilliseconds = DEFAULT_WAIT) =>
			new Promise((resolve, reject) => {
				const end = () => {
					clearTimeout(timer);
					waiting.delete(look);
				};
				const look = () => {
					const found = received.find(fits);
					if (!found) return;
					end();
					resolve(found);
				};
				const timer = setTimeout(() => {
					end();
					reject(new Error(`none of ${received.length} webhooks fitted within ${timeoutMilliseconds} ms`));
				}, timeoutMilliseconds);
				waiting.add(look);
				look();
			}),
		clear() {
			received.length = 0;
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function readWebhook(request: IncomingMessage): Promise<ReceivedWebhook> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const rawBody = Buffer.concat(chunks);
	const { method = '', url: path = '', headers } = request;
	return { method, path, headers, rawBody, json: parsed(rawBody), at: Date.now() };
}

function parsed(body: Buffer): unknown {
	try {
		return JSON.parse(body.toString('utf8'));
	} catch {
		return undefined;
	}
}

function reply(response: ServerResponse, manner: Manner): void {
	if (manner === 'silence') return;
	if (manner === 'hang-up') {
		response.destroy();
		return;
	}
	const {
		status,
		headers,
		body,
		delayMilliseconds = 0,
	} = typeof manner === 'number' ? { status: manner } : (manner as Reply);
	setTimeout(() => response.writeHead(status, headers).end(body), delayMilliseconds);
}
