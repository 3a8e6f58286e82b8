/** The Workers, each with its secrets: code and secrets of a Worker arrive as one version. */
import { read, readIfThere } from './account.ts';
import { boundNames, hasConsoleAccess } from './console-access.ts';
import { CHOSEN_FIRST, cosignerSecrets, isThere } from './cosigner.ts';
import { secretsOf } from './database-steps.ts';
import { deploy, type Version, withoutBindings } from './deploying.ts';
import { CONFIGURATIONS, REQUIRED_SECRETS } from './deployment.ts';
import { moneroSecrets, WALLET_BINDING, withWallets } from './monero.ts';
import { given, regionOf, type Setup, type Step } from './step.ts';
import { Stopped } from './talk.ts';

/** The signer is bound to it, so it comes before. A setup without containers has no such step. */
export const wallets: Step = {
	title: 'Wallets',
	does: ({ wallets: name }) => `build the image of Monero's wallets, and deploy ${name} with a container for each`,
	there: async ({ account, deployment, memory }) => {
		if (!memory.known.areWalletsDeployed) return null;
		return (await secretsOf(account, deployment.wallets)) === null ? null : `${deployment.wallets} is deployed`;
	},
	async run(setup) {
		await deployHeld(setup, { configuration: CONFIGURATIONS.wallets });
		setup.memory.keep({ areWalletsDeployed: true });
	},
};

export const signer: Step = {
	title: 'Signer',
	does: ({ signer: name }) => `deploy ${name} with its secrets`,
	there: async (setup) => {
		const { account, answers, deployment, found, options } = setup;
		if (Object.keys(found.secrets?.signer ?? {}).length > 0) return null;
		const needsWallets = answers.monero?.wallets === 'containers';
		if (needsWallets && !(await boundNames(account, deployment.signer)).has(WALLET_BINDING)) return null;
		const secrets = await secretsOf(account, deployment.signer);
		if (!hasAll(secrets, REQUIRED_SECRETS.signer)) return null;
		if (options.cosigner !== undefined && !(await isThere(setup))) throw new Stopped(CHOSEN_FIRST);
		return `${deployment.signer} is deployed and has its keys`;
	},
	run: async (setup) => {
		const { monero } = setup.answers;
		const cosigner = await cosignerSecrets(setup);
		return deployHeld(setup, {
			configuration: CONFIGURATIONS.signer,
			...(monero?.wallets === 'containers' && { change: withWallets }),
			secrets: { ...setup.found.secrets?.signer, ...moneroSecrets(monero), ...cosigner },
		});
	},
};

export const pages: Step = {
	title: 'Pages',
	does: ({ pages: name }) => `deploy ${name}`,
	there: async ({ account, deployment }) =>
		(await secretsOf(account, deployment.pages)) === null ? null : `${deployment.pages} is deployed`,
	run: (setup) => deployHeld(setup, { configuration: CONFIGURATIONS.pages }),
};

/** Bindings of the API Worker to Workers that come after it. */
const LAST_BOUND = ['AGENTS', 'CHAIN_AGENT', 'OPERATOR'];

/** The agents Worker and the operator Worker bind to objects of the API Worker, and that binds to both: it is deployed twice. */
export const objects: Step = {
	title: 'Objects',
	does: ({ api: name, queue }) =>
		`create the queue ${queue}, and deploy ${name} with its secrets and objects, not bound to the agents Worker and the operator Worker yet`,
	there: async ({ account, deployment }) =>
		hasAll(await secretsOf(account, deployment.api), ['SEAL_KEY']) ? `${deployment.api} has its objects` : null,
	run: (setup) => deployApi(setup, (text) => withoutBindings(text, ...LAST_BOUND)),
};

export const agents: Step = {
	title: 'Agents Worker',
	does: ({ agents: name }) => `deploy ${name} with its secret`,
	there: async ({ account, deployment, found }) => {
		if (Object.keys(found.secrets?.agents ?? {}).length > 0) return null;
		const secrets = await secretsOf(account, deployment.agents);
		return hasAll(secrets, REQUIRED_SECRETS.agents) ? `${deployment.agents} is deployed and has its key` : null;
	},
	run: (setup) =>
		deployHeld(setup, { configuration: CONFIGURATIONS.agents, secrets: { ...setup.found.secrets?.agents } }),
};

export const operator: Step = {
	title: 'Operator Worker',
	does: ({ operator: name }) => `deploy ${name}`,
	there: async ({ account, deployment }) =>
		(await hasCron(account, deployment.operator)) ? `${deployment.operator} is deployed` : null,
	run: (setup) => deployHeld(setup, { configuration: CONFIGURATIONS.operator, secrets: regionOf(setup) }),
};

export const api: Step = {
	title: 'API Worker',
	does: ({ api: name, agents: one, operator: other }, { consoleAccess }) =>
		`deploy ${name} again, bound to ${one} and ${other}${consoleAccess ? ', with the console behind Cloudflare Access' : ''}`,
	there: async (setup) => {
		const { account, deployment, found } = setup;
		if (Object.keys(found.secrets?.api ?? {}).length > 0) return null;
		const secrets = await secretsOf(account, deployment.api);
		if (!hasAll(secrets, REQUIRED_SECRETS.api) || !(await isTriggered(setup))) return null;
		const bound = await boundNames(account, deployment.api);
		if (!LAST_BOUND.every((name) => bound.has(name))) return null;
		if (setup.answers.supportContact && !bound.has('SUPPORT_CONTACT')) return null;
		if (setup.answers.consoleAccess && !(await hasConsoleAccess(account, deployment))) return null;
		return `${deployment.api} is deployed and has its keys`;
	},
	run: (setup) => deployApi(setup, (text) => text),
};

/** A secret as well, so that no tracked file names it and later deployments keep it. */
const supportOf = ({ supportContact }: Setup['answers']) => supportContact && { SUPPORT_CONTACT: supportContact };

const deployApi = (setup: Setup, change: (text: string) => string): Promise<void> =>
	deployHeld(setup, {
		configuration: CONFIGURATIONS.api,
		change: (text) => withCacheId(change(text), given(setup.found.cacheId, 'the cache')),
		secrets: { ...setup.found.secrets?.api, ...setup.answers.consoleAccess, ...supportOf(setup.answers) },
	});

/** Only while this setup holds the deployment. */
async function deployHeld(setup: Setup, version: Version): Promise<void> {
	await given(setup.found.lock, 'the lock').verify();
	await deploy(setup, version);
}

async function hasCron(account: Setup['account'], worker: string): Promise<boolean> {
	const path = `workers/scripts/${worker}/schedules`;
	const there = await readIfThere<{ readonly schedules: readonly unknown[] }>(account, path, 'read the schedules');
	return there !== null && there.schedules.length > 0;
}

/** A deployment sets the cron and the queue's consumer after the upload, so it may have ended between these. */
async function isTriggered({ account, deployment }: Setup): Promise<boolean> {
	const queues = await read<readonly Queue[]>(account, `queues?name=${deployment.queue}`, 'list the queues');
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
