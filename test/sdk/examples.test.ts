/**
 * What partners copy, run as they would run it: the package installed into an empty folder, the examples in five
 * languages, the samples of each operation, and the collection's signature script.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeSample } from '../../src/docs/samples.ts';
import { collectionOf, textOf } from '../../src/local/client/collection.ts';
import { PACKAGE_NAME } from '../../src/local/client/package.ts';
import { EXAMPLE_ORDER, EXAMPLE_STATUS_TOKEN, EXAMPLE_TOKEN } from '../../src/orders/example.ts';
import { EXAMPLE_KEY } from '../../src/partners/example.ts';
import { hmac } from '../cast/signing.ts';
import { documentedForFile } from '../support/documented.ts';
import { isInstalled } from '../support/nodes.ts';
import { operationsOf } from '../support/openapi.ts';
import { create } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { LANGUAGES } from '../support/sdk/languages.ts';
import { serviceForFile } from '../support/service.ts';
import type { ReceivedWebhook } from '../support/webhook-receiver.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'src/sdk/examples');
const DOCUMENT = join(ROOT, 'src/docs/openapi.json.txt');

const envOf = ({ apiKey, apiSecret }: Credentials) => ({ API_KEY: apiKey, API_SECRET: apiSecret });

/** A public sandbox, so that each operation of the reference can be run. */
const service = serviceForFile({ SANDBOX_VISITORS: '100' }, { pages: true });
const file = documentedForFile(service);
const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-sdk-'));
const project = join(folder, 'project');

interface Ran {
	readonly exitCode: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a program in the empty project, with what the examples read from the environment. */
function run(command: string, args: readonly string[], env: Record<string, string> = {}, input?: Buffer): Promise<Ran> {
	const { apiKey, apiSecret } = file.partner;
	const own = { BASE_URL: service.current().url, API_KEY: apiKey, API_SECRET: apiSecret };
	return new Promise((done) => {
		const options = { cwd: project, env: { ...process.env, ...own, ...env } };
		const child = execFile(command, args, options, (error, stdout, stderr) =>
			done({ exitCode: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
		);
		child.stdin?.end(input);
	});
}

async function mustRun(...words: Parameters<typeof run>): Promise<string> {
	const { exitCode, stdout, stderr } = await run(...words);
	expect(exitCode, `${words[0]} ${words[1].join(' ')}\n${stdout}${stderr}`).toBe(0);
	return stdout;
}

/** What the service gives away, fetched from it. */
const given = async (name: string): Promise<Buffer> =>
	Buffer.from(await (await fetch(`${service.current().url}/docs/sdk/${name}`)).arrayBuffer());

/** The service's own file, installed without a registry. */
beforeAll(async () => {
	mkdirSync(project);
	writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
	writeFileSync(join(folder, PACKAGE_NAME), await given(PACKAGE_NAME));
	await mustRun('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', join(folder, PACKAGE_NAME)]);
	for (const name of ['curl.sh', 'swap.ts']) cpSync(join(EXAMPLES, name), join(project, name));
	for (const { layOut } of LANGUAGES) layOut(project, { swap: join(EXAMPLES, 'swap') });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package, installed into an empty folder', () => {
	it('has no dependency and no script, and its files are those of the library', () => {
		const installed = join(project, 'node_modules');
		expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['partner-exchange']);
		const manifest = JSON.parse(readFileSync(join(installed, 'partner-exchange/package.json'), 'utf8'));
		expect([manifest.dependencies, manifest.scripts]).toEqual([undefined, undefined]);
		const names = readdirSync(join(installed, 'partner-exchange'));
		expect(names.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json', 'sdk', 'vectors.json']);
	});

	it('is given away with the clients, the examples, the vectors and the collection, and the hash of each', async () => {
		const lines = (await given('SHA256SUMS')).toString().trim().split('\n');
		const names = lines.map((line) => line.split('  ')[1] ?? '');
		expect(names).toEqual(
			expect.arrayContaining([
				PACKAGE_NAME,
				'vectors.json',
				'partner_exchange.py',
				'PartnerExchange.php',
				'partnerexchange.go',
				'bruno.tgz',
				'curl.sh',
				...readdirSync(EXAMPLES),
			]),
		);
		const sums = await Promise.all(
			names.map(
				async (name) =>
					`${createHash('sha256')
						.update(await given(name))
						.digest('hex')}  ${name}`,
			),
		);
		expect(sums).toEqual(lines);
	});

	it('is typed for a strict program that knows only the web’s types', async () => {
		const program = `import { createClient, type Order, RateLimitError } from 'partner-exchange/sdk';
const client = createClient({ url: 'https://api.example.com', apiKey: undefined });
const order: Order = await client.waitFor(await client.create({ type: 'float', fromCcy: 'LTC', toCcy: 'ETH',
	direction: 'from', amount: 2, toAddress: 'a', refundAddress: 'b' }, { idempotencyKey: '12345678' }));
const wait: number | null = new Error() instanceof RateLimitError ? 1 : null;
// @ts-expect-error: there is no such status.
const wrong: boolean = order.status === 'PAID';
export { wait, wrong };`;
		writeFileSync(join(project, 'use.ts'), program);
		const options = [
			'--noEmit',
			'--strict',
			'--exactOptionalPropertyTypes',
			'--module',
			'nodenext',
			'--target',
			'es2022',
		];
		const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
		await mustRun(process.execPath, [tsc, ...options, '--lib', 'es2022,dom', '--types', '', 'use.ts']);
	});
});

let orderOfWebhook: string | null = null;

/** One of `file.partner`, the same for all examples. */
async function theirWebhook(): Promise<ReceivedWebhook> {
	if (orderOfWebhook === null) {
		const { data } = await create(service.current(), file.partner);
		await service.current().operator('sandbox/deposit', { orders: [data.id] });
		orderOfWebhook = data.id;
	}
	const id = orderOfWebhook;
	return file.receiver.waitFor(({ rawBody }) => rawBody.includes(id));
}

const PROGRAMS = [
	...(isInstalled('curl') ? [{ name: 'curl', words: ['sh', 'curl.sh'], quoted: '"from"' }] : []),
	{ name: 'TypeScript', words: [process.execPath, 'swap.ts'], quoted: '2 LTC gives ' },
	...LANGUAGES.map(({ name, run: words }) => ({ name, words: [...words('swap')], quoted: '2 LTC gives ' })),
];

describe.each(PROGRAMS)('the example in $name', ({ words: [command = '', ...args], quoted }) => {
	it('quotes, creates an order and reads it', async () => {
		const printed = await mustRun(command, args);
		expect(printed).toContain(quoted);
		const ids = printed.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=.*\bNEW\b)/g) ?? [];
		const orders = await service.current().sql('SELECT partner_id FROM orders WHERE id = ?', ids[0]);
		expect(orders).toEqual([{ partner_id: file.partner.id }]);
	});

	it('accepts a webhook of the service, and no other bytes and no old one', async () => {
		const { rawBody, headers } = await theirWebhook();
		const SIGN = String(headers['x-partner-webhook-sign']);
		const WEBHOOK_SECRET = file.partner.webhookSecret;
		const env = { SIGN, TIMESTAMP: String(headers['x-partner-webhook-timestamp']), WEBHOOK_SECRET };
		const old = { ...env, TIMESTAMP: String(Number(env.TIMESTAMP) - 400) };
		const verdicts = await Promise.all([
			run(command, [...args, 'webhook'], env, rawBody),
			run(command, [...args, 'webhook'], env, Buffer.concat([rawBody, Buffer.from(' ')])),
			run(command, [...args, 'webhook'], old, rawBody),
		]);
		expect(verdicts.map(({ exitCode }) => exitCode)).toEqual([0, 1, 1]);
		expect(verdicts[0]?.stdout).toContain('authentic');
	});
});

/** The standard input and output of a server of the Model Context Protocol, one message a line. */
describe('the server of the Model Context Protocol', () => {
	let server: ChildProcess;
	let lines: AsyncIterator<string>;
	let id = 0;
	beforeAll(() => {
		cpSync(join(EXAMPLES, 'mcp.ts'), join(project, 'mcp.ts'));
		const env = { ...process.env, BASE_URL: service.current().url, ...envOf(file.partner) };
		server = spawn(process.execPath, ['mcp.ts'], { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] });
		lines = createInterface({ input: server.stdout as Readable })[Symbol.asyncIterator]();
	});
	afterAll(() => server?.kill());

	const write = (text: string) => server.stdin?.write(`${text}\n`);
	const answer = async () => JSON.parse((await lines.next()).value) as Record<string, unknown>;
	async function ask<T>(method: string, params: object = {}): Promise<T> {
		id += 1;
		write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
		const { id: answered, result, error } = await answer();
		expect([answered, error]).toEqual([id, undefined]);
		return result as T;
	}

	interface Called {
		readonly isError?: boolean;
		readonly content: readonly [{ readonly text: string }];
	}
	const call = (name: string, args: Record<string, string>) => ask<Called>('tools/call', { name, arguments: args });
	const told = async (name: string, args: Record<string, string>) =>
		JSON.parse((await call(name, args)).content[0].text);
	const TERMS = { fromCcy: 'LTC', toCcy: 'ETH', amount: '2' };

	it('says which protocol it speaks and what it can do, and answers no notification', async () => {
		const older = await ask('initialize', { protocolVersion: '2024-11-05', capabilities: {} });
		expect(older).toMatchObject({ protocolVersion: '2024-11-05', capabilities: { tools: {} } });
		write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
		const { tools } = await ask<{ tools: { name: string }[] }>('tools/list');
		expect(tools.map(({ name }) => name)).toEqual(['assets', 'quote', 'create_order', 'follow_order']);
		expect(await ask('initialize', { protocolVersion: '2099-01-01' })).toMatchObject({ protocolVersion: '2025-06-18' });
	});

	it('quotes, creates one order for a key, and follows it', async () => {
		const quote = await told('quote', TERMS);
		expect(quote.from.amount).toBe('2');
		const order = {
			...TERMS,
			toAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
			refundAddress: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
			idempotencyKey: crypto.randomUUID(),
		};
		const created = await told('create_order', order);
		expect((await told('create_order', order)).id).toBe(created.id);
		expect((await told('follow_order', { id: created.id, token: created.token })).status).toBe('NEW');
	});

	it('tells a refusal to the assistant, and a wrong message to its client', async () => {
		const refused = await call('quote', { ...TERMS, toCcy: 'NOPE' });
		expect([refused.isError, refused.content[0].text]).toEqual([true, expect.stringContaining('code 1')]);
		const wrong: [string, number][] = [
			['{', -32_700],
			['[]', -32_600],
			['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32_601],
			['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quote","arguments":{"amount":2}}}', -32_602],
			['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rotate"}}', -32_602],
		];
		for (const [text, code] of wrong) {
			write(text);
			expect([text, await answer()]).toEqual([
				text,
				expect.objectContaining({ error: expect.objectContaining({ code }) }),
			]);
		}
	});
});

/** The event of the reference's examples. */
const EXAMPLE_EVENT_ID = '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95';
const EXAMPLE_ENDPOINT_ID = '3f9c2a7be01d4c58';

/** These end what the others name. */
const LAST = ['deleteEndpoint', 'rotateKeys'];

/** Of each operation but the feeds, in a language; a status link has one for the shell alone. */
const samplesIn = (lang: CodeSample['lang']) =>
	operationsOf(file.document)
		.filter(({ operation }) => operation.security.length > 0)
		.map(({ operation: { operationId: id, 'x-codeSamples': samples = [] } }) => ({
			id,
			source: samples.find((each) => each.lang === lang)?.source ?? '',
		}))
		.filter(({ source }) => source !== '')
		.toSorted((one, other) => LAST.indexOf(one.id) - LAST.indexOf(other.id));

/** The partner's own order, event, endpoint and key instead of the example's. */
async function withOrder(partner: Credentials, program: string): Promise<string> {
	const { data } = await create(service.current(), partner, { with: ['links'] });
	const { links } = data as typeof data & { readonly links: { readonly status: string } };
	const key = await signed<{ id: string }>(service.current(), partner, '/api/v1/keys', {
		kind: 'read',
		label: 'A report',
	});
	const hook = await signed<{ id: string }>(service.current(), partner, '/api/v1/webhooks', { url: file.receiver.url });
	const event = crypto.randomUUID();
	await service.current().sql(
		`INSERT INTO webhook_events (id, partner_id, type, body, state, next_attempt_at, created_at)
			VALUES (?, ?, 'webhook.test', '{}', 'ended', 0, 0)`,
		event,
		partner.id,
	);
	return program
		.replaceAll(EXAMPLE_ORDER.id, data.id)
		.replaceAll(EXAMPLE_TOKEN, data.token ?? '')
		.replaceAll(EXAMPLE_STATUS_TOKEN, new URL(links.status).searchParams.get('token') ?? '')
		.replaceAll(EXAMPLE_EVENT_ID, event)
		.replaceAll(EXAMPLE_ENDPOINT_ID, hook.data.id)
		.replaceAll(EXAMPLE_KEY.id, key.data.id);
}

describe('the samples of the operations', () => {
	const raw = [
		{ lang: 'Shell', needs: 'curl', command: 'sh', option: '-c', between: '\necho\n' },
		{ lang: 'Python', needs: 'python3', command: 'python3', option: '-c', between: '\n' },
		{ lang: 'PHP', needs: 'php', command: 'php', option: '-r', between: '\necho "\\n";\n' },
	] as const;
	const runnable = raw.filter(({ needs }) => isInstalled(needs));
	it.each(runnable)('$lang: each works as printed', async ({ lang, command, option, between }) => {
		const partner = await createPartner(service.current(), { webhookUrl: file.receiver.url });
		const samples = samplesIn(lang);
		const program = await withOrder(partner, samples.map(({ source }) => source).join(between));
		const printed = (await mustRun(command, [option, program], envOf(partner))).trim().split('\n');
		const codes = printed.map((line) => (JSON.parse(line) as { code: number }).code);
		const expected = samples.map(({ id }) => [id, id === 'emergency' ? 1 : 0]);
		expect(samples.map(({ id }, at) => [id, codes[at]])).toEqual(expected);
		expect(samples.length).toBeGreaterThan(10);
	});

	it('TypeScript: each works as printed', async () => {
		const partner = await createPartner(service.current(), { webhookUrl: file.receiver.url });
		const samples = samplesIn('TypeScript');
		const [first = '', ...others] = new Set(samples.map(({ source }) => source.split('\n')[0]));
		expect(others).toEqual([]);
		const calls = samples.map(
			({ id, source }) =>
				`await (async () => {${source.replace(first, '')}})().then(() => console.error('${id}', 0), (e) => console.error('${id}', e.code));`,
		);
		writeFileSync(join(project, 'samples.ts'), await withOrder(partner, [first, ...calls].join('\n')));
		const { stderr } = await run(process.execPath, ['samples.ts'], envOf(partner));
		const expected = samples.map(({ id }) => `${id} ${id === 'emergency' ? 1 : 0}`);
		expect(stderr.trim().split('\n')).toEqual(expected);
	});

	it.runIf(isInstalled('curl'))('the feeds’ samples work as printed', async () => {
		const feeds = operationsOf(file.document).filter(({ operation }) => operation.security.length === 0);
		expect(feeds.length).toBe(5);
		for (const { operation } of feeds) {
			const [sample] = operation['x-codeSamples'] ?? [];
			expect(await mustRun('sh', ['-c', sample?.source ?? ''])).toMatch(/<rates>|"rates"/);
		}
	});
});

/** What Bruno gives a script, as far as the collection uses it. Text in, text out: Bruno itself is not run. */
describe('the collection', () => {
	const files = collectionOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
	const variables: Record<string, string> = {};
	const bru = {
		getEnvVar: (name: string) => variables[name],
		setEnvVar: (name: string, value: string) => {
			variables[name] = value;
		},
		setVar: (name: string, value: string) => {
			variables[name] = value;
		},
		interpolate: (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? ''),
	};
	const packages: Readonly<Record<string, unknown>> = {
		uuid: { v4: () => crypto.randomUUID() },
		'crypto-js': { HmacSHA256: (text: string, key: string) => hmac(key, text) },
	};

	async function request(name: string): Promise<{ status: number; text: string }> {
		const of = (path: string) => files[path] ?? '';
		const text = of(`${name}.bru`);
		const method = ['get', 'post', 'delete'].find((each) => textOf(text, each) !== '') ?? '';
		const url = /^url: (.+)$/m.exec(textOf(text, method))?.[1] ?? '';
		const headers = new Headers();
		let body: string | undefined = textOf(text, 'body:json') || undefined;
		const req = {
			getBody: () => body,
			setBody: (sent: string) => {
				body = sent;
			},
			setHeader: (header: string, value: string) => headers.set(header, value),
		};
		const script = (source: string, names: Record<string, unknown>) =>
			new Function(...Object.keys(names), source)(...Object.values(names));
		const require = (name: string) => packages[name];
		for (const each of [of('collection.bru'), text]) script(textOf(each, 'script:pre-request'), { req, bru, require });
		const init = { method: method.toUpperCase(), headers, ...(body !== undefined && { body }) };
		const response = await fetch(bru.interpolate(url), init);
		const answer = await response.text();
		const res = { getBody: () => JSON.parse(answer) };
		script(textOf(text, 'script:post-response'), { res, bru });
		return { status: response.status, text: answer };
	}

	it('is given away as an archive of its files', async () => {
		writeFileSync(join(folder, 'bruno.tgz'), await given('bruno.tgz'));
		await mustRun('tar', ['xzf', join(folder, 'bruno.tgz'), '-C', folder]);
		for (const [name, text] of Object.entries(files))
			expect(readFileSync(join(folder, 'bruno', name), 'utf8')).toBe(text);
	});

	it('signs each request so that the service admits it, and a whole run leaves the secret, no key and no endpoint', async () => {
		const partner = await createPartner(service.current(), { webhookUrl: file.receiver.url });
		Object.assign(variables, { baseUrl: service.current().url, apiKey: partner.apiKey, apiSecret: partner.apiSecret });
		const names = operationsOf(file.document).map(({ operation }) => operation.operationId);
		const answers: [string, number][] = [];
		for (const name of names) {
			const { status, text } = await request(name);
			answers.push([name, text.startsWith('{') ? ((JSON.parse(text) as { code?: number }).code ?? status) : status]);
		}
		const expected = new Map([
			...names.map((name) => [name, 0] as const),
			['emergency', 1],
			// It is not signed unless the variable says so.
			['rotateKeys', 2],
			// Of the examples, and of nobody.
			['status', 6],
			// It is deleted by then.
			['changeEndpoint', 6],
			['redeliverWebhook', 6],
			...['rates', 'floatRates', 'bestChangeRates', 'fixedFloatRates', 'plainRates'].map(
				(name) => [name, 200] as const,
			),
		]);
		expect(answers).toEqual([...expected]);
		expect((await signed<unknown[]>(service.current(), partner, '/api/v1/keys', '', { method: 'GET' })).data).toEqual(
			[],
		);
		const endpoints = await signed<{ url: string }[]>(service.current(), partner, '/api/v1/webhooks', '', {
			method: 'GET',
		});
		expect(endpoints.data.map(({ url }) => url)).toEqual([file.receiver.url]);
		variables['mayRotate'] = 'yes';
		expect(JSON.parse((await request('rotateKeys')).text)).toMatchObject({ code: 0 });
		expect(variables['apiSecret']).not.toBe(partner.apiSecret);
	});
});
