/**
 * The choice of a co-signer. It is made with the signer's first deployment, because two keys may have other addresses than one:
 * setup makes the key of the link between the two, gives the signer the co-signer's address and public keys, and shows what
 * the co-signer must be given.
 */
import { NETWORK_NAMES } from '../../../catalog/networks.ts';
import type { ChainConfiguration } from '../../../chains/configuration.ts';
import { isCosigned, type JudgeVariables, judgesOf } from '../../../chains/judges.ts';
import { ConfigurationError } from '../../../crypto/key-ring.ts';
import { secretsOf } from './database-steps.ts';
import type { SetupOptions } from './options.ts';
import { newKey, type Setup } from './step.ts';
import { Stopped } from './talk.ts';

const OTHER_JUDGE = /^OTHER_JUDGE_[A-Z]+$/;

/** The co-signer's variables in the environment of setup. */
const given = (): Record<string, string> =>
	Object.fromEntries(
		Object.entries(process.env).filter(
			(one): one is [string, string] => one[1] !== undefined && (one[0] === 'COSIGNED' || OTHER_JUDGE.test(one[0])),
		),
	);

/** @throws Stopped, before anything is changed, where the choice cannot be carried out */
export function requireCosigner({ cosigner, house }: SetupOptions): void {
	if (cosigner === undefined) return;
	if (!URL.canParse(cosigner) || new URL(cosigner).protocol !== 'https:')
		throw new Stopped(`--cosigner ${cosigner} is no https: address`);
	if (house !== undefined) throw new Stopped('give the house the variables of its co-signer yourself (book: cosigner)');
	const variables: JudgeVariables & ChainConfiguration = given();
	if (!variables.COSIGNED) throw new Stopped('set COSIGNED to the networks whose payments both judges sign');
	try {
		for (const network of NETWORK_NAMES) if (isCosigned(variables, network)) judgesOf(variables, network);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		throw new Stopped(`${error.message}: npm run judge:keys prints it, where the co-signer's seed is`);
	}
}

export const CHOSEN_FIRST =
	'the signer has its seed already, and a co-signer is chosen before that; on Tron alone it may come later, by hand (book: cosigner)';

/** Has the signer a co-signer? */
export const isThere = async ({ account, deployment }: Setup): Promise<boolean> =>
	(await secretsOf(account, deployment.signer))?.has('COSIGNER_URL') ?? false;

/** The signer's secrets for it; none where it was not chosen. @throws Stopped where the co-signer has not got its own */
export async function cosignerSecrets(setup: Setup): Promise<Record<string, string>> {
	const { options, deployment, found, talk } = setup;
	if (options.cosigner === undefined || (await isThere(setup))) return {};
	const { SEED: words, SEAL_KEY: sealKey = '' } = found.secrets?.signer ?? {};
	if (!words) throw new Stopped(CHOSEN_FIRST);
	const { COSIGNED = '', ...keys } = given();
	const shared = { COSIGNER_KEY: newKey(), COSIGNED };
	const { judgeVariablesOf } = await import('./wallet.ts');
	const theirs = {
		...shared,
		SEAL_KEY: sealKey,
		DEPLOYMENT: deployment.environment,
		...(await judgeVariablesOf(words, { COSIGNED })),
	};
	const lines = Object.entries(theirs).map(([name, value]) => `${name}=${value}`);
	talk.say(
		`${lines.join('\n')}\nThe co-signer must be given these; they are shown this once. The keys are for main chains.`,
	);
	if (!(await talk.confirm('Has it got them?'))) throw new Stopped('give them to the co-signer, then run setup again');
	return { ...shared, ...keys, COSIGNER_URL: options.cosigner };
}
