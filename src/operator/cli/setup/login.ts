/** Which account, and may the login do there what setup does? Asks for nothing that changes the account. */
import { type Account, type Answer, accountOf, must } from './account.ts';
import { Stopped, type Talk, Wrong } from './talk.ts';
import { runWrangler } from './wrangler.ts';

const LOG_IN = 'run npx wrangler login, or set CLOUDFLARE_API_TOKEN';

interface Named {
	readonly id: string;
	readonly name: string;
}

/** Each right's scope, and its name where tokens are made. */
const RIGHTS: Readonly<Record<string, string>> = {
	'workers/scripts': 'Workers Scripts: Edit',
	'd1/database?per_page=10': 'D1: Edit',
	'storage/kv/namespaces?per_page=10': 'Workers KV Storage: Edit',
	'queues?per_page=10': 'Queues: Edit',
	'/zones?per_page=5': 'Zone: Read, and Workers Routes: Edit',
};

/** `token`: of another login than wrangler's. Null where nobody is logged in. @throws Stopped where the login belongs to no account that may be used */
export async function logIn(talk: Talk, known: string | undefined, token?: string): Promise<Account | null> {
	const headers = token ? bearer(token) : await authorization();
	if (!headers) return null;
	const answer = await accountOf('', headers).call('GET', '/accounts?per_page=50');
	if (!answer.ok && (answer.status === 401 || answer.status === 403))
		throw new Stopped(`the login is not valid: ${LOG_IN}`);
	const accounts = must<readonly Named[]>(answer, 'list the accounts');
	const wanted = (!token && process.env['CLOUDFLARE_ACCOUNT_ID']) || known;
	const chosen = wanted === undefined ? await choose(talk, accounts) : accounts.find(({ id }) => id === wanted);
	if (!chosen) throw new Stopped(`the login may use no account ${wanted ?? ''}: ${LOG_IN} of another one`);
	talk.say(`Account: ${chosen.name}`);
	return accountOf(chosen.id, headers, token);
}

export const notLoggedIn = (): Stopped =>
	new Stopped(`nobody is logged in to Cloudflare: ${LOG_IN}, then run setup again`);

async function choose(talk: Talk, accounts: readonly Named[]): Promise<Named | undefined> {
	if (accounts.length < 2) return accounts[0];
	talk.say(accounts.map(({ name }, i) => `  ${i + 1} ${name}`).join('\n'));
	return talk.ask(
		'Which account? Its number:',
		(answer) => accounts[Number(answer) - 1] ?? new Wrong('No such number.'),
	);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The headers of the login that wrangler uses too; null where there is none. */
async function authorization(): Promise<Record<string, string> | null> {
	const { CLOUDFLARE_API_TOKEN: given } = process.env;
	if (given) return bearer(given);
	const ran = await runWrangler(['auth', 'token', '--json']);
	if (!ran.ok) return null;
	const { type, token, key, email } = JSON.parse(ran.stdout) as Record<string, string | undefined>;
	if (type === 'api_key') return { 'X-Auth-Key': key ?? '', 'X-Auth-Email': email ?? '' };
	return { authorization: `Bearer ${token}` };
}

/** All that are missing at once, so that a token is made again only once. @throws Stopped */
export async function requireRights(account: Account): Promise<void> {
	const answers = await Promise.all(
		Object.entries(RIGHTS).map(async ([path, right]) => ({ right, answer: await account.call('GET', path) })),
	);
	const refused = answers.filter(({ answer }) => !answer.ok && (answer.status === 401 || answer.status === 403));
	if (refused.length === 0) return;
	const names = refused.map(({ right }) => `"${right}"`).join('; ');
	throw new Stopped(
		`the login lacks rights on this account: ${names}. Add them to the token, or ${LOG_IN} that has them`,
	);
}

const NEEDS_PLAN =
	'the service needs the plan Workers Paid (5 US dollars a month): the free plan has too few requests and too little time for each';

/** @throws Stopped where the account has no plan that carries the service */
export async function requirePlan(account: Account, talk: Talk): Promise<void> {
	const listed = plansIn(await account.call('GET', 'subscriptions'));
	if (listed?.some((plan) => /workers.*paid|enterprise/i.test(plan))) return;
	const why = listed
		? 'Cloudflare lists no plan Workers Paid for this account'
		: 'This login may not see the plan of the account';
	talk.say(`${why}; ${NEEDS_PLAN}.`);
	if (await talk.confirm('Does the account have it?')) return;
	throw new Stopped(
		`${NEEDS_PLAN}: choose it at https://dash.cloudflare.com/${account.id}/workers/plans, then run setup again`,
	);
}

/** Null where the login may not read the bills. */
function plansIn(answer: Answer): string[] | null {
	if (!answer.ok || !Array.isArray(answer.result)) return null;
	return answer.result.map((subscription) => {
		const plan = Object(Object(subscription).rate_plan);
		return `${plan.id} ${plan.public_name}`;
	});
}
