/**
 * Deploys one Worker with wrangler, from its configuration file or a changed copy of it. Where the account refuses
 * Analytics Engine, the Worker is deployed without metrics: what is measured never keeps a Worker from being mended.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BY_NAME } from '../../../configuration/variables.ts';
import type { Account } from './account.ts';
import { hasBucket } from './archive-bucket.ts';
import { boundNames } from './console-access.ts';
import { CONFIGURATIONS, type Deployment, environmentWords } from './deployment.ts';
import { Stopped, type Talk } from './talk.ts';
import { type Ran, ROOT, runWrangler, SECRETS_FROM_INPUT } from './wrangler.ts';

/** Git ignores it in every folder. */
const COPY = 'wrangler.setup.toml';
/** wrangler has the account's code in its message alone. */
const NO_ANALYTICS = /\bcode: ?10089\b/;

export interface Deploying {
	readonly account: Account;
	readonly deployment: Deployment;
	readonly talk: Pick<Talk, 'say'>;
}

export interface Version {
	/** The path of its configuration file. */
	readonly configuration: string;
	readonly change?: (text: string) => string;
	/** Code and secrets arrive as one version; secrets that are not named stay. */
	readonly secrets?: Readonly<Record<string, string>>;
}

/** @throws Stopped with what wrangler says */
export async function deploy(
	{ account, deployment, talk }: Deploying,
	{ configuration, change, secrets = {} }: Version,
): Promise<void> {
	// Docker, which wrangler starts for an image before it reads them, has the same input.
	const named = Object.keys(secrets).length > 0 ? SECRETS_FROM_INPUT : [];
	const run = (path: string): Promise<Ran> =>
		runWrangler(['deploy', '-c', path, ...environmentWords(deployment), ...named], {
			input: JSON.stringify(secrets),
			environment: { CLOUDFLARE_ACCOUNT_ID: account.id, ...(account.token && { CLOUDFLARE_API_TOKEN: account.token }) },
		});
	const changed = await changesOf(account, deployment, configuration, change);
	let ran = await (changed ? withCopy(configuration, changed, run) : run(configuration));
	if (!ran.ok && NO_ANALYTICS.test(ran.problem)) {
		talk.say(
			`   Analytics Engine is off in this account (code 10089), so it is deployed without metrics. Switch it on at ${analyticsPage(account)}, then run npx exchange deploy.`,
		);
		ran = await withCopy(configuration, (text) => withoutBindings(changed?.(text) ?? text, 'METRICS'), run);
	}
	if (!ran.ok) throw new Stopped(`the deployment stopped: ${ran.problem}`);
}

/** The API Worker, the agents Worker and the operator Worker have the bucket of finished orders wherever the account has it. */
async function changesOf(
	account: Account,
	{ environment, archive, ...workers }: Deployment,
	configuration: string,
	change: Version['change'],
): Promise<Version['change']> {
	const archiving = (['api', 'agents', 'operator'] as const).find((each) => CONFIGURATIONS[each] === configuration);
	if (!archiving || /^binding = "ARCHIVE"/m.test(textOf(configuration))) return change;
	// A login that may not see the bucket takes no binding away.
	const isBound = (await boundNames(account, workers[archiving])).has('ARCHIVE');
	if (!isBound && !(await hasBucket(account, archive))) return change;
	const table = environment === 'staging' ? 'env.staging.r2_buckets' : 'r2_buckets';
	const block = `\n[[${table}]]\nbinding = "ARCHIVE"\nbucket_name = "${archive}"\n`;
	return (text) => `${change?.(text) ?? text}${block}`;
}

export const analyticsPage = ({ id }: Account): string => `https://dash.cloudflare.com/${id}/workers/analytics-engine`;

/** Takes the bindings out of every environment. */
export const withoutBindings = (text: string, ...names: readonly string[]): string =>
	text
		.split('\n\n')
		.filter((block) => !names.some((name) => new RegExp(`^(?:binding|name) = "${name}"`, 'm').test(block)))
		.join('\n\n');

/** A changed copy beside the file, because the paths in it are its folder's. */
async function withCopy(
	configuration: string,
	change: (text: string) => string,
	run: (configuration: string) => Promise<Ran>,
): Promise<Ran> {
	const copy = join(dirname(configuration), COPY);
	writeFileSync(join(ROOT, copy), change(textOf(configuration)));
	try {
		return await run(copy);
	} finally {
		rmSync(join(ROOT, copy), { force: true });
	}
}

const textOf = (configuration: string): string => readFileSync(join(ROOT, configuration), 'utf8');

/** Secrets too, so that no tracked file says how much a deployment may pay, or since when it has Monero. */
const GIVEN_AS_SECRETS: ReadonlySet<string> = new Set(['SIGNER_DAILY_CAP_USD', 'MONERO_RESTORE_HEIGHT']);

const isGivenAsSecret = (name: string): boolean => GIVEN_AS_SECRETS.has(name) || BY_NAME.get(name)?.secret === true;

/**
 * Two bindings of one name are refused (code 10053), so a variable that setup gives as a secret must be in no file.
 *
 * @throws Stopped
 */
export function requireNoSecretInFiles(): void {
	for (const configuration of Object.values(CONFIGURATIONS)) {
		const names = [...textOf(configuration).matchAll(/^([A-Z][A-Z0-9_]*)\s*=/gm)].map(([, name = '']) => name);
		const collides = names.find(isGivenAsSecret);
		if (collides)
			throw new Stopped(
				`${configuration} has ${collides} under [vars], and ${collides} is a secret: Cloudflare refuses two of one name (code 10053). Take the line away; npx wrangler secret put ${collides} -c ${configuration} changes it`,
			);
	}
}
