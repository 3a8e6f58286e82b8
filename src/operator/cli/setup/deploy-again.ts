/** `npx exchange deploy`: this clone's code over Workers that are there. Exit status: 0 done, 1 stopped with the reason. */
import { boundNames } from './console-access.ts';
import { secretsOf } from './database-steps.ts';
import { type Deploying, deploy } from './deploying.ts';
import { CONFIGURATIONS, deploymentOf } from './deployment.ts';
import { hasHouseLogin, houseAccount } from './house.ts';
import { logIn, notLoggedIn } from './login.ts';
import { WALLET_BINDING, withWallets } from './monero.ts';
import type { DeployOptions } from './options.ts';
import { Memory } from './remembered.ts';
import { Stopped, type Talk, talkOnTerminal } from './talk.ts';

/** Before the link, as the signer is deployed after its callers and understands them. */
async function deployHouse({ account, deployment, talk }: Deploying & { readonly talk: Talk }): Promise<void> {
	if (!hasHouseLogin()) return talk.say(`The signer's house has a login of its own: ${HOUSE_AGAIN}.`);
	const house = await houseAccount(talk, account.id);
	await deploy({ account: house, deployment, talk }, { configuration: CONFIGURATIONS.house });
	talk.say(`${deployment.house} is deployed.`);
}

const HOUSE_AGAIN = 'deploy it from a clone of the same version, or set HOUSE_CLOUDFLARE_API_TOKEN and run this again';

export async function deployAgain({ environment, workers }: DeployOptions): Promise<number> {
	const talk = talkOnTerminal();
	try {
		const account = await logIn(talk, new Memory(environment).known.accountId);
		if (!account) throw notLoggedIn();
		const deployment = deploymentOf(environment);
		for (const worker of workers) {
			const name = deployment[worker];
			const isThere = (await secretsOf(account, name)) !== null;
			if (!isThere && worker === 'wallets' && workers.length > 1) continue;
			// wrangler would make a new Worker without keys, and a second cache.
			if (!isThere) throw new Stopped(`the account has no Worker ${name}: npx exchange setup deploys it first`);
			const hasWallets = worker === 'signer' && (await boundNames(account, name)).has(WALLET_BINDING);
			const version = { configuration: CONFIGURATIONS[worker], ...(hasWallets && { change: withWallets }) };
			const isLink = worker === 'signer' && ((await secretsOf(account, name))?.has('HOUSE_URL') ?? false);
			if (isLink) await deployHouse({ account, deployment, talk });
			await deploy({ account, deployment, talk }, isLink ? { configuration: CONFIGURATIONS.link } : version);
			talk.say(`${name} is deployed.`);
		}
		return 0;
	} catch (error) {
		if (!(error instanceof Stopped)) throw error;
		console.error(`deploy: ${error.message}`);
		return 1;
	} finally {
		talk.close();
	}
}
