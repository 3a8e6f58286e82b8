/** `npx exchange setup --house`, with the real wrangler, against stand-ins of two Cloudflare accounts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { CloudflareAccount, type RunningAccount, startCloudflareAccount } from '../support/cloudflare-account.ts';
import { type Clone, cloneOf } from '../support/setup.ts';

const LINK = 'partner-exchange-signer';
const HOUSE = 'partner-exchange-house';
const TOKEN = 'house-token';
/** wrangler starts slowly on a busy machine. */
const SLOW_MILLISECONDS = 180_000;

let running: RunningAccount;
let service: CloudflareAccount;
let house: CloudflareAccount;
const clones: Clone[] = [];

beforeAll(async () => {
	service = new CloudflareAccount();
	house = new CloudflareAccount('b0000000000000000000000000000002');
	house.subdomain = 'vault';
	running = await startCloudflareAccount(service, { [TOKEN]: house });
});
afterAll(() => {
	running.stop();
	for (const clone of clones) clone.remove();
});

function cloneWith(environment: NodeJS.ProcessEnv): Clone {
	const clone = cloneOf(running, environment);
	clones.push(clone);
	return clone;
}

const secretsOf = (account: CloudflareAccount, name: string): Record<string, string> =>
	Object.fromEntries(account.scripts.get(name)?.secrets ?? []);

it('setup --house says what is missing, before it changes anything', async () => {
	const without = await cloneWith({}).run(['--house', 'account']);
	const same = await cloneWith({ HOUSE_CLOUDFLARE_API_TOKEN: 'token' }).run(['--house', 'account']);
	const nowhere = await cloneWith({}).run(['--house', 'http://house.example']);
	expect(without.error).toContain(
		"set HOUSE_CLOUDFLARE_API_TOKEN to a token of the account that the signer's house is to be in",
	);
	expect(same.error).toContain('the house would be in the account of the service');
	expect(nowhere.error).toContain('neither the word account nor an https: address');
	expect([without.status, same.status, nowhere.status]).toEqual([1, 1, 1]);
	expect([...service.changes(), ...house.changes()]).toEqual([]);
});

const KEY = `xpub${'A'.repeat(107)}`;
const BOTH = { COSIGNED: 'Tron', OTHER_JUDGE_TRON: `${KEY} ${KEY}` };

it('setup --cosigner says what is missing, before it changes anything', async () => {
	const said = async (environment: NodeJS.ProcessEnv, ...options: string[]) =>
		(await cloneWith(environment).run(['--cosigner', 'https://cosigner.example/', ...options])).error;
	expect(await said({})).toContain('set COSIGNED to the networks whose payments both judges sign');
	expect(await said({ COSIGNED: 'Tron' })).toContain('OTHER_JUDGE_TRON is missing');
	expect(await said({ ...BOTH, COSIGNED: 'Tronn' })).toContain('COSIGNED names Tronn, which is no network');
	expect(await said(BOTH, '--house', 'account')).toContain('give the house the variables of its co-signer yourself');
	expect(service.changes()).toEqual([]);
});

it(
	'a co-signer is chosen with the signer’s first deployment: the signer gets its address and keys, and shows what the co-signer needs',
	async () => {
		service.failOnce = /^PUT \/workers\/scripts\/partner-exchange-pages$/;
		const { said } = await cloneWith(BOTH).run(['--cosigner', 'https://cosigner.example/']);
		const { COSIGNER_KEY: key, ...signer } = secretsOf(service, LINK);
		expect(signer).toMatchObject({ ...BOTH, COSIGNER_URL: 'https://cosigner.example/' });
		for (const line of [`COSIGNER_KEY=${key}`, 'COSIGNED=Tron', 'DEPLOYMENT=production']) expect(said).toContain(line);
		const [, shown] = /^OTHER_JUDGE_TRON=(.*)$/m.exec(said) ?? [];
		expect([shown]).toEqual(
			(await judgeKeyLines({ SEED: signer['SEED'] ?? '' })).flatMap(
				(line) => /^OTHER_JUDGE_TRON=(.*)$/.exec(line)?.[1] ?? [],
			),
		);
		service.scripts.clear();
	},
	SLOW_MILLISECONDS,
);

it(
	'a house that somebody runs is given its keys, and the link its address',
	async () => {
		service.failOnce = /^PUT \/workers\/scripts\/partner-exchange-pages$/;
		const { said } = await cloneWith({}).run(['--house', 'https://house.example/']);
		const { HOUSE_KEY: key, ...link } = secretsOf(service, LINK);
		expect(link).toEqual({ HOUSE_URL: 'https://house.example/' });
		for (const line of [
			`HOUSE_KEY=${key}`,
			'LINK_URL=https://partner-exchange-signer.example.workers.dev/',
			'DEPLOYMENT=production',
		])
			expect(said).toContain(line);
		expect(said).toMatch(/^SEAL_KEY=[\w-]{43}$/m);
		expect(said).not.toContain('These 24 words');
		service.scripts.clear();
	},
	SLOW_MILLISECONDS,
);

it(
	'setup with two logins puts the seed into the account of the house alone, and a second one finds all done',
	async () => {
		const clone = cloneWith({ HOUSE_CLOUDFLARE_API_TOKEN: TOKEN });
		const { status, said } = await clone.run(['--house', 'account']);
		expect([status, [...house.scripts.keys()]]).toEqual([0, [HOUSE]]);
		const { HOUSE_KEY: key, ...own } = secretsOf(house, HOUSE);
		expect(own).toEqual({
			SEED: expect.stringMatching(/^(?:[a-z]+ ){23}[a-z]+$/),
			SEAL_KEY: secretsOf(service, 'partner-exchange-agents')['SEAL_KEY'],
			REGION: 'weur',
			SIGNER_DAILY_CAP_USD: '10000',
			LINK_URL: 'https://partner-exchange-signer.example.workers.dev/',
		});
		expect(key).toMatch(/^[\w-]{43}$/);
		expect(secretsOf(service, LINK)).toEqual({
			HOUSE_KEY: key,
			HOUSE_URL: 'https://partner-exchange-house.vault.workers.dev/',
		});
		expect([...service.scripts.values()].filter(({ secrets }) => secrets.has('SEED'))).toEqual([]);
		expect(said).not.toContain(String(key));
		const again = await clone.run([]);
		expect(again.said).toContain('Nothing to do: partner-exchange-signer leads to the house');
		expect([again.status, secretsOf(service, LINK)['HOUSE_KEY']]).toEqual([0, key]);
	},
	SLOW_MILLISECONDS,
);
