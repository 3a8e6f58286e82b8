/** The steps after the deployment: the proof that it works, the first partner, and how to make a first order. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { TOPICS } from '../../topics/table.ts';
import { recordAdvice } from '../promise-record.ts';
import { hasConsoleAccess } from './console-access.ts';
import { given, type Setup } from './step.ts';
import { type Talk, Wrong } from './talk.ts';

const EXCHANGE = join(import.meta.dirname, '../exchange.cjs');
/** Any answer will do: it shows that the name and the certificate are there. */
const REACHED_MILLISECONDS = 10_000;

export async function finish(setup: Setup): Promise<void> {
	const { talk, account, deployment, answers, found } = setup;
	const url = process.env['SERVICE_URL'] || `https://${given(answers.domain ?? undefined, 'the domain')}`;
	talk.say(`\nThe service: ${url}`);
	if (deployment.environment === 'production' && !(await hasConsoleAccess(account, deployment)))
		talk.say(CONSOLE_CLOSED);
	const token = found.operatorToken ?? process.env['OPERATOR_TOKEN'] ?? (await askForToken(talk));
	if (!token || !(await isReached(talk, url))) return talk.say(`${leftToDo(url)}\n${firstOrder(setup)}`);
	const operator = (...words: string[]) => exchange(words, { SERVICE_URL: url, OPERATOR_TOKEN: token });
	const advice = await recordAdvice(new URL(url));
	if (advice && deployment.environment === 'production') talk.say(advice);
	talk.say('\nIs all well?');
	const isWell = (await operator(...('doctor' in TOPICS ? ['doctor'] : ['network', 'check']))).code === 0;
	await firstPartner(talk, operator);
	talk.say(isWell ? firstOrder(setup) : `Mend what is wrong above first. ${firstOrder(setup)}`);
	talk.say(byHand(url));
}

const askForToken = (talk: Talk): Promise<string> =>
	talk.ask('Its OPERATOR_TOKEN, to check it (Enter skips the check):', (answer) => answer);

async function isReached(talk: Talk, url: string): Promise<boolean> {
	for (;;) {
		const signal = AbortSignal.timeout(REACHED_MILLISECONDS);
		const reached = await fetch(url, { redirect: 'manual', signal }).then(
			() => true,
			() => false,
		);
		if (reached) return true;
		talk.say(`${url} does not answer yet. A new name and its certificate can take some minutes.`);
		const again = await talk.ask('Enter tries again, skip goes on without the check:', (answer) => {
			if (answer === '' || answer === 'skip') return answer === '';
			return new Wrong('Press Enter, or answer skip.');
		});
		if (!again) return false;
	}
}

async function firstPartner(talk: Talk, operator: (...words: string[]) => Promise<Ended>): Promise<void> {
	const { code, stdout } = await operator('partner', 'list', '--json');
	if (code !== 0 || (JSON.parse(stdout) as unknown[]).length > 0) return;
	const name = await talk.ask('\nName of the first partner (Enter makes none):', (answer) => answer);
	if (name === '') return;
	talk.say('Its credentials, shown this once:');
	await operator('partner', 'create', '--name', name);
}

interface Ended {
	readonly code: number | null;
	readonly stdout: string;
}

/** Runs the operator's command. What it says is shown, unless it is meant for us. */
function exchange(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
	const isShown = !words.includes('--json');
	const child = spawn(process.execPath, [EXCHANGE, ...words], {
		env: { ...process.env, ...environment },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	let stdout = '';
	child.stdout.on('data', (part) => {
		stdout += String(part);
		if (isShown) process.stdout.write(part);
	});
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve({ code, stdout }));
	});
}

const CONSOLE_CLOSED =
	'Its console is closed: "The console" in the book says how to make the application in Cloudflare Access. Then run setup again.';

const firstOrder = ({ deployment }: Setup): string =>
	deployment.environment === 'staging'
		? '\nA first order: sign a create as README shows, then npx exchange sandbox deposit ID.'
		: `
A first order with real coins:
  1. Give the agents Worker and the signer nodes of two networks ("Networks on nodes" in the book), then npx exchange network check.
  2. Send a little of each asset to the hot wallets that npx exchange network list shows.
  3. npx exchange site update --daily-cap-usd 100
  4. Sign a create as README shows, for about 20 US dollars to an address of your own, and pay it.
  5. npx exchange order show ID until it is DONE, then npx exchange ledger check.`;

const leftToDo = (url: string): string => `
Left to do, once the service answers, each with SERVICE_URL=${url} OPERATOR_TOKEN=… before it:
  npx exchange doctor
  npx exchange partner create --name NAME
  npx exchange attention from then on`;

const byHand = (url: string): string => `\nFrom now on: SERVICE_URL=${url} OPERATOR_TOKEN=… npx exchange attention`;
