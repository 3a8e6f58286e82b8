/**
 * `npx exchange setup`: from an account to a deployment that answers. Each step is shown, looks whether it is done
 * already, and is done otherwise; so a setup that was broken off anywhere is run again and goes on. Exit status: 0 done,
 * 1 stopped with the reason.
 */
import { answersKnown, askForAnswers } from './answers.ts';
import { requireCosigner } from './cosigner.ts';
import { archive, cache, database, migrations, replicas, takeLock } from './database-steps.ts';
import { requireNoSecretInFiles } from './deploying.ts';
import { deploymentOf } from './deployment.ts';
import { domain } from './domain-step.ts';
import { finish } from './finish.ts';
import { askAboutMetrics, requireSubdomain } from './foreseen.ts';
import { houseOf, link, whereOf } from './house.ts';
import { keys } from './keys-step.ts';
import { setUpLocally } from './local.ts';
import { logIn, notLoggedIn, requirePlan, requireRights } from './login.ts';
import type { SetupOptions } from './options.ts';
import { lockHere, Memory } from './remembered.ts';
import type { Found, Setup, Step } from './step.ts';
import { Stopped, type Talk, talkOnTerminal } from './talk.ts';
import { agents, api, objects, operator, pages, signer, wallets } from './worker-steps.ts';

const STEPS: readonly Step[] = [
	database,
	replicas,
	migrations,
	cache,
	archive,
	keys,
	wallets,
	signer,
	pages,
	objects,
	agents,
	operator,
	api,
	domain,
];

const stepsOf = ({ monero }: Setup['answers'], isHoused: boolean): readonly Step[] =>
	STEPS.filter((step) => step !== wallets || (monero?.wallets === 'containers' && !isHoused)).map((step) =>
		step === signer && isHoused ? link : step,
	);

export async function setup(options: SetupOptions): Promise<number> {
	const talk = talkOnTerminal();
	const found: Found = {};
	let unlock = () => {};
	const leave = async () => {
		unlock();
		// Where the account cannot be reached, the next setup of this clone still gets its own lock.
		await found.lock?.release().catch((error: Error) => console.error(`setup: ${error.message}`));
	};
	process.once('SIGINT', () => leave().finally(() => process.exit(130)));
	try {
		// A dry run changes nothing, and its lock would be a change.
		if (!options.dryRun) unlock = lockHere(options.environment);
		if (options.local) await setUpLocally(talk, options.dryRun);
		else await (options.dryRun ? showSteps : deployAll)(options, talk, found);
		return 0;
	} catch (error) {
		if (!(error instanceof Stopped)) throw error;
		console.error(`setup: ${error.message}`);
		return 1;
	} finally {
		talk.close();
		await leave();
	}
}

async function deployAll(options: SetupOptions, talk: Talk, found: Found): Promise<void> {
	requireCosigner(options);
	const memory = new Memory(options.environment);
	answersKnown(options, memory);
	const deployment = deploymentOf(options.environment);
	const account = await logIn(talk, memory.known.accountId);
	if (!account) throw notLoggedIn();
	await requireRights(account);
	await requirePlan(account, talk);
	await requireSubdomain(account);
	requireNoSecretInFiles();
	await askAboutMetrics(account, talk, memory);
	const answers = await askForAnswers(options, { account, talk, memory, deployment });
	const where = whereOf(options.house ?? memory.known.house);
	const house = await houseOf(where, talk, account);
	if (where) memory.keep({ house: where });
	if (house && answers.monero?.wallets === 'containers') throw new Stopped(WALLETS_ELSEWHERE);
	const all: Setup = { options, deployment, account, house, talk, memory, answers, found };
	const steps = stepsOf(answers, house !== null);
	talk.say(
		`\nThese steps follow; what is there already stays.\n${steps.map((step, i) => shown(step, i, all)).join('\n')}`,
	);
	if (!(await talk.confirm('Go on?'))) throw new Stopped('nothing was changed');
	for (const [i, step] of steps.entries()) {
		talk.say(`\n${shown(step, i, all)}`);
		const there = await step.there(all);
		if (there === null) await step.run(all);
		talk.say(there === null ? '   Done.' : `   Nothing to do: ${there}.`);
		if (step === database) await takeLock(all);
	}
	await finish(all);
}

const WALLETS_ELSEWHERE =
	'containers of this account cannot have the wallets of a signer in another house: run setup again with --monero own, or --monero none';

/** All steps, and what of them is done as far as the login lets that be seen. */
async function showSteps(options: SetupOptions, talk: Talk, found: Found): Promise<void> {
	const memory = new Memory(options.environment);
	const answers = answersKnown(options, memory);
	const deployment = deploymentOf(options.environment);
	const account = await logIn(talk, memory.known.accountId);
	if (!account) talk.say('Nobody is logged in to Cloudflare, so this does not show what is there already.');
	const where = whereOf(options.house ?? memory.known.house);
	const house = account && (await houseOf(where, talk, account));
	const all = account && { options, deployment, account, house, talk, memory, answers, found };
	for (const [i, step] of stepsOf(answers, where !== null).entries()) {
		const there = all && (step !== domain || answers.domain) ? await step.there(all) : null;
		talk.say(`${shown(step, i, { deployment, answers })}${there === null ? '' : `\n   Nothing to do: ${there}.`}`);
	}
	talk.say('Nothing was changed.');
}

const shown = (step: Step, i: number, { deployment, answers }: Pick<Setup, 'deployment' | 'answers'>): string =>
	`${i + 1}. ${step.title}: ${step.does(deployment, answers)}`;
