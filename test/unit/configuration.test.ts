/** What is wrong with the variables, in words: of a Worker, of the way to a node, and of the start on this machine. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { networkMode } from '../../src/chains/configuration.ts';
import { headersFor, nodeHeaders } from '../../src/chains/node-urls.ts';
import { configurationProblems } from '../../src/configuration/check.ts';
import { toldVariables } from '../../src/configuration/told.ts';
import { operatorTokens } from '../../src/console/operator-token.ts';
import { configuredVariables } from '../../src/local/environment.ts';
import { localSecrets } from '../../src/local/secrets.ts';
import { makeStateFolder } from '../../src/local/state-folder.ts';

const KEY = 'A'.repeat(43);
const KEYS = { SEAL_KEY: KEY, SECRETS_KEY: KEY, API_KEY_KEY: KEY, OPERATOR_TOKEN: KEY, DEPLOYMENT: 'production' };
const AGENTS = { SEAL_KEY: KEY, DEPLOYMENT: 'production' };
const SIGNERS = { SEAL_KEY: KEY, SEED: 'words', DEPLOYMENT: 'production' };
const SECRET_URL = 'http://user:password@node.example/key';

const GIVEN = { api: KEYS, agents: AGENTS, signer: SIGNERS };
const problems = (variables: object, worker: keyof typeof GIVEN = 'api') =>
	configurationProblems({ ...GIVEN[worker], ...variables }, worker).map(({ problem }) => problem);

describe('the variables of a Worker', () => {
	it('are in order with the keys alone, and bindings are not judged', () => {
		expect(problems({ DB: {}, CACHE: {} })).toEqual([]);
		expect(problems({ NODE_URL_BITCOIN: '', SIGNER_DAILY_CAP_USD: '99.50' }, 'signer')).toEqual([]);
	});

	it.each([
		[{ SEAL_KEY: undefined }, 'SEAL_KEY is missing'],
		[{ SEAL_KEY_NUMBER: 'two' }, 'SEAL_KEY_NUMBER is no whole number between 1 and 9999'],
		[{ OPERATOR_TOKEN: `with a blank ${KEY}` }, /^OPERATOR_TOKEN must be at least 43 letters, digits/],
		[{ OPERATOR_TOKEN: 'A'.repeat(42) }, /^OPERATOR_TOKEN must be at least 43 letters, digits/],
		[{ OPERATOR_TOKEN_NEXT: 'short' }, /^OPERATOR_TOKEN_NEXT must be at least 43 letters, digits/],
		[{ DEPLOYMENT: 'Our Exchange' }, /DEPLOYMENT must be small letters/],
		[{ PRICES: 'publik' }, 'PRICES must be public or sandbox'],
		[{ NODE_URL_BITCION: 'https://node.example' }, 'NODE_URL_BITCION is not a variable of this service'],
		[{ WITHDRAW_TO_DOGE: 'D…' }, 'WITHDRAW_TO_DOGE is not a variable of this service'],
		[{ SEED: 'some words' }, 'SEED belongs to the signer alone'],
		[{ NODE_URL_DASH: 'https://node.example' }, 'NODE_URL_DASH belongs to the agents Worker and the signer alone'],
	])('%o: the one that is wrong is named, and its value is not', (variables, problem) => {
		const found = problems(variables);
		expect(found).toEqual([expect.stringMatching(problem)]);
		expect(found.join()).not.toMatch(/password|foo|some words/);
	});

	it.each([
		[{ DEPLOYMENT: '', NODE_URL_DASH: 'https://node.example' }, /^DEPLOYMENT is missing/],
		[{ ADDRESS_POOL: 'many' }, 'ADDRESS_POOL must be a whole number'],
		[{ NODE_URL_DASH: 'foo' }, /^NODE_URL_DASH is not a list of http\(s\) URLs/],
		[{ NODE_URL_DASH: SECRET_URL }, /^NODE_URL_DASH reaches node\.example by plain http:/],
		[{ NODE_URL_DASH: 'https://node.example', NODE_CHAIN_DASH: 'test' }, 'NODE_CHAIN_DASH is neither main nor regtest'],
		[
			{ NODE_URL_DASH: 'https://node.example', NODE_HEADERS_DASH: '{"a":1}' },
			/^NODE_HEADERS_DASH is neither a JSON object/,
		],
		[{ SECRETS_KEY: 'some words' }, 'SECRETS_KEY belongs to the API Worker alone'],
	])('%o of the agents Worker: the one that is wrong is named, and its value is not', (variables, problem) => {
		const found = problems(variables, 'agents').filter((text) => !text.includes('32 bytes'));
		expect(found).toEqual([expect.stringMatching(problem)]);
		expect(found.join()).not.toMatch(/password|foo|some words/);
	});

	it('tell the API Worker where the nodes are, and nothing that lets anybody in', () => {
		const [url, headers] = ['https://user:password@node.example/key', '{"a":"secret"}'];
		const nodes = { NODE_URL_DASH: url, NODE_HEADERS_DASH: headers, NODE_CHAIN_DASH: 'main', SANDBOX: 'off' };
		const own = { SEAL_KEY: KEY, DEPLOYMENT: 'production', SCREENING_SECRET: KEY, ADDRESS_POOL: '50' };
		const told = toldVariables({ ...nodes, ...own, DB: {} }, 'api');
		expect(told).toEqual({
			NODE_URL_DASH: 'https://node.example',
			NODE_CHAIN_DASH: 'main',
			SANDBOX: 'off',
			ADDRESS_POOL: '50',
		});
		expect(networkMode(told, 'Dash')).toMatchObject({ on: 'nodes', chain: 'main' });
	});

	it('an operator’s token that is shorter than 32 random bytes admits nobody', () => {
		expect(operatorTokens({ OPERATOR_TOKEN: 'A'.repeat(42), OPERATOR_TOKEN_NEXT: KEY })).toEqual([]);
		expect(operatorTokens({ OPERATOR_TOKEN: KEY, OPERATOR_TOKEN_NEXT: 'short' })).toEqual([KEY]);
	});

	it('of the signer: it needs its SEED, and must not have the keys of the API Worker', () => {
		expect(problems({ SEED: undefined }, 'signer')).toEqual(['SEED is missing']);
		expect(problems({ API_KEY_KEY: KEY }, 'signer')).toEqual(['API_KEY_KEY belongs to the API Worker alone']);
		expect(problems({ SIGNER_DAILY_CAP_USD: '1e6' }, 'signer')).toEqual([
			expect.stringMatching(/^SIGNER_DAILY_CAP_USD must be an amount of US dollars/),
		]);
	});

	it.each([
		['NODE_URL_BITCION', 'NODE_URL_BITCOIN'],
		['NODE_HEADER_TRON', 'NODE_HEADERS_TRON'],
		['OPERATOR_TOKKEN', 'OPERATOR_TOKEN'],
	])('%s: the nearest variable is %s', (name, nearest) => {
		const found = configurationProblems({ ...KEYS, [name]: 'x' }, 'api').find(({ variable }) => variable === name);
		expect(found?.todo).toContain(`did you mean ${nearest}?`);
	});

	it.each(['NODE_ENV', 'NODE_OPTIONS', 'PATH', 'SEEDS', 'HOSTNAME', 'CF_PAGES_URL'])('%s is nobody’s typo', (name) => {
		expect(problems({ [name]: 'x' })).toEqual([]);
	});
});

describe('the way to a node', () => {
	it.each([
		['http://127.0.0.1:8332', 'main'],
		['http://user:password@[::1]:8332', 'main'],
		['http://localhost:8545', 'main'],
		['https://user:password@node.example', 'main'],
		['http://10.0.0.7:8332', 'regtest'],
		['esplora+https://esplora.example/api', 'main'],
		['blockbook+http://127.0.0.1:9130 https://user:password@node.example', 'main'],
		['esplora+http://10.0.0.7:3000', 'regtest'],
	])('%s is taken on a chain that is %s', (url, chain) => {
		expect(networkMode({ NODE_URL_DASH: url, NODE_CHAIN_DASH: chain }, 'Dash')?.on).toBe('nodes');
	});

	it.each([
		'http://127.0.0.1.example/',
		'http://10.0.0.7/',
		'https://a.example http://b.example',
		'ws://127.0.0.1',
		'esplora+http://10.0.0.7/',
		'blockbook+ws://127.0.0.1',
		'electrum+https://a.example',
		'esplora+blockbook+https://a.example',
	])('%s is refused on a main chain', (url) => {
		expect(() => networkMode({ NODE_URL_DASH: url }, 'Dash')).toThrow(/^NODE_URL_DASH /);
	});

	it('has a dialect in front for the networks alone whose nodes speak several', () => {
		const url = 'esplora+https://esplora.example/api';
		expect(() => networkMode({ NODE_URL_ETHEREUM: url }, 'Ethereum')).toThrow(/^NODE_URL_ETHEREUM /);
	});

	it.each(['MONERO_WALLET_URL', 'MONERO_COLD_WALLET_URL'])('%s must be https: on the main chain too', (name) => {
		const monero = { NODE_URL_MONERO: 'https://wallet.example', [name]: SECRET_URL };
		expect(() => networkMode(monero, 'Monero')).toThrow(`${name} reaches node.example by plain http:`);
	});

	it('takes headers for every host, for one host, or as lines', () => {
		const all = { 'CF-Access-Client-Id': 'id', 'CF-Access-Client-Secret': 'secret' };
		const [flat, lines] = [JSON.stringify(all), 'CF-Access-Client-Id: id\nCF-Access-Client-Secret: secret\n'];
		for (const text of [flat, lines]) expect(headersFor(nodeHeaders('X', text), 'any.example')).toEqual(all);
		const byHost = nodeHeaders('X', JSON.stringify({ 'node.example': all }));
		expect(headersFor(byHost, 'node.example')).toEqual(all);
		expect(headersFor(byHost, 'provider.example')).toEqual({});
	});

	it.each(['[]', '{}', 'nonsense', '{"a b": "c"}', '{"a": ""}', '{"a": "b\\nc"}', '{"a": "b", "host": {"c": "d"}}'])(
		'headers written as %s are refused',
		(text) => {
			expect(() => nodeHeaders('NODE_HEADERS_TRON', text)).toThrow(/^NODE_HEADERS_TRON is neither/);
		},
	);
});

describe('npm start', () => {
	const folder = mkdtempSync(join(tmpdir(), 'start-'));
	afterAll(() => rmSync(folder, { recursive: true }));

	it('ends with one line for a mistyped variable, and for a folder that cannot be made', async () => {
		const start = (environment: Record<string, string>) =>
			new Promise<string>((done) => {
				const env = { PATH: process.env['PATH'], PORT: '1', ...environment };
				const file = join(import.meta.dirname, '../../src/local/start.ts');
				execFile(process.execPath, [file], { env }, (error, out, err) => done(`${error?.code} ${out}${err}`));
			});
		const [typo, proc] = await Promise.all([
			start({ STATE_DIR: folder, NODE_URL_BITCION: 'https://node.example' }),
			start({ STATE_DIR: '/proc/nope' }),
		]);
		expect(typo).toBe('1 NODE_URL_BITCION is not a variable of this service; did you mean NODE_URL_BITCOIN?\n');
		expect(proc).toMatch(/^1 STATE_DIR cannot be \/proc\/nope: .*\n$/);
	});

	it('refuses a file as its folder, and secrets that it did not write', () => {
		writeFileSync(join(folder, 'file'), '');
		expect(() => makeStateFolder(join(folder, 'file'))).toThrow(/^STATE_DIR cannot be .*file is a file, not a folder$/);
		const broken = ['{nope', 'null', '[]', '{"SEED":1}'];
		for (const text of broken) {
			writeFileSync(join(folder, 'secrets.json'), text);
			expect(() => localSecrets(folder)).toThrow(/secrets\.json .*put the file back, or remove the folder/);
		}
	});

	it('takes its own variables alone, each checked, and leaves the token of another service where it is', () => {
		expect(configuredVariables({ PATH: '/bin', NODE_ENV: 'x', PRICES: 'public', OPERATOR_TOKEN: 't' })).toEqual({
			PRICES: 'public',
		});
		expect(() => configuredVariables({ NODE_URL_DASH: 'foo', PRICES: 'x' })).toThrow(
			/PRICES must be public or sandbox; NODE_URL_DASH is not a list/,
		);
		expect(() => configuredVariables({ SEED: 'abandon' })).toThrow('SEED has 1 words');
	});
});
