/** The command as a process, against a stand-in service: output, exit status, and where it sends its token. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runHere } from '../support/operator.ts';

const CLI = new URL('../../src/operator/cli/exchange.cjs', import.meta.url).pathname;

const START = new URL('../../src/local/start.ts', import.meta.url).pathname;

let server: Server;
let port: number;
let state: string;
let calls: { method: string | undefined; url: string | undefined; token: string | undefined; body: string }[] = [];
let answer = { status: 200, body: '' };

beforeAll(async () => {
	server = createServer(async (request, response) => {
		const { method, url, headers } = request;
		calls.push({ method, url, token: headers.authorization, body: await textOf(request) });
		response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const address = server.address();
	port = typeof address === 'object' && address ? address.port : 0;
	state = mkdtempSync(join(tmpdir(), 'operator-'));
	writeFileSync(join(state, 'secrets.json'), JSON.stringify({ OPERATOR_TOKEN: 'local-token' }));
});

afterAll(() => {
	server.close();
	rmSync(state, { recursive: true });
});

beforeEach(() => {
	calls = [];
	answer = { status: 200, body: '{"ok":true,"data":[]}' };
});

async function textOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const part of request) text += part;
	return text;
}

const environmentOf = (more: Record<string, string>) => ({
	PATH: process.env['PATH'],
	PORT: String(port),
	STATE_DIR: state,
	...more,
});

/** Within this process, which saves the start of another one. */
async function run(words: readonly string[], more: Record<string, string> = {}) {
	const { status, stdout, stderr } = await runHere(words, environmentOf(more));
	return { status, out: stdout, err: stderr };
}

/** As a process, as a person does. */
const runProcess = (words: readonly string[], more: Record<string, string> = {}) =>
	new Promise<{ status: number; out: string; err: string }>((done) => {
		execFile(process.execPath, [CLI, ...words], { env: environmentOf(more) }, (error, out, err) => {
			done({ status: typeof error?.code === 'number' ? error.code : 0, out, err });
		});
	});

it('calls the local service with the token that npm start stored', async () => {
	const { status, out, err } = await runProcess(['order', 'list', '--limit', '5', '--json']);
	expect({ status, out, err }).toEqual({ status: 0, out: '[]\n', err: '' });
	expect(calls).toEqual([
		{ method: 'POST', url: '/operator/v1/order/list', token: 'Bearer local-token', body: '{"limit":5}' },
	]);
});

it('reads service and token from the environment', async () => {
	await run(['order', 'list'], { SERVICE_URL: `http://localhost:${port}/`, OPERATOR_TOKEN: 'other' });
	expect(calls).toMatchObject([{ url: '/operator/v1/order/list', token: 'Bearer other' }]);
});

it('draws a command that reads again and again under --watch, also while the service does not answer', async () => {
	const env = { PATH: process.env['PATH'], PORT: String(port), STATE_DIR: state };
	const child = spawn(process.execPath, [CLI, 'attention', '--watch', '1'], { env });
	let text = '';
	await new Promise<void>((done) => {
		child.stdout.on('data', (part) => {
			text += part;
			if (text.includes('Nothing waits.')) answer = { status: 502, body: '<html>' };
			if (text.includes('no answer that makes sense')) done();
		});
	});
	child.kill('SIGINT');
	expect(text).toMatch(/^attention --watch 1, every 1 s, .* UTC; Ctrl-C ends it\n\nNothing waits\.\nattention/);
	expect(calls.length).toBeGreaterThan(1);
});

it('ends quietly when the reader of its output has read enough', async () => {
	answer.body = JSON.stringify({
		ok: true,
		data: Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'n'.repeat(60) })),
	});
	const child = spawn(process.execPath, [CLI, 'network', 'list', '--json'], { env: environmentOf({}) });
	let err = '';
	child.stderr.on('data', (part) => {
		err += part;
	});
	const ended = new Promise<number | null>((done) => child.on('exit', done));
	child.stdout.once('data', () => child.stdout.destroy());
	expect([await ended, err]).toEqual([0, '']);
});

it('without a word asks how the service is', async () => {
	answer.body = '{"ok":true,"data":[{"what":"nodes","state":"unknown","says":"no answer","more":"network list"}]}';
	const { status, out, err } = await run([]);
	expect(calls).toMatchObject([{ url: '/operator/v1/morning', body: '{}' }]);
	expect(out).toMatch(/^WHAT +STATE +SAYS +MORE\nnodes +unknown +no answer +network list\n$/);
	expect([status, err]).toEqual([3, 'something could not be read; the answer says what\n']);
});

it('prints CSV and nothing else, and no colour where the output is no terminal', async () => {
	answer.body = '{"ok":true,"data":[{"id":"a","name":"=1+1","ok":false}]}';
	const { out } = await run(['partner', 'list', '--format', 'csv']);
	expect(out).toBe("id,name,ok\r\na,'=1+1,false\r\n");
	expect((await run(['network', 'list'])).out).toBe('NAME\n=1+1\n');
});

it('npm start answers --help and refuses every other argument', async () => {
	const start = (...words: string[]) =>
		new Promise<{ status: number; out: string; err: string }>((done) => {
			execFile(process.execPath, [START, ...words], (error, out, err) =>
				done({ status: typeof error?.code === 'number' ? error.code : 0, out, err }),
			);
		});
	expect(await start('--help')).toMatchObject({ status: 0, out: expect.stringContaining('STATE_DIR'), err: '' });
	expect(await start('--port', '9000')).toEqual({
		status: 2,
		out: '',
		err: expect.stringMatching(/^npm start takes no arguments, and --port 9000/),
	});
});

it('prints a card for people, with notes', async () => {
	answer.body = '{"ok":true,"data":{"id":"p1","name":"Acme","apiSecret":"s"}}';
	const { out } = await run(['partner', 'replace-secret', 'p1', 'apiSecret']);
	expect(out).toBe('id         p1\nname       Acme\napiSecret  s\n\nStore the secret now: it is not shown again.\n');
});

it.each<[string, number, string, RegExp]>([
	['what the service says', 404, '{"ok":false,"error":"there is no order o1"}', /^there is no order o1\n$/],
	['more lines than one', 400, '{"ok":false,"error":"a\\nb"}', /^a b\n$/],
	['a field of the input', 400, '{"ok":false,"error":"id: is wrong"}', /^ID is wrong\n$/],
	['a wrong token', 401, '{"code":3,"msg":"AUTH_INVALID"}', /refuses this operator token; check OPERATOR_TOKEN\n$/],
	['no operator API', 404, '{"code":6,"msg":"NOT_FOUND"}', /has no operator API/],
	['too many guesses', 429, '{"code":5,"msg":"RATE_LIMIT"}', /try again in a minute\n$/],
	['something else', 502, '<html>', /no answer that makes sense \(HTTP 502\)\n$/],
])('%s is one line on standard error and status 1', async (_, status, body, error) => {
	answer = { status, body };
	const result = await runProcess(['order', 'show', 'o1', '--json']);
	expect(result).toEqual({ status: 1, out: '', err: expect.stringMatching(error) });
});

it.each<[string, Record<string, string>, RegExp]>([
	['no service', { PORT: '1' }, /^the service at http:\/\/127.0.0.1:1 cannot be reached.*\n$/],
	['no token here', { STATE_DIR: '/nonexistent' }, /^no operator token in .*; set OPERATOR_TOKEN.*\n$/],
	[
		'no token for a service elsewhere',
		{ SERVICE_URL: 'https://swap.example' },
		/^no operator token; set OPERATOR_TOKEN.*\n$/,
	],
	['no URL', { SERVICE_URL: 'swap' }, /^SERVICE_URL names no service: swap is not an http\(s\) URL\n$/],
])('%s: status 1, and nothing is sent', async (_, environment, error) => {
	expect(await run(['order', 'list'], environment)).toEqual({ status: 1, out: '', err: expect.stringMatching(error) });
	expect(calls).toEqual([]);
});

it('a usage error has status 2 and calls no service', async () => {
	const { status, out, err } = await runProcess(['order', 'list', '--limit', 'many', '--json']);
	expect({ status, out, err }).toEqual({ status: 2, out: '', err: '--limit takes a whole number, not many\n' });
	expect(calls).toEqual([]);
});

it('help goes to standard output', async () => {
	expect(await run(['--help'])).toMatchObject({ status: 0, out: expect.stringContaining('Usage:'), err: '' });
});

it.each<[string, string[], unknown, number, RegExp]>([
	['nothing waits', ['attention'], [], 0, /^$/],
	['something waits', ['attention'], [{ area: 'price', subject: 'LTC', cause: 'old' }], 1, /^something waits/],
	['the books agree', ['ledger', 'check'], { differences: 0, unchecked: 0, unasked: 0, unproven: 0 }, 0, /^$/],
	['a chain could not be asked', ['ledger', 'check'], { differences: 0, unchecked: 2 }, 3, /^not every wallet/],
	['that, and the books differ', ['ledger', 'check'], { differences: 1, unchecked: 2 }, 1, /^the books differ/],
	['the answer does not count', ['ledger', 'check'], {}, 1, /^the books differ/],
])('a check’s exit status shows what it found: %s', async (_, words, data, expected, message) => {
	answer.body = JSON.stringify({ ok: true, data });
	const { status, out, err } = await run([...words, '--json']);
	expect([status, JSON.parse(out)]).toEqual([expected, data]);
	expect(err).toMatch(message);
});
