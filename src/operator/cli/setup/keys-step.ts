/** The keys: which are missing, and who gets them. Code and secrets of a Worker arrive as one version. */
import { query } from './account.ts';
import { secretsOf, tablesIn } from './database-steps.ts';
import { REQUIRED_SECRETS } from './deployment.ts';
import { judgeKeys } from './keys.ts';
import { askForSeed } from './seed.ts';
import { given, newKey, regionOf, type Setup, type Step } from './step.ts';
import { Stopped } from './talk.ts';

const KEYS = [...new Set([...REQUIRED_SECRETS.signer, ...REQUIRED_SECRETS.api, ...REQUIRED_SECRETS.agents])];

export const keys: Step = {
	title: 'Keys',
	does: () => `make ${KEYS.join(', ')}; show the words of the wallet once`,
	async there(setup) {
		const { signer, api, agents } = await keysMissing(setup);
		return signer.length + api.length + agents.length === 0 ? 'each Worker has all that it needs' : null;
	},
	async run(setup) {
		const { answers, deployment, found, talk } = setup;
		const plan = await keysMissing(setup);
		await warnOfForeignWorkers(setup);
		const made = new Map<string, string>();
		for (const name of [...plan.signer, ...plan.api, ...plan.agents]) {
			if (name !== 'SEED') made.set(name, newKey());
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
			agents: plan.agents.length > 0 ? { ...pick(plan.agents), ...region } : {},
		};
		const { signer, api, agents } = deployment;
		talk.say(`The keys are made. They go to ${signer}, ${api} and ${agents} with the next steps.`);
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
async function keysMissing({ account, house, deployment, found }: Setup) {
	const [signer, api, agents] = await Promise.all([
		house?.account ? secretsOf(house.account, deployment.house) : secretsOf(account, deployment.signer),
		secretsOf(account, deployment.api),
		secretsOf(account, deployment.agents),
	]);
	// A house that somebody runs keeps its own seed; that it has our key nobody sees, but it gets one with the link.
	const isElsewhere = house?.account === null;
	const ofHouse = signer?.has('HOUSE_KEY') ? ['SEED', 'SEAL_KEY'] : ['SEED'];
	const there = { signer: isElsewhere ? new Set(ofHouse) : (signer ?? null), api: api ?? null, agents: agents ?? null };
	const judged = judgeKeys({ ...there, ...(await rowsThatRest()) });
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
	for (const name of [deployment.signer, deployment.api, deployment.agents]) {
		const secrets = await secretsOf(account, name);
		if (secrets === null || secrets.has('SEAL_KEY') || secrets.has('HOUSE_KEY')) continue;
		talk.say(`The account has a Worker ${name} that this service has not set up.`);
		if (!(await talk.confirm('Replace its code?')))
			throw new Stopped(`rename or remove the Worker ${name}, then run setup again`);
	}
}
