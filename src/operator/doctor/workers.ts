/** The Workers: their variables, the versions of their code, and whether all clocks agree. */
import { sql } from 'drizzle-orm';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { doorText } from '../../console/door.ts';
import { type CodeVersion, codeVersion } from '../../platform/d1/code-version.ts';
import { objectNamed } from '../../platform/region.ts';
import type { ConfigurationProblem } from '../../ports/keeper.ts';
import type { SignerState } from '../../ports/signer.ts';
import { keeperOf } from '../env.ts';
import { fine, type Part, type Row, unknown, wrong } from './row.ts';

/** Clocks that are further apart are wrong. Signed calls may differ by more; seals and prices are judged by seconds. */
const MOST_MILLISECONDS = 5_000;

const ALL_WELL = 'no variable is missing, malformed or unknown';

/** The mistakes in the variables of a Worker; one row that says how well they are where there is none. */
function configurationRows(
	who: string,
	problems: readonly ConfigurationProblem[],
	well: string,
	...more: Row[]
): Row[] {
	const rows = problems.map(({ variable, problem, todo }) =>
		wrong('configuration', `${who}: ${variable}`, problem, todo),
	);
	return rows.length + more.length > 0 ? [...rows, ...more] : [fine('configuration', who, well)];
}

export const ownConfiguration: Part = async ({ context: { env } }) =>
	configurationRows('API', await keeperOf(env).problems(), ALL_WELL);

export const signersConfiguration: Part = async ({ signer }) =>
	configurationRows('signer', (await signer()).state.problems, ALL_WELL);

/** It archives nothing, and reads what is archived. */
export const agentsConfiguration: Part = async ({ context: { deployment }, agents }) => {
	const { state } = await agents();
	const who = 'agents Worker';
	const lacks = deployment?.api.hasArchive && !state.hasArchive ? [wrong('configuration', who, ...NOT_FOUND)] : [];
	return configurationRows(who, state.problems, ALL_WELL, ...lacks);
};

/** A deployment may leave the pages out. */
export const pagesConfiguration: Part = async ({ context: { env } }) =>
	env.PAGES ? configurationRows('pages', (await env.PAGES.examine()).problems, doorText(env)) : [];

/** It is told its variables, and the API Worker has the bucket of finished orders as well. */
export const operatorConfiguration: Part = async ({ context: { env, deployment } }) => {
	const { api, own = {} } = deployment ?? {};
	const given = Object.entries(own).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
	const found = await keeperOf(env).foreignToOperator(given.map(([name]) => name));
	const hasArchive = env.ARCHIVE !== undefined;
	const [one, other, file, deploy] = hasArchive
		? ['operator Worker', 'API Worker', 'wrangler.toml', DEPLOY_API]
		: ['API Worker', 'operator Worker', 'src/operator/wrangler.toml', DEPLOY_OPERATOR];
	const problem = `the ${one} has the bucket ARCHIVE, and the ${other} has not: nothing is archived`;
	const unlike = wrong('configuration', 'operator Worker', problem, `bind it in ${file}, then ${deploy}`);
	const lacks = api && api.hasArchive !== hasArchive ? [unlike] : [];
	return configurationRows('operator Worker', found, 'it has all that it needs', ...lacks);
};

const DEPLOY_SIGNER = 'npx exchange deploy signer';
const DEPLOY_API = 'npx exchange deploy api';
const DEPLOY_AGENTS = 'npx exchange deploy agents';
const DEPLOY_PAGES = 'npx exchange deploy pages';
const DEPLOY_OPERATOR = 'npx exchange deploy operator';
const NOT_FOUND = [
	'the API Worker has the bucket ARCHIVE, and the agents Worker has not: it finds no archived order whose address is paid again',
	`bind it in src/agents/wrangler.toml, then ${DEPLOY_AGENTS}`,
] as const;

export const versions: Part = async ({ context: { env, deployment }, signer, agents }) => {
	const own = deployment?.version ?? codeVersion(env);
	const [book, agent, { state: told }, { state }] = await Promise.all([
		objectNamed(env, env.RATE_BOOK, 'book').vitals(),
		objectNamed(env, env.CHAIN_AGENT, NETWORK_NAMES[0] ?? 'Bitcoin').state(),
		agents(),
		signer(),
	]);
	const api = versionRow('API', own, book.version);
	const pages = env.PAGES ? [besideApi('pages', await env.PAGES.version(), own, DEPLOY_PAGES)] : [];
	const others = [...pages, besideApi('operator Worker', codeVersion(env), own, DEPLOY_OPERATOR)];
	const { newestVersion, version } = state;
	const asAgents = unlikeApi('agents Worker', told.version, own, DEPLOY_AGENTS);
	const ofAgents = asAgents ?? versionRow('agents Worker', told.version, agent.version);
	const ofSigner = oneVersion(own, newestVersion) ?? versionRow('signer', newestVersion, version);
	return [api, ofAgents, ...others, ofSigner, ...houseRows(state)];
};

/** None where the signer is in the service's own account. */
const houseRows = ({ house }: SignerState): Row[] =>
	house
		? [fine('versions', "signer's house", `version ${house.version} of the link, answers in ${house.milliseconds} ms`)]
		: [];

/** A Worker that only the API Worker calls, and that holds no objects. */
function besideApi(who: string, version: CodeVersion, api: CodeVersion, deploy: string): Row {
	return unlikeApi(who, version, api, deploy) ?? fine('versions', who, textOf(version));
}

/** Null where both are of one version. */
function unlikeApi(who: string, version: CodeVersion, api: CodeVersion, deploy: string): Row | null {
	const detail = textOf(version);
	if (version.migration === api.migration) return null;
	const isOlder = version.migration < api.migration;
	const what = isOlder ? `older than the API Worker: ${detail}` : `newer than the API Worker: ${detail}`;
	return wrong('versions', who, what, isOlder ? deploy : DEPLOY_API);
}

/** `inObject`: what a Durable Object of the Worker runs, which may stay with the older code while it is busy. */
function versionRow(who: string, newest: CodeVersion, inObject: CodeVersion): Row {
	const detail = textOf(newest);
	if (newest.id === inObject.id) return fine('versions', who, detail);
	const older = `new calls reach ${detail}, an object of it still runs ${textOf(inObject)}`;
	return unknown('versions', who, older, 'nothing: it takes the new code within five minutes; run doctor again then');
}

/** Both Workers are deployed from one clone. Null where they are. */
function oneVersion(api: CodeVersion, signer: CodeVersion): Row | null {
	if (api.migration === signer.migration) return null;
	const isSignerOlder = signer.migration < api.migration;
	const detail = `the ${isSignerOlder ? 'signer' : 'API Worker'} is older: the API knows migration ${api.migration}, the signer ${signer.migration}`;
	return wrong('versions', 'signer', detail, isSignerOlder ? DEPLOY_SIGNER : DEPLOY_API);
}

const textOf = ({ id, tag, migration }: CodeVersion): string =>
	[id && `version ${id}`, tag && `tag ${tag}`, `made for migration ${migration}`].filter(Boolean).join(', ');

/** All by the clock of the operator Worker: the time that an answer takes is allowed for. */
export const apiClock: Part = async ({ context: { deployment, now } }) =>
	deployment ? [clockRow('API', deployment.api.at, now, now)] : [];

export const agentsClock: Part = async ({ agents }) => {
	const { state, before, after } = await agents();
	return [clockRow('agents Worker', state.at, before, after)];
};

export const signersClock: Part = async ({ signer }) => {
	const { state, before, after } = await signer();
	return [clockRow('signer', state.at, before, after)];
};

export const databasesClock: Part = async ({ context: { db } }) => {
	const before = Date.now();
	const now = sql`select cast((julianday('now') - 2440587.5) * 86400000 as integer) as at`;
	const [row] = await db.all<{ at: number }>(now);
	return [clockRow('database', row?.at ?? 0, before, Date.now())];
};

export const callersClock: Part = async ({ context: { callerAt, now } }) =>
	typeof callerAt === 'number' ? [clockRow('this command', callerAt, now, now)] : [];

function clockRow(what: string, at: number, before: number, after: number): Row {
	const apart = at < before ? before - at : Math.max(0, at - after);
	const detail = `${Math.ceil(apart / 1000)} s from the operator Worker's clock`;
	if (apart <= MOST_MILLISECONDS) return fine('clock', what, detail);
	const todo =
		what === 'this command'
			? "set this machine's clock (NTP): partners whose clocks are wrong are refused"
			: 'run doctor again; if it stays, ask Cloudflare';
	return wrong('clock', what, `${detail} (${new Date(at).toISOString()})`, todo);
}
