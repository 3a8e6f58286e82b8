/** The environments of the wrangler.toml files: staging inherits no binding, so a forgotten one is missing in silence. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import { CONFIGURATIONS, deploymentOf, REQUIRED_SECRETS } from '../../src/operator/cli/setup/deployment.ts';
import { ENVIRONMENTS, type Environment } from '../../src/operator/cli/setup/options.ts';

const ROOT = join(import.meta.dirname, '../..');
const WALLETS = 'src/signer/wallets';

const configOf = (file: string, environment: Environment) =>
	readConfig({ config: join(ROOT, file), env: environment === 'staging' ? 'staging' : '' });

/** All that a Worker is bound to. A new kind of binding in the file is found because everything else is named here. */
function bindings(file: string, environment: Environment): unknown {
	const config = configOf(file, environment);
	const { d1_databases, kv_namespaces, queues, services, durable_objects, secrets, triggers, migrations } = config;
	const { analytics_engine_datasets, r2_buckets, ratelimits, version_metadata, vpc_services, observability } = config;
	const { alias, cache } = config;
	const all = {
		d1_databases,
		kv_namespaces,
		queues,
		services,
		durable_objects,
		secrets,
		triggers,
		migrations,
		analytics_engine_datasets,
		r2_buckets,
		ratelimits,
		version_metadata,
		vpc_services,
		observability,
		alias,
		cache,
	};
	const text = JSON.stringify(all);
	return JSON.parse(environment === 'staging' ? text.replaceAll(/[-_]staging"/g, '"') : text);
}

const FILES = [
	CONFIGURATIONS.api,
	CONFIGURATIONS.signer,
	CONFIGURATIONS.agents,
	CONFIGURATIONS.pages,
	CONFIGURATIONS.operator,
] as const;

describe.each(FILES)('%s', (file) => {
	it('binds staging to what production is bound to, under names of its own', () => {
		expect(bindings(file, 'staging')).toEqual(bindings(file, 'production'));
		const text = JSON.stringify(configOf(file, 'staging'));
		const others = [...text.matchAll(/"(?:database_name|service|script_name|queue|dataset)":"([^"]*)"/g)].map(
			([, name]) => name,
		);
		expect(others.length).toBeGreaterThan(0);
		expect(others.filter((name) => !/[-_]staging$/.test(name ?? ''))).toEqual([]);
	});

	it('has no id of anybody’s account', () => {
		for (const environment of ENVIRONMENTS) {
			expect(JSON.stringify(bindings(file, environment))).not.toMatch(/"(?:database_id|id|account_id)":/);
		}
	});
});

it.each(ENVIRONMENTS)('%s has the names and the secrets that setup looks for', (environment) => {
	const deployment = deploymentOf(environment);
	const all = FILES.map((file) => configOf(file, environment));
	const [api, signer, agents] = all;
	if (!api || !signer || !agents) throw new Error('a configuration is missing');
	const { pages, operator } = deployment;
	expect(all.map(({ name }) => name)).toEqual([deployment.api, deployment.signer, deployment.agents, pages, operator]);
	for (const { d1_databases } of all) expect(d1_databases[0]?.database_name).toBe(deployment.database);
	expect(api.queues.consumers?.[0]?.queue).toBe(deployment.queue);
	expect(deployment.cache).toBe(`${deployment.api}-cache`);
	expect([api, signer, agents].map(({ secrets }) => secrets?.required)).toEqual([
		REQUIRED_SECRETS.api,
		REQUIRED_SECRETS.signer,
		REQUIRED_SECRETS.agents,
	]);
});

it('the signer can be bound to both wallets of the wallets Worker, each of which has a container from the first', () => {
	const own = readFileSync(join(ROOT, CONFIGURATIONS.signer), 'utf8');
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-bindings-'));
	const file = join(folder, 'wrangler.toml');
	try {
		writeFileSync(file, `${own}\n${readFileSync(join(ROOT, WALLETS, 'bindings.toml'), 'utf8')}`);
		const { bindings: all } = readConfig({ config: file, env: '' }).durable_objects;
		const wallets = readConfig({ config: join(ROOT, WALLETS, 'wrangler.toml') });
		const classes = ['MoneroWallet', 'MoneroColdWallet'];
		expect(all).toEqual(
			expect.arrayContaining([
				{ name: 'MONERO_WALLET', class_name: 'MoneroWallet', script_name: wallets.name },
				{ name: 'MONERO_COLD_WALLET', class_name: 'MoneroColdWallet', script_name: wallets.name },
			]),
		);
		expect(wallets.containers).toMatchObject(classes.map((class_name) => ({ class_name })));
		expect(wallets.migrations).toEqual([{ tag: 'v1', new_sqlite_classes: classes }]);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
