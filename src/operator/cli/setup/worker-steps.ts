/** The keys, the two Workers that get them (code and secrets of a Worker arrive as one version), and the two without keys. */
import { randomBytes } from 'node:crypto';
import { must, query } from './account.ts';
import { boundNames, hasConsoleAccess } from './console-access.ts';
import { secretsOf, tablesIn } from './database-steps.ts';
import { deploy, type Version, withoutBinding } from './deploying.ts';
import {
	API_CONFIGURATION,
	OPERATOR_CONFIGURATION,
	PAGES_CONFIGURATION,
	REQUIRED_SECRETS,
	SIGNER_CONFIGURATION,
	WALLETS_CONFIGURATION,
} from './deployment.ts';
import { judgeKeys } from './keys.ts';
import { moneroSecrets, WALLET_BINDING, withWallets } from './monero.ts';
import { askForSeed } from './seed.ts';
import { given, type Setup, type Step } from './step.ts';
import { Stopped } from './talk.ts';

const KEY_BYTES = 32;

export const keys: Step = {
	title: 'Keys',
	does: () =>
		`make ${[...new Set([...REQUIRED_SECRETS.signer, ...REQUIRED_SECRETS.api])].join(', ')}; show the words of the wallet once`,
	async there(setup) {
		const { signer, api } = await keysMissing(setup);
		return signer.length + api.length === 0 ? 'both Workers have all of them' : null;
	},
	async run(setup) {
		const { answers, deployment, found, talk } = setup;
		const plan = await keysMissing(setup);
		await warnOfForeignWorkers(setup);
		const made = new Map<string, string>();
		for (const name of [...plan.signer, ...plan.api]) {
			if (name !== 'SEED') made.set(name, randomBytes(KEY_BYTES).toString('base64url'));
		}
		if (plan.seed !== 'there') {
			// Loaded where it is needed: all chain families are behind it.
			const { newestGivenAddress } = await import('./wallet.ts');
			const order = await newestGivenAddress(setup.account, given(found.databaseId, 'the database'));
			made.set('SEED', await askForSeed(talk, plan.seed, order));
		}
		found.operatorToken = made.get('OPERATOR_TOKEN');
		await showOnce(setup, made);
		const pick = (names: readonly string[]) =>
			Object.fromEntries(names.map((name) => [name, given(made.get(name), name)]));
		const region = regionOf(setup);
		const cap = answers.dailyCapUsd === null ? {} : { SIGNER_DAILY_CAP_USD: answers.dailyCapUsd };
		found.secrets = {
			signer:
				plan.signer.length > 0 ? { ...pick(plan.signer), ...(plan.seed !== 'there' && { ...region, ...cap }) } : {},
			api: plan.api.length > 0 ? { ...pick(plan.api), ...(plan.api.includes('API_KEY_KEY') && region) } : {},
		};
		talk.say(`The keys are made. They go to ${deployment.signer} and ${deployment.api} with the next steps.`);
	},
};

/** The account never shows them again, and a restore of a backup needs them. The words of the wallet were shown before. */
async function showOnce({ talk, memory }: Setup, made: ReadonlyMap<string, string>): Promise<void> {
	const shown = [...made].filter(([name]) => name !== 'SEED');
	if (shown.length === 0) return;
	const before = memory.known.keysShown ?? [];
	const again = shown.flatMap(([name]) => (before.includes(name) ? name : []));
	// Kept before they are shown: what was seen is never taken for unseen.
	memory.keep({ keysShown: [...new Set([...before, ...shown.map(([name]) => name)])] });
	if (again.length > 0) talk.say(voidKeys(again));
	talk.say(
		`${shown.map(([name, value]) => `${name}=${value}`).join('\n')}\nOPERATOR_TOKEN admits the operator's command; a restore needs the others. Keep all in a password manager: they are shown this once.`,
	);
	if (!(await talk.confirm('Are they kept?'))) throw new Stopped('keep them, then run setup again: it makes others');
}

const voidKeys = (names: readonly string[]): string =>
	`An earlier setup did not end, so these keys are new: each ${names.join(', ')} shown before is void. Delete it where you kept it.`;

/** @throws Stopped where a key is gone that rows rest on */
async function keysMissing({ account, deployment, found }: Setup) {
	const [signer, api] = await Promise.all([secretsOf(account, deployment.signer), secretsOf(account, deployment.api)]);
	const judged = judgeKeys({ signer, api, ...(await rowsThatRest()) });
	if (judged.kind === 'plan') return judged.plan;
	throw new Stopped(
		`${judged.name} is missing in the account, and ${judged.what}: a new one would lose them. Set the same one again with npx wrangler secret put ${judged.name}, or restore the deployment ("Backup" in the book)`,
	);

	async function rowsThatRest() {
		const { databaseId } = found;
		const tables = databaseId ? await tablesIn(account, databaseId) : new Set();
		const hasRows = async (table: string) =>
			databaseId !== undefined &&
			tables.has(table) &&
			(await query(account, databaseId, `SELECT 1 FROM ${table} LIMIT 1`)).length > 0;
		return { hasOrders: await hasRows('orders'), hasPartners: await hasRows('partners') };
	}
}

/** A Worker of that name without any of our keys may be somebody's other work. */
async function warnOfForeignWorkers({ account, deployment, talk }: Setup): Promise<void> {
	for (const name of [deployment.signer, deployment.api]) {
		const secrets = await secretsOf(account, name);
		if (secrets === null || secrets.has('SEAL_KEY')) continue;
		talk.say(`The account has a Worker ${name} that this service has not set up.`);
		if (!(await talk.confirm('Replace its code?')))
			throw new Stopped(`rename or remove the Worker ${name}, then run setup again`);
	}
}

/** The signer is bound to it, so it comes before. A setup without containers has no such step. */
export const wallets: Step = {
	title: 'Wallets',
	does: ({ wallets: name }) => `build the image of Monero's wallets, and deploy ${name} with a container for each`,
	there: async ({ account, deployment, memory }) => {
		if (!memory.known.areWalletsDeployed) return null;
		return (await secretsOf(account, deployment.wallets)) === null ? null : `${deployment.wallets} is deployed`;
	},
	async run(setup) {
		await deployHeld(setup, { configuration: WALLETS_CONFIGURATION });
		setup.memory.keep({ areWalletsDeployed: true });
	},
};

export const signer: Step = {
	title: 'Signer',
	does: ({ signer: name }) => `deploy ${name} with its secrets`,
	there: async ({ account, answers, deployment, found }) => {
		if (Object.keys(found.secrets?.signer ?? {}).length > 0) return null;
		const needsWallets = answers.monero?.wallets === 'containers';
		if (needsWallets && !(await boundNames(account, deployment.signer)).has(WALLET_BINDING)) return null;
		const secrets = await secretsOf(account, deployment.signer);
		return hasAll(secrets, REQUIRED_SECRETS.signer) ? `${deployment.signer} is deployed and has its keys` : null;
	},
	run: (setup) => {
		const { monero } = setup.answers;
		return deployHeld(setup, {
			configuration: SIGNER_CONFIGURATION,
			...(monero?.wallets === 'containers' && { change: withWallets }),
			secrets: { ...setup.found.secrets?.signer, ...moneroSecrets(monero) },
		});
	},
};

export const pages: Step = {
	title: 'Pages',
	does: ({ pages: name }) => `deploy ${name}`,
	there: async ({ account, deployment }) =>
		(await secretsOf(account, deployment.pages)) === null ? null : `${deployment.pages} is deployed`,
	run: (setup) => deployHeld(setup, { configuration: PAGES_CONFIGURATION }),
};

/** The operator Worker binds to objects of the API Worker, and that binds to the operator Worker: it is deployed twice. */
export const objects: Step = {
	title: 'Objects',
	does: ({ api: name, queue }) =>
		`create the queue ${queue}, and deploy ${name} with its secrets and objects, not bound to the operator Worker yet`,
	there: async ({ account, deployment }) =>
		hasAll(await secretsOf(account, deployment.api), ['SEAL_KEY']) ? `${deployment.api} has its objects` : null,
	run: (setup) => deployApi(setup, (text) => withoutBinding(text, 'OPERATOR')),
};

export const operator: Step = {
	title: 'Operator Worker',
	does: ({ operator: name }) => `deploy ${name}`,
	there: async ({ account, deployment }) =>
		(await hasCron(account, deployment.operator)) ? `${deployment.operator} is deployed` : null,
	run: (setup) => deployHeld(setup, { configuration: OPERATOR_CONFIGURATION, secrets: regionOf(setup) }),
};

export const api: Step = {
	title: 'API Worker',
	does: ({ api: name, operator: other }, { consoleAccess }) =>
		`deploy ${name} again, bound to ${other}${consoleAccess ? ', with the console behind Cloudflare Access' : ''}`,
	there: async (setup) => {
		const { account, deployment, found } = setup;
		if (Object.keys(found.secrets?.api ?? {}).length > 0) return null;
		const secrets = await secretsOf(account, deployment.api);
		if (!hasAll(secrets, REQUIRED_SECRETS.api) || !(await isTriggered(setup))) return null;
		if (!(await boundNames(account, deployment.api)).has('OPERATOR')) return null;
		if (setup.answers.consoleAccess && !(await hasConsoleAccess(account, deployment))) return null;
		return `${deployment.api} is deployed and has its keys`;
	},
	run: (setup) => deployApi(setup, (text) => text),
};

const deployApi = (setup: Setup, change: (text: string) => string): Promise<void> =>
	deployHeld(setup, {
		configuration: API_CONFIGURATION,
		change: (text) => withCacheId(change(text), given(setup.found.cacheId, 'the cache')),
		secrets: { ...setup.found.secrets?.api, ...setup.answers.consoleAccess },
	});

/** Only while this setup holds the deployment. */
async function deployHeld(setup: Setup, version: Version): Promise<void> {
	await given(setup.found.lock, 'the lock').verify();
	await deploy(setup, version);
}

const regionOf = ({ answers }: Setup) => ({ REGION: given(answers.place ?? undefined, 'the place').region });

async function hasCron(account: Setup['account'], worker: string): Promise<boolean> {
	const answer = await account.call('GET', `workers/scripts/${worker}/schedules`);
	if (!answer.ok && answer.status === 404) return false;
	const { schedules } = must(answer, 'read the schedules') as { readonly schedules: readonly unknown[] };
	return schedules.length > 0;
}

/** A deployment sets the cron and the queue's consumer after the upload, so it may have ended between these. */
async function isTriggered({ account, deployment }: Setup): Promise<boolean> {
	const queues = must(
		await account.call('GET', `queues?name=${deployment.queue}`),
		'list the queues',
	) as readonly Queue[];
	const queue = queues.find(({ queue_name }) => queue_name === deployment.queue);
	return (queue?.consumers ?? []).length > 0 && hasCron(account, deployment.api);
}

interface Queue {
	readonly queue_name: string;
	readonly consumers?: readonly unknown[];
}

const hasAll = (secrets: ReadonlySet<string> | null, names: readonly string[]): boolean =>
	names.every((name) => secrets?.has(name));

/** wrangler finds D1 and queues by their names, but would create a second namespace. Later deployments keep the binding. */
const withCacheId = (text: string, id: string): string =>
	text.replaceAll('binding = "CACHE"', `binding = "CACHE"\nid = "${id}"`);
