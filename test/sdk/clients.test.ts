/** The clients in Python, PHP and Go: against the vectors, and against a service that answers as it is told. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import vectors from '../../src/sdk/vectors.json' with { type: 'json' };
import { DRIVER, LANGUAGES } from '../support/sdk/languages.ts';

const VECTORS = join(import.meta.dirname, '../../src/sdk/vectors.json');
const HOUR = 3_600;

interface Told {
	readonly status?: number;
	readonly body: object;
	readonly headers?: Readonly<Record<string, string>>;
}

const ok: Told = { body: { code: 0, msg: '', data: { word: 'well' } } };
const refusal = (code: number, headers: Record<string, string> = {}): Told => ({
	status: 400,
	body: { code, msg: `MSG_${code}` },
	headers: { 'x-request-id': 'request-1', ...headers },
});

const inAnHour = (): string => new Date(Date.now() + HOUR * 1_000).toUTCString();

/** Answers one after the other, and keeps the headers of each request. */
async function tellingServer(answers: readonly Told[]) {
	const asked: IncomingMessage['headers'][] = [];
	const left = [...answers];
	const server = createServer((request, response) => {
		asked.push(request.headers);
		request.resume().on('end', () => {
			const { status = 200, body, headers = {} } = left.shift() ?? { status: 500, body: {} };
			response.writeHead(status, { connection: 'close', ...headers }).end(JSON.stringify(body));
		});
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe.each(LANGUAGES)('the client in $name', ({ name, layOut, run }) => {
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-client-'));
	beforeAll(() => layOut(folder, { drive: DRIVER }));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	const printed = (args: readonly string[], url = ''): Promise<string> =>
		new Promise((done, fail) => {
			const [command, ...words] = run('drive');
			execFile(
				command,
				[...words, ...args],
				{ cwd: folder, env: { ...process.env, BASE_URL: url } },
				(error, stdout, stderr) => (error ? fail(new Error(stderr || stdout)) : done(stdout.trim())),
			);
		});

	/** The word that a call ends with, and the requests that it took. */
	async function called(name: string, ...answers: readonly Told[]) {
		const { asked, url, close } = await tellingServer(answers);
		const word = await printed(['call', name], url).finally(close);
		return { word, asked };
	}

	it('signs each vector to its signature, and gives each webhook and each promise its verdict', async () => {
		expect(JSON.parse(await printed(['vectors', VECTORS]))).toEqual({
			requests: vectors.requests.map(({ signature }) => signature),
			webhooks: vectors.webhooks.map(({ result }) => result),
			standardWebhooks: vectors.standardWebhooks.map(({ result }) => result),
			// Python's standard library has no Ed25519.
			...(name !== 'Python' && { promises: vectors.promises.map(({ result }) => result) }),
		});
	});

	it('tries again what was not carried out, with a new nonce', async () => {
		const { word, asked } = await called('emergency', refusal(11), ok);
		expect([word, asked.length]).toEqual(['answered well', 2]);
		expect(new Set(asked.map((headers) => headers['x-api-nonce'])).size).toBe(2);
	});

	it('tries a read again after a failure, and never what may have been carried out', async () => {
		expect(await called('order', refusal(99), ok)).toMatchObject({ word: 'answered well' });
		const { word, asked } = await called('emergency', refusal(99), ok);
		expect([word, asked.length]).toEqual(['refused 99 request-1 0', 1]);
	});

	it('leaves a long Retry-After to its caller', async () => {
		const { word, asked } = await called('price', refusal(5, { 'retry-after': '60' }), ok);
		expect([word, asked.length]).toEqual(['refused 5 request-1 60', 1]);
	});

	it('signs by the service’s clock after a code 3 that its own explains, once', async () => {
		const { word, asked } = await called('order', refusal(3, { date: inAnHour() }), ok);
		expect([word, asked.length]).toEqual(['answered well', 2]);
		const [first = 0, second = 0] = asked.map((headers) => Number(headers['x-api-timestamp']));
		expect(Math.abs(second - first - HOUR)).toBeLessThan(30);
		const wrongKey = await called('order', refusal(3), ok);
		expect([wrongKey.word, wrongKey.asked.length]).toEqual(['refused 3 request-1 0', 1]);
	});

	it('follows no redirect', async () => {
		const other = await tellingServer([ok]);
		const redirect = { status: 302, body: {}, headers: { location: `${other.url}/api/v1/emergency` } };
		expect((await called('emergency', redirect)).word).toBe('no answer');
		other.close();
		expect(other.asked).toEqual([]);
	});

	it('sends nothing in clear', async () => {
		expect(await printed(['call', 'order'], 'http://api.example.com')).toBe('no https');
	});
});
