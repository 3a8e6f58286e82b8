/** `npx exchange setup`, with the real wrangler, against a stand-in of a Cloudflare account. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
	ACCOUNT_ID,
	type CloudflareAccount,
	type RunningAccount,
	startCloudflareAccount,
} from '../support/cloudflare-account.ts';
import { addOrders, addPartner } from '../support/database.ts';
import { serviceForFile } from '../support/service.ts';
import { type Answers, type Clone, cloneOf, END, type Ended, WAIT, wordIn } from '../support/setup.ts';

const API = 'partner-exchange';
const AGENTS = 'partner-exchange-agents';
const SIGNER = 'partner-exchange-signer';
const PAGES = 'partner-exchange-pages';
const OPERATOR = 'partner-exchange-operator';
const WALLETS = 'partner-exchange-wallets';
const HOST = 'swap.example.com';
/** wrangler starts slowly on a busy machine. */
const SLOW_MILLISECONDS = 180_000;
const SUPPORT = 'help@example.com';
const ACCESS = { ACCESS_TEAM_DOMAIN: 'example.cloudflareaccess.com', ACCESS_AUDIENCE: 'a1b2c3d4'.repeat(8) };
const STEPS = [
	'Database',
	'Replicas',
	'Migrations',
	'Cache',
	'Archive',
	'Keys',
	'Signer',
	'Pages',
	'Objects',
	'Agents Worker',
	'Operator Worker',
	'API Worker',
	'Domain',
];

let running: RunningAccount;
let account: CloudflareAccount;
let clone: Clone;

beforeAll(async () => {
	running = await startCloudflareAccount();
	account = running.account;
	clone = cloneOf(running);
});

afterAll(() => {
	running.stop();
	clone.remove();
});

/** A setup, and the calls that it made. */
async function setup(words: readonly string[] = [], answers: Answers = [], from = clone): Promise<Ended> {
	account.calls.length = 0;
	return from.run(words, answers);
}

const secretsOf = (name: string): Record<string, string> =>
	Object.fromEntries(account.scripts.get(name)?.secrets ?? []);

const filesIn = (path: string): string[] =>
	statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

/** Titles of the steps that found nothing to do. */
const skipped = ({ said }: Ended): string[] =>
	STEPS.filter((title) => new RegExp(`\\d\\. ${title}:[^\\n]*\\n   Nothing to do`).test(said));

/** One deployment from nothing to its end: each test goes on where the one before left the account. */
describe('npx exchange setup', () => {
	it('shows every step in a dry run, and changes nothing', async () => {
		const { status, said } = await setup(['--dry-run', '--domain', HOST, '--location', 'oc']);
		expect(status).toBe(0);
		for (const title of STEPS) expect(said).toContain(`. ${title}: `);
		expect(said).toContain('Oceania');
		expect(account.changes()).toEqual([]);
		expect(account.calls.filter((call) => call.startsWith('POST'))).toEqual([]);
	});

	it('names all rights that the login lacks, before it changes anything', async () => {
		account.denied = /^GET \/(?:queues|d1)/;
		const { status, error } = await setup();
		account.denied = null;
		expect([status, account.changes()]).toEqual([1, []]);
		expect(error).toContain('"D1: Edit"; "Queues: Edit"');
		expect(error).not.toContain('Workers KV');
	});

	it('says that the account has no plan, before it changes anything', async () => {
		account.plans = ['free'];
		const none = await setup([], [[/have it/, 'no']]);
		account.plans = null;
		const unseen = await setup([], [[/have it/, 'no']]);
		account.plans = ['workers_paid'];
		expect([none.status, unseen.status, account.changes()]).toEqual([1, 1, []]);
		expect(none.said).toContain('Cloudflare lists no plan Workers Paid');
		expect(unseen.said).toContain('may not see the plan');
		expect(unseen.error).toContain(`https://dash.cloudflare.com/${ACCOUNT_ID}/workers/plans`);
	});

	it('says what to click where the account has no workers.dev subdomain or no Analytics Engine, before it shows a step', async () => {
		account.subdomain = null;
		const closed = await setup();
		account.subdomain = 'example';
		account.isAnalyticsEngineOn = false;
		const off = await setup([], [[/^Go on, without metrics/, 'no']]);
		account.isAnalyticsEngineOn = true;
		expect([closed.status, off.status, account.changes()]).toEqual([1, 1, []]);
		expect(closed.error).toContain(`choose a name at https://dash.cloudflare.com/${ACCOUNT_ID}/workers/onboarding`);
		expect(off.said).toContain('Without it nothing is measured; all else works.');
		expect(off.error).toContain(`https://dash.cloudflare.com/${ACCOUNT_ID}/workers/analytics-engine`);
		expect(closed.said + off.said).not.toMatch(/Database|OPERATOR_TOKEN/);
	});

	it('names a secret that a configuration file has too, and how to change it', async () => {
		const path = join(clone.directory, 'src/signer/wrangler.toml');
		const text = readFileSync(path, 'utf8');
		writeFileSync(path, text.replace('[vars]\n', '[vars]\nSIGNER_DAILY_CAP_USD = "500"\n'));
		const { status, error } = await setup();
		writeFileSync(path, text);
		expect([status, account.changes()]).toEqual([1, []]);
		expect(error).toContain('src/signer/wrangler.toml has SIGNER_DAILY_CAP_USD under [vars]');
		expect(error).toContain('npx wrangler secret put SIGNER_DAILY_CAP_USD -c src/signer/wrangler.toml');
	});

	it('refuses a place or a domain that is none, by name', async () => {
		expect((await setup(['--location', 'mars'])).error).toContain('mars is no place; the places are weur,');
		expect((await setup(['--domain', 'https://x'])).error).toContain('https://x is no host name');
	});

	it('asks a wrong answer again, says why, and takes no yes from an input that has ended', async () => {
		const wrong = (answers: string[], then: string) => () => answers.shift() ?? then;
		const { status, said, error } = await setup(
			[],
			[
				[/^Domain/, wrong(['swap', 'swap.example.org'], HOST)],
				[/^Place/, wrong(['mars'], 'WEUR')],
				[/^The most/, wrong(['0', '1e9', 'much'], '2500')],
				[/^Where do payers ask/, wrong(['the shop'], SUPPORT)],
				[/^Go on/, wrong(['perhaps'], END)],
			],
		);
		expect(status).toBe(1);
		expect(said).toContain('swap is no host name');
		expect(said).toContain('No zone of this account contains swap.example.org');
		expect(said).toContain('mars is no place');
		expect(said.match(/A whole number of dollars/g)).toHaveLength(3);
		expect(said).toContain('This is not a mail address or an https: address.');
		expect(said).toContain('Answer yes or no.');
		expect(error).toContain('the input has ended');
		expect(account.changes()).toEqual([]);
	});

	it('says where R2 is off what that means and what to click, and goes on without an archive', async () => {
		const fresh = cloneOf(running);
		account.buckets = null;
		const { said } = await setup([], [[/^Go on\?/, 'no']], fresh);
		account.buckets = [];
		fresh.remove();
		expect(said).toContain('Without it finished orders stay in D1, whose 10 GB cannot be raised.');
		expect(said).toContain(`https://dash.cloudflare.com/${ACCOUNT_ID}/r2/overview`);
		expect(said).toContain('Archive: none for now');
		expect(account.changes()).toEqual([]);
	});

	it('refuses a zone that is not active yet', async () => {
		account.zoneStatus = 'pending';
		const { error } = await setup();
		account.zoneStatus = 'active';
		expect(error).toContain('The zone example.com is pending, not active');
	});

	it('is broken off while the words are shown: there is a database and no Worker', async () => {
		const { status, said, error } = await setup(
			[],
			[[/^Word \d+\?/, ({ said: before }) => (before.includes('Look at your paper') ? END : 'zebra')]],
		);
		expect(error).toContain('the input has ended');
		expect(said).toMatch(/That is not word \d+\. Look at your paper\./);
		expect([status, [...account.scripts.keys()]]).toEqual([1, []]);
		expect(account.databases).toMatchObject([
			{ name: API, settings: { primary_location_hint: 'weur' }, replication: 'auto' },
		]);
		expect(account.namespaces).toMatchObject([{ title: 'partner-exchange-cache' }]);
		expect(account.buckets).toEqual(['partner-exchange-archive']);
		// The person answered "later".
		expect(said).toContain('It stays closed for now.');
	});

	it(
		'goes on from there without asking twice, and stops where the API Worker cannot be deployed',
		async () => {
			account.failOnce = new RegExp(`^PUT /workers/scripts/${API}$`);
			const teams = ['https://example.com', ACCESS.ACCESS_TEAM_DOMAIN];
			const ended = await setup(
				[],
				[
					[/^Team domain/, () => teams.shift() ?? END],
					[/^Audience/, ACCESS.ACCESS_AUDIENCE],
				],
			);
			expect(ended.said).toContain('This is not the team domain of Cloudflare Access');
			expect([ended.status, ended.error]).toEqual([1, expect.stringContaining('An unknown error has occurred')]);
			expect(skipped(ended)).toEqual(['Database', 'Replicas', 'Migrations', 'Cache', 'Archive']);
			expect(ended.said).not.toContain('Domain of the service');
			const words = Array.from({ length: 24 }, (_, i) => wordIn(ended.said, `${i + 1}`));
			expect(secretsOf(SIGNER)).toEqual({
				SEED: words.join(' '),
				SEAL_KEY: expect.stringMatching(/^[\w-]{43}$/),
				REGION: 'weur',
				SIGNER_DAILY_CAP_USD: '2500',
			});
			expect([...account.scripts.keys()]).toEqual([SIGNER, PAGES]);
			expect(secretsOf(PAGES)).toEqual({});
		},
		SLOW_MILLISECONDS,
	);

	it(
		'goes on from there with the same SEED and one new SEAL_KEY in the Workers; a half deployment is none',
		async () => {
			const before = secretsOf(SIGNER);
			account.failOnce = /^POST \/queues\/.*\/consumers$/;
			const ended = await setup();
			expect(ended.status).toBe(1);
			expect(ended.said).not.toContain('These 24 words');
			expect(ended.said).toContain(
				'each SEAL_KEY, OPERATOR_TOKEN, SECRETS_KEY, API_KEY_KEY shown before is void. Delete it where you kept it.',
			);
			expect(secretsOf(SIGNER)).toEqual({ ...before, SEAL_KEY: secretsOf(API)['SEAL_KEY'] });
			expect(secretsOf(SIGNER)['SEAL_KEY']).not.toBe(before['SEAL_KEY']);
			expect(Object.keys(secretsOf(API)).toSorted()).toEqual([
				'ACCESS_AUDIENCE',
				'ACCESS_TEAM_DOMAIN',
				'API_KEY_KEY',
				'OPERATOR_TOKEN',
				'REGION',
				'SEAL_KEY',
				'SECRETS_KEY',
				'SUPPORT_CONTACT',
			]);
			expect(secretsOf(API)).toMatchObject({ ...ACCESS, SUPPORT_CONTACT: SUPPORT });
			// The account never shows them again.
			const {
				REGION: _,
				ACCESS_AUDIENCE: __,
				ACCESS_TEAM_DOMAIN: ___,
				SUPPORT_CONTACT: ____,
				...keys
			} = secretsOf(API);
			for (const [name, value] of Object.entries(keys)) expect(ended.said).toContain(`${name}=${value}`);
		},
		SLOW_MILLISECONDS,
	);

	it(
		'takes a domain from another Worker and from a DNS record only after a yes to each',
		async () => {
			account.domains.set(HOST, 'shop');
			account.records.add(HOST);
			const refused = await setup([], [[/^Take the name/, 'no']]);
			// Nothing is sealed before there are agents, and no key can be read back.
			const left = ['Keys', 'Signer', 'Agents Worker', 'Operator Worker', 'API Worker', 'Domain'];
			expect(skipped(refused)).toEqual(STEPS.filter((title) => !left.includes(title)));
			expect(secretsOf(OPERATOR)).toEqual({ REGION: 'weur' });
			const sealKeys = [SIGNER, API, AGENTS].map((name) => secretsOf(name)['SEAL_KEY']);
			expect([new Set(sealKeys).size, sealKeys[0]?.length]).toEqual([1, 43]);
			expect(Object.keys(secretsOf(AGENTS)).toSorted()).toEqual(['REGION', 'SEAL_KEY']);
			expect(refused.said).toContain(`${HOST} leads to the Worker shop, which would lose it.`);
			expect([refused.status, account.domains.get(HOST)]).toEqual([1, 'shop']);
			const ended = await setup();
			expect([ended.status, account.domains.get(HOST)]).toEqual([0, API]);
			// The person skipped the check.
			for (const left of [
				'npx exchange doctor',
				'npx exchange partner create --name NAME',
				'A first order with real coins',
			])
				expect(ended.said).toContain(left);
			expect(ended.said).toContain(`${HOST} has a DNS record, which would be replaced.`);
		},
		SLOW_MILLISECONDS,
	);

	it('binds all Workers to one database, and the API Worker to cache, queue, agents, signer, pages and operator Worker', () => {
		const [database] = account.databases;
		const bindings = (name: string) => account.scripts.get(name)?.bindings;
		expect(bindings(SIGNER)).toContainEqual(expect.objectContaining({ name: 'DB', id: database?.uuid }));
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'DB', id: database?.uuid }));
		expect(bindings(PAGES)).toContainEqual(expect.objectContaining({ name: 'DB', id: database?.uuid }));
		expect(bindings(OPERATOR)).toContainEqual(expect.objectContaining({ name: 'DB', id: database?.uuid }));
		expect(bindings(AGENTS)).toContainEqual(expect.objectContaining({ name: 'DB', id: database?.uuid }));
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'OPERATOR', service: OPERATOR }));
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'AGENTS', service: AGENTS }));
		for (const name of [API, OPERATOR])
			expect(bindings(name)).toContainEqual(expect.objectContaining({ name: 'CHAIN_AGENT', script_name: AGENTS }));
		expect(bindings(AGENTS)).toContainEqual(expect.objectContaining({ name: 'RATE_BOOK', script_name: API }));
		expect(bindings(OPERATOR)).toContainEqual(expect.objectContaining({ name: 'KEEPER', script_name: API }));
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'PAGES', service: PAGES }));
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'CACHE', namespace_id: 'kv-1' }));
		expect(bindings(API)).toContainEqual(
			expect.objectContaining({ name: 'WEBHOOKS', queue_name: 'partner-exchange-webhooks' }),
		);
		expect(bindings(API)).toContainEqual(expect.objectContaining({ name: 'SIGNER', service: SIGNER }));
		for (const name of [API, AGENTS, OPERATOR])
			expect(bindings(name)).toContainEqual(
				expect.objectContaining({ name: 'ARCHIVE', bucket_name: 'partner-exchange-archive' }),
			);
		const tables = database?.sqlite.prepare("SELECT name FROM sqlite_master WHERE name = 'orders'").all();
		expect(tables).toHaveLength(1);
	});

	it('gives the pages Worker what is built before it is deployed, and no other Worker a file', () => {
		expect([...account.assets.keys()]).toEqual([PAGES]);
		const paths = account.assets.get(PAGES) ?? [];
		expect(paths).toEqual(
			expect.arrayContaining(['/index.html', '/docs.html', '/docs/book/contract.html', '/docs/search.json']),
		);
		expect(paths.filter((path) => /^\/assets\/(?:style|order)-\w+\.(?:css|js)$/.test(path))).toHaveLength(2);
		expect(account.scripts.get(PAGES)?.bindings).toContainEqual(
			expect.objectContaining({ name: 'ASSETS', type: 'assets' }),
		);
	});

	it('changes nothing when it is run again, and finds every step done', async () => {
		const before = [secretsOf(SIGNER), secretsOf(API)];
		const ended = await setup();
		expect([ended.status, skipped(ended), account.changes()]).toEqual([0, STEPS, []]);
		expect(ended.said).not.toMatch(/Team domain|console is closed/);
		expect([secretsOf(SIGNER), secretsOf(API)]).toEqual(before);
		expect(skipped(await setup(['--dry-run']))).toEqual(STEPS);
	});

	it(
		'opens the console to Access where that was left for later: the API Worker alone is deployed again, and keeps its keys',
		async () => {
			const before = secretsOf(API);
			const { bindings = [] } = account.scripts.get(API) ?? {};
			const kept = Object.entries(before).filter(([name]) => !(name in ACCESS));
			account.scripts.set(API, { secrets: new Map(kept), bindings: bindings.filter(({ name }) => !(name in ACCESS)) });
			const ended = await setup(
				[],
				[
					[/^Team domain/, ACCESS.ACCESS_TEAM_DOMAIN],
					[/^Audience/, ACCESS.ACCESS_AUDIENCE],
				],
			);
			expect([ended.status, skipped(ended)]).toEqual([0, STEPS.filter((title) => title !== 'API Worker')]);
			expect(secretsOf(API)).toEqual(before);
		},
		SLOW_MILLISECONDS,
	);

	it(
		"puts Monero's wallets into containers where Docker builds their image: the signer alone is deployed again, bound to them for good",
		async () => {
			const before = secretsOf(SIGNER);
			const without = await setup(['--monero', 'containers']);
			expect([without.status, account.changes()]).toEqual([1, []]);
			expect(without.error).toContain('Docker does not run on this machine');
			clone.installDocker();
			const ended = await setup(['--monero', 'containers'], [[/^The block/, '3700000']]);
			expect([ended.status, skipped(ended)]).toEqual([0, STEPS.filter((title) => title !== 'Signer')]);
			const where = { MONERO_WALLET_URL: 'container', MONERO_COLD_WALLET_URL: 'container' };
			expect(secretsOf(SIGNER)).toEqual({ ...before, ...where, MONERO_RESTORE_HEIGHT: '3700000' });
			expect(account.containers).toMatchObject([
				{ name: `${WALLETS}-monerowallet`, max_instances: 1 },
				{ name: `${WALLETS}-monerocoldwallet`, max_instances: 1 },
			]);
			const ofWallets = (binding: object) => JSON.stringify(binding).includes(`"script_name":"${WALLETS}"`);
			const bound = () => account.scripts.get(SIGNER)?.bindings.filter(ofWallets);
			const both = [{ name: 'MONERO_WALLET' }, { name: 'MONERO_COLD_WALLET' }];
			expect(bound()).toMatchObject(both);
			expect((await setup(['deploy', 'signer'])).status).toBe(0);
			expect(bound()).toMatchObject(both);
			const again = await setup();
			expect([again.status, account.changes()]).toEqual([0, []]);
			expect(again.said).toContain(`Nothing to do: ${WALLETS} is deployed.`);
		},
		SLOW_MILLISECONDS,
	);

	it(
		'deploys a Worker again where Analytics Engine was switched off since: without metrics, with its keys',
		async () => {
			const before = secretsOf(API);
			const bound = () => account.scripts.get(API)?.bindings.map(({ name }) => name) ?? [];
			account.isAnalyticsEngineOn = false;
			const off = await setup(['deploy', 'api']);
			const without = bound();
			account.isAnalyticsEngineOn = true;
			const on = await setup(['deploy', 'api']);
			expect([off.status, on.status, secretsOf(API)]).toEqual([0, 0, before]);
			expect(off.said).toContain('is off in this account (code 10089), so it is deployed without metrics');
			expect([without.includes('METRICS'), without.includes('OPERATOR'), without.includes('CACHE')]).toEqual([
				false,
				true,
				true,
			]);
			expect(bound()).toEqual(expect.arrayContaining(['METRICS', 'ARCHIVE']));
			expect(on.said).toContain('partner-exchange is deployed.');
		},
		SLOW_MILLISECONDS,
	);

	it('leaves no secret on the disk', () => {
		const secrets = [...Object.values(secretsOf(SIGNER)), ...Object.values(secretsOf(API))].filter(
			// What names the team of Access lets nobody in.
			(text) => text.length > 20 && !Object.values(ACCESS).includes(text),
		);
		const own = readdirSync(clone.directory).filter((name) => !/^(?:node_modules|src|migrations)$/.test(name));
		const written = own.flatMap((name) => filesIn(join(clone.directory, name)));
		expect(written.some((path) => path.endsWith('.setup/production.json'))).toBe(true);
		const leaking = written.filter((path) => secrets.some((secret) => readFileSync(path, 'utf8').includes(secret)));
		expect([secrets.length, leaking]).toEqual([6, []]);
	});
});

/** On the deployment that is there now. */
describe('npx exchange setup, where it must not go on', () => {
	const database = () => account.databases[0]?.sqlite;

	it('refuses a second setup in the same clone while one waits for an answer', async () => {
		const waiting: { end?: () => void } = {};
		const first = clone.start(
			[],
			[
				[
					/^Go on/,
					() => {
						waiting.end?.();
						return WAIT;
					},
				],
			],
		);
		await new Promise<void>((asked) => {
			waiting.end = asked;
		});
		const second = await clone.run([]);
		first.child.kill('SIGINT');
		await first.ended;
		expect([second.status, second.error]).toEqual([
			1,
			expect.stringMatching(/^setup: another setup of this deployment runs here \(process \d+\)$/),
		]);
	});

	it('refuses while a setup on another machine holds the deployment, until it is told to take over', async () => {
		database()?.exec("INSERT INTO setup_lock VALUES (1, 'other', 'laptop', '2026-11-01T10:00:00.000Z')");
		const refused = await setup();
		expect([refused.status, refused.error]).toEqual([1, expect.stringContaining('runs on laptop, since 2026-11-01')]);
		expect(database()?.prepare('SELECT holder FROM setup_lock').all()).toMatchObject([{ holder: 'other' }]);
		expect((await setup(['--take-over'])).status).toBe(0);
		expect(database()?.prepare('SELECT holder FROM setup_lock').all()).toEqual([]);
	});

	it('makes no new key that others rest on, and no new wallet over the addresses of another', async () => {
		const secrets = account.scripts.get(SIGNER)?.secrets;
		const [seed = '', sealKey = ''] = [secrets?.get('SEED'), secrets?.get('SEAL_KEY')];
		secrets?.delete('SEAL_KEY');
		const lost = await setup();
		expect([lost.status, lost.error]).toEqual([1, expect.stringContaining('SEAL_KEY is missing in the account')]);
		secrets?.set('SEAL_KEY', sealKey).delete('SEED');
		const { said, status } = await setup(
			[],
			[[/^The words/, ({ said: before }) => (before.includes('checksum') ? END : 'abandon '.repeat(24).trim())]],
		);
		secrets?.set('SEED', seed);
		expect([status, account.changes()]).toEqual([1, []]);
		expect(said).toContain('Only the words of that wallet will do.');
		expect(said).toContain('The database has no order that the words can be compared with.');
		expect(said).not.toContain('These 24 words');
	});

	it('takes only the words that make the address of an order', async () => {
		const secrets = account.scripts.get(SIGNER)?.secrets;
		const seed = secrets?.get('SEED') ?? '';
		const { address } = mnemonicToAccount(seed, { addressIndex: 0 });
		database()?.exec('SAVEPOINT before');
		const run = (sql: string, ...values: (string | number)[]) =>
			database()
				?.prepare(sql)
				.run(...values);
		await addPartner(run);
		await addOrders(run, { addresses: [address], expiresAt: 1 });
		// A newer one on a test chain, which cannot be compared.
		const testAddress = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
		await addOrders(run, { addresses: [testAddress], expiresAt: 1, network: 'Bitcoin', asset: 'BTC' });
		secrets?.delete('SEED');
		const typed = ['abandon '.repeat(24).trim(), `${'abandon '.repeat(11)}about`, seed];
		const { said, status, error } = await setup(
			[],
			[
				[
					/^The words/,
					() => {
						// Another machine takes over, so that nothing is deployed.
						if (typed.length === 1) database()?.exec("UPDATE setup_lock SET holder = 'other', host = 'laptop'");
						return typed.shift() ?? END;
					},
				],
			],
		);
		secrets?.set('SEED', seed);
		database()?.exec('ROLLBACK TO before; RELEASE before');
		expect(said.split('These are the words of another wallet: they do not make the address')).toHaveLength(2);
		expect(said).toMatch(/Fingerprint: [0-9a-f]{8}\. The words make the address of order Ethereum NEW 0x/);
		expect([status, error, account.changes()]).toEqual([1, expect.stringContaining('runs on laptop'), []]);
	});

	it('asks before it replaces the code of a Worker that is not of this service', async () => {
		const kept = account.scripts.get(AGENTS);
		account.scripts.set(AGENTS, { secrets: new Map(), bindings: [] });
		const { status, said } = await setup([], [[/^Replace its code/, 'no']]);
		if (kept) account.scripts.set(AGENTS, kept);
		expect([status, account.changes()]).toEqual([1, []]);
		expect(said).toContain(`The account has a Worker ${AGENTS} that this service has not set up.`);
	});

	it('deploys nothing over a deployment that is not there', async () => {
		const { status, error } = await setup(['deploy', '--env', 'staging']);
		expect([status, account.changes()]).toEqual([1, []]);
		expect(error).toBe(
			'deploy: the account has no Worker partner-exchange-staging: npx exchange setup deploys it first',
		);
	});

	it('says that nobody is logged in, and how to', async () => {
		const stranger = cloneOf(running, { CLOUDFLARE_API_TOKEN: '' });
		const { status, error } = await setup([], [], stranger);
		stranger.remove();
		expect([status, error]).toEqual([
			1,
			expect.stringContaining('run npx wrangler login, or set CLOUDFLARE_API_TOKEN'),
		]);
	});
});

describe('npx exchange setup, at its end', () => {
	const service = serviceForFile();

	it('checks the service, and makes the first partner once', async () => {
		const { url, local } = service.current();
		const operator = cloneOf(running, { SERVICE_URL: url, OPERATOR_TOKEN: local.secrets.OPERATOR_TOKEN });
		const answers: Answers = [[/^Name of the first partner/, 'Shop']];
		const [first, again] = [
			await setup(['--domain', HOST, '--location', 'weur'], answers, operator),
			await setup([], [], operator),
		];
		operator.remove();
		expect([first.status, again.status]).toEqual([0, 0]);
		expect(first.said).toMatch(/apiKey +pk_/);
		expect(first.said).toContain('A first order with real coins');
		expect(again.said).not.toMatch(/Name of the first partner|pk_/);
	});
});
