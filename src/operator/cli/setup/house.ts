/**
 * A signer in a house of its own: in another Cloudflare account, which has a login of its own, or at a URL that somebody else
 * runs. The house gets the signer's secrets, and the link, in the service's account, none of them.
 */
import { type Account, read } from './account.ts';
import { secretsOf } from './database-steps.ts';
import { deploy } from './deploying.ts';
import { CONFIGURATIONS } from './deployment.ts';
import { logIn } from './login.ts';
import { given, type House, newKey, type Step } from './step.ts';
import { Stopped, type Talk } from './talk.ts';

const TOKEN = 'HOUSE_CLOUDFLARE_API_TOKEN';
const SECRETS = ['HOUSE_KEY', 'HOUSE_URL'];

export const ACCOUNT = 'account';

/** @throws Stopped where it is neither the word nor an address */
export function whereOf(text: string | undefined): string | null {
	if (text === undefined || text === ACCOUNT) return text ?? null;
	if (URL.canParse(text) && new URL(text).protocol === 'https:') return text;
	throw new Stopped(`--house ${text} is neither the word account nor an https: address`);
}

export async function houseOf(where: string | null, talk: Talk, service: Account): Promise<House | null> {
	if (where === null) return null;
	return { where, account: where === ACCOUNT ? await houseAccount(talk, service.id) : null };
}

export const hasHouseLogin = (): boolean => Boolean(process.env[TOKEN]);

/** The account of the house. @throws Stopped where it has no login, or is the service's own account */
export async function houseAccount(talk: Talk, serviceId: string): Promise<Account> {
	const token = process.env[TOKEN];
	if (!token) throw new Stopped(`set ${TOKEN} to a token of the account that the signer's house is to be in`);
	const account = await logIn(talk, process.env['HOUSE_CLOUDFLARE_ACCOUNT_ID'], token);
	if (!account) throw new Stopped(`${TOKEN} is not valid`);
	if (account.id === serviceId)
		throw new Stopped('the house would be in the account of the service, whose owner then has the seed all the same');
	return account;
}

/** In the order in which they work: the house may come before the link, for nobody calls it yet. */
export const link: Step = {
	title: 'Link',
	does: ({ signer: name }) => `deploy the signer's house with its secrets, and the link to it as ${name}`,
	there: async ({ account, deployment, found, memory }) => {
		if (!memory.known.isHouseLinked) return null;
		if (Object.keys(found.secrets?.signer ?? {}).length > 0) return null;
		const secrets = await secretsOf(account, deployment.signer);
		return SECRETS.every((name) => secrets?.has(name)) ? `${deployment.signer} leads to the house` : null;
	},
	async run(setup) {
		const { account, deployment, found, memory, talk } = setup;
		const house = given(setup.house ?? undefined, 'the house');
		const key = newKey();
		const own = { ...found.secrets?.signer, HOUSE_KEY: key, LINK_URL: await addressOf(account, deployment.signer) };
		await given(found.lock, 'the lock').verify();
		// Both ends get the new key, or the next setup begins here.
		memory.keep({ isHouseLinked: false });
		if (house.account)
			await deploy({ account: house.account, deployment, talk }, { configuration: CONFIGURATIONS.house, secrets: own });
		else await showOnce(talk, { ...own, DEPLOYMENT: deployment.environment });
		const url = house.account ? await addressOf(house.account, deployment.house) : house.where;
		const secrets = { HOUSE_KEY: key, HOUSE_URL: url };
		await deploy({ account, deployment, talk }, { configuration: CONFIGURATIONS.link, secrets });
		memory.keep({ isHouseLinked: true });
	},
};

/** A house that somebody runs has its seed already, or makes one. @throws Stopped */
async function showOnce(talk: Talk, own: Readonly<Record<string, string>>): Promise<void> {
	const lines = Object.entries(own).map(([name, value]) => `${name}=${value}`);
	talk.say(`${lines.join('\n')}\nThe house must be given these; they are shown this once.`);
	if (!(await talk.confirm('Has it got them?'))) throw new Stopped('give them to the house, then run setup again');
}

async function addressOf(account: Account, worker: string): Promise<string> {
	const what = 'read the workers.dev subdomain';
	const { subdomain } = await read<{ readonly subdomain: string }>(account, 'workers/subdomain', what);
	return `https://${worker}.${subdomain}.workers.dev/`;
}
