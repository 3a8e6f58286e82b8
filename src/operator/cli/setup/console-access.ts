/**
 * Whom Cloudflare Access lets into the console: asked in production, and may be left for later. Until then the console is
 * closed. The API Worker gets both as secrets, so that no tracked file names them and later deployments keep them.
 */
import { BY_NAME } from '../../../configuration/variables.ts';
import { type Account, readIfThere } from './account.ts';
import type { Deployment } from './deployment.ts';
import { type Talk, Wrong } from './talk.ts';

export interface ConsoleAccess {
	readonly ACCESS_TEAM_DOMAIN: string;
	readonly ACCESS_AUDIENCE: string;
}

const NAMES = ['ACCESS_TEAM_DOMAIN', 'ACCESS_AUDIENCE'] as const;
const LATER = 'Enter: later';

/** Has the API Worker both? From this setup, an earlier one, or its configuration file. */
export async function hasConsoleAccess(account: Account, { api }: Deployment): Promise<boolean> {
	const names = await boundNames(account, api);
	return NAMES.every((name) => names.has(name));
}

/** Names of a Worker's bindings, variables and secrets. */
export const boundNames = async (account: Account, worker: string): Promise<ReadonlySet<string>> =>
	new Set((await bindingsOf(account, worker)).map(({ name }) => name));

interface Settings {
	readonly bindings?: readonly { readonly name: string; readonly namespace_id?: string }[];
}

/** None where there is no such Worker. */
export async function bindingsOf(account: Account, worker: string): Promise<NonNullable<Settings['bindings']>> {
	const path = `workers/scripts/${worker}/settings`;
	return (await readIfThere<Settings>(account, path, `read the settings of ${worker}`))?.bindings ?? [];
}

/** Null: later, or there is nothing to ask. */
export async function askForConsoleAccess(
	account: Account,
	talk: Talk,
	known: ConsoleAccess | undefined,
	deployment: Deployment,
): Promise<ConsoleAccess | null> {
	if (known) return known;
	if (deployment.environment === 'staging' || (await hasConsoleAccess(account, deployment))) return null;
	talk.say('The console (/operator) is closed until Cloudflare Access guards it ("The console" in the book).');
	const team = await askFor(talk, 'ACCESS_TEAM_DOMAIN', `Team domain, as example.cloudflareaccess.com (${LATER}):`);
	const audience = team && (await askFor(talk, 'ACCESS_AUDIENCE', `Audience (AUD) tag of its application (${LATER}):`));
	if (team && audience) return { ACCESS_TEAM_DOMAIN: team, ACCESS_AUDIENCE: audience };
	talk.say('It stays closed for now. The next setup asks again.');
	return null;
}

function askFor(talk: Talk, name: (typeof NAMES)[number], question: string): Promise<string | null> {
	const form = BY_NAME.get(name)?.form;
	return talk.ask(question, (answer) => {
		if (answer === '') return null;
		return form && !form.matches.test(answer) ? new Wrong(`This is not ${form.words}.`) : answer;
	});
}
