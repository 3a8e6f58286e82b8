/** The database in the place that was chosen, its migrations, and the namespace of the cache. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, must, query, read, readIfThere } from './account.ts';
import { hasBucket } from './archive-bucket.ts';
import { bindingsOf } from './console-access.ts';
import { type Deployment, environmentWords } from './deployment.ts';
import { Lock } from './lock.ts';
import { given, type Setup, type Step } from './step.ts';
import { Stopped } from './talk.ts';
import { ROOT, runWrangler } from './wrangler.ts';

/** D1's code for a name that is taken: another setup was a moment earlier. */
const NAME_TAKEN = 7502;

export const database: Step = {
	title: 'Database',
	does: ({ database: name }, { place }) =>
		`create the D1 database ${name} in ${place?.about ?? 'the place that you choose'}`,
	async there({ account, deployment, found }) {
		const database = await databaseNamed(account, deployment.database);
		if (!database) return null;
		found.databaseId = database.uuid;
		return `${deployment.database} is there`;
	},
	async run({ account, deployment, answers, found }) {
		const wanted = { name: deployment.database, ...given(answers.place ?? undefined, 'the place').database };
		const answer = await account.call('POST', 'd1/database', wanted);
		if (!answer.ok && answer.code !== NAME_TAKEN) must(answer, `create the database ${deployment.database}`);
		const database = await databaseNamed(account, deployment.database);
		found.databaseId = given(database?.uuid, 'the database');
	},
};

interface Database {
	readonly uuid: string;
	readonly name: string;
	readonly read_replication?: { readonly mode: string };
}

/** They cost nothing more. What reads through them is in the book (architecture, "Replicas"). */
export const replicas: Step = {
	title: 'Replicas',
	does: ({ database: name }) => `switch read replication of ${name} on`,
	async there({ account, found: { databaseId } }) {
		if (databaseId === undefined) return null;
		const settings = await read<Database>(account, `d1/database/${databaseId}`, 'read the settings of the database');
		return settings.read_replication?.mode === 'auto' ? 'read replication is on' : null;
	},
	async run({ account, found }) {
		const wanted = { read_replication: { mode: 'auto' } };
		const path = `d1/database/${given(found.databaseId, 'the database')}`;
		must(await account.call('PUT', path, wanted), 'switch read replication on');
	},
};

/** The API's filter also finds names that merely contain it. */
async function databaseNamed(account: Account, name: string): Promise<Database | undefined> {
	const path = `d1/database?name=${name}&per_page=100`;
	return (await read<readonly Database[]>(account, path, 'list the databases')).find((one) => one.name === name);
}

/** Not a step: it is taken as soon as there is a database, even if another setup created that. @throws Stopped */
export async function takeLock({ account, memory, options, found }: Setup): Promise<void> {
	memory.keep({});
	const lock = new Lock(account, given(found.databaseId, 'the database'), memory.known.holder);
	await lock.take(options.takeOver);
	found.lock = lock;
}

export const migrations: Step = {
	title: 'Migrations',
	does: ({ database: name }) => `apply the files in migrations to ${name}`,
	async there(setup) {
		const left = await migrationsLeft(setup);
		return left.length === 0 ? 'all are applied' : null;
	},
	async run(setup) {
		const { account, deployment, talk } = setup;
		const left = await migrationsLeft(setup);
		if (await scriptExists(account, deployment.api)) {
			talk.say(
				`${deployment.api} runs on this database, and ${left.length} migrations are new. "Upgrading" in the book says when they may be applied.`,
			);
			if (!(await talk.confirm('Apply them now?'))) throw new Stopped('upgrade as the book says, then run setup again');
		}
		const ran = await runWrangler(
			['d1', 'migrations', 'apply', deployment.database, '--remote', ...environmentWords(deployment)],
			{ environment: { CLOUDFLARE_ACCOUNT_ID: account.id } },
		);
		if (!ran.ok) throw new Stopped(`the migrations stopped: ${ran.problem}`);
	},
};

async function migrationsLeft({ account, found }: Setup): Promise<string[]> {
	const all = readdirSync(join(ROOT, 'migrations')).filter((name) => name.endsWith('.sql'));
	if (!found.databaseId || !(await tablesIn(account, found.databaseId)).has('d1_migrations')) return all;
	const rows = await query<{ name: string }>(account, found.databaseId, 'SELECT name FROM d1_migrations');
	const applied = new Set(rows.map(({ name }) => name));
	return all.filter((name) => !applied.has(name));
}

export async function tablesIn(account: Account, databaseId: string): Promise<ReadonlySet<string>> {
	const rows = await query<{ name: string }>(
		account,
		databaseId,
		"SELECT name FROM sqlite_master WHERE type = 'table'",
	);
	return new Set(rows.map(({ name }) => name));
}

export async function scriptExists(account: Account, name: string): Promise<boolean> {
	return (await secretsOf(account, name)) !== null;
}

/** Names of a Worker's secrets; null where there is no such Worker. */
export async function secretsOf(account: Account, worker: string): Promise<ReadonlySet<string> | null> {
	const path = `workers/scripts/${worker}/secrets`;
	const secrets = await readIfThere<readonly { readonly name: string }[]>(
		account,
		path,
		`list the secrets of ${worker}`,
	);
	return secrets && new Set(secrets.map(({ name }) => name));
}

export const cache: Step = {
	title: 'Cache',
	does: ({ cache: title }) => `create the KV namespace ${title}`,
	async there({ account, deployment, found }) {
		const id = await boundCache(account, deployment);
		const namespace = id ? { id } : await namespaceTitled(account, deployment.cache);
		if (!namespace) return null;
		found.cacheId = namespace.id;
		return `${deployment.cache} is there`;
	},
	async run({ account, deployment, found }) {
		const answer = await account.call('POST', 'storage/kv/namespaces', { title: deployment.cache });
		found.cacheId = must<{ readonly id: string }>(answer, `create the namespace ${deployment.cache}`).id;
	},
};

export const archive: Step = {
	title: 'Archive',
	does: ({ archive: name }, { archive: wanted }) =>
		wanted
			? `create the R2 bucket ${name}, where finished orders move after 90 days`
			: 'none for now: orders stay in D1',
	async there({ account, deployment, answers }) {
		if (await hasBucket(account, deployment.archive)) return `${deployment.archive} is there`;
		return answers.archive ? null : 'finished orders stay in D1';
	},
	async run({ account, deployment, answers: { place } }) {
		const near = place && 'primary_location_hint' in place.database ? place.database.primary_location_hint : undefined;
		const body = { name: deployment.archive, ...(near && { locationHint: near }) };
		must(await account.call('POST', 'r2/buckets', body), `create the bucket ${deployment.archive}`);
	},
};

/** The namespace that the API Worker is bound to already, whatever its title is. */
const boundCache = async (account: Account, { api }: Deployment): Promise<string | undefined> =>
	(await bindingsOf(account, api)).find(({ name }) => name === 'CACHE')?.namespace_id;

const NAMESPACES_A_PAGE = 100;

interface Namespace {
	readonly id: string;
	readonly title: string;
}

async function namespaceTitled(account: Account, title: string): Promise<Namespace | undefined> {
	for (let page = 1; ; page++) {
		const path = `storage/kv/namespaces?per_page=${NAMESPACES_A_PAGE}&page=${page}`;
		const namespaces = await read<readonly Namespace[]>(account, path, 'list the KV namespaces');
		const found = namespaces.find((one) => one.title === title);
		if (found || namespaces.length < NAMESPACES_A_PAGE) return found;
	}
}
