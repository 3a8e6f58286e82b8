/** `npx exchange setup` as a person runs it: a process in a clone of its own, whose questions are answered in turn. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';
import { ACCOUNT_ID, type RunningAccount } from './cloudflare-account.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLONED = ['src', 'migrations', 'wrangler.toml', 'tsconfig.json', 'package.json', 'CHANGELOG.md', 'LICENSE'];

/** What the operator does not want to be asked about in a test that is about something else. */
export const SENSIBLE: Answers = [
	[/^Domain/, 'swap.example.com'],
	[/^Place/, 'weur'],
	[/^The most/, ''],
	[/^Monero's wallets/, ''],
	[/^The block/, ''],
	[/^(?:Team domain|Audience)/, ''],
	[/^Where do payers ask/, ''],
	[/^Make new/, 'new'],
	[/^Word (\d+)\?/, ({ said, match }) => wordIn(said, match[1] ?? '')],
	[/^Enter tries again/, 'skip'],
	[/^Its OPERATOR_TOKEN/, ''],
	[/\[yes\/no\]/, 'yes'],
];

interface Question {
	/** All that was said before. */
	readonly said: string;
	readonly match: RegExpExecArray;
}

/** The first that fits a question answers it; `end` ends the input instead. */
export type Answers = readonly (readonly [question: RegExp, answer: string | ((question: Question) => string)])[];

export const END = '\u0004';
/** Leaves the question open. */
export const WAIT = '\u0000';

export interface Ended {
	readonly status: number | null;
	/** What was said and asked. */
	readonly said: string;
	readonly error: string;
}

export const wordIn = (said: string, number: string): string =>
	new RegExp(`(?:^|\\s)${number} ([a-z]+)`).exec(said.slice(said.lastIndexOf('cross them out')))?.[1] ?? '';

export interface Clone {
	readonly directory: string;
	/** Words of `setup`, or `deploy` with its own. */
	run(words: readonly string[], answers?: Answers): Promise<Ended>;
	/** One that is not waited for. */
	start(words: readonly string[], answers?: Answers): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
	/** From now on Docker is there, and says yes to everything. */
	installDocker(): void;
	remove(): void;
}

const DOCKER = 'docker.sh';
/** Answers wrangler's questions about an image, which it "builds" from what it is given. */
const SAYS_YES = `#!/bin/sh
case "$1" in build|login) cat > /dev/null;; esac
case "$*" in
manifest*) echo '{"Descriptor":{"digest":"sha256:${'0'.repeat(64)}"}}';;
*RootFS*) echo "1000 2";;
*RepoDigests*) echo '[]';;
esac
`;

/** A folder of its own, so that what setup and wrangler write there is nobody else's. */
export function cloneOf({ url }: RunningAccount, environment: NodeJS.ProcessEnv = {}): Clone {
	const directory = mkdtempSync(join(tmpdir(), 'exchange-clone-'));
	for (const name of CLONED) cpSync(join(ROOT, name), join(directory, name), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
	const env = {
		...process.env,
		HOME: directory,
		XDG_CONFIG_HOME: join(directory, 'config'),
		CLOUDFLARE_API_BASE_URL: url,
		CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
		CLOUDFLARE_API_TOKEN: 'token',
		CLOUDFLARE_CF_FETCH_ENABLED: 'false',
		WRANGLER_DOCKER_BIN: join(directory, DOCKER),
		...environment,
	};

	function start(words: readonly string[], answers: Answers = []) {
		const cli = join(directory, 'src/operator/cli/exchange.cjs');
		const child = spawn(process.execPath, [cli, ...(words[0] === 'deploy' ? [] : ['setup']), ...words], {
			env,
			stdio: 'pipe',
		});
		let said = '';
		let error = '';
		child.stderr.on('data', (part) => {
			error += String(part);
		});
		child.stdout.on('data', (part) => {
			said += String(part);
			const answer = answerTo(said, [...answers, ...SENSIBLE]);
			if (answer === END) child.stdin.end();
			else if (answer !== null && answer !== WAIT) child.stdin.write(`${answer}\n`);
		});
		const ended = new Promise<Ended>((resolve) => {
			child.once('close', (status) => resolve({ status, said, error: error.trim() }));
		});
		return { child, ended };
	}

	return {
		directory,
		start,
		run: (words, answers) => start(words, answers).ended,
		installDocker: () => writeFileSync(join(directory, DOCKER), SAYS_YES, { mode: 0o755 }),
		remove: () => rmSync(directory, { recursive: true, force: true }),
	};
}

/** Null while no question is open: a question is the last line, and ends with a blank. */
function answerTo(said: string, answers: Answers): string | null {
	const line = said.slice(said.lastIndexOf('\n') + 1);
	if (!/[?:\])] $/.test(line)) return null;
	for (const [question, answer] of answers) {
		const match = question.exec(line);
		if (match) return typeof answer === 'string' ? answer : answer({ said, match });
	}
	throw new Error(`nobody answers ${line}`);
}

const READY_MILLISECONDS = 60_000;

/** Runs `wrangler dev` as setup says, until its first answer to `ask`. */
export async function whileDeveloping(directory: string, ask: (url: string) => Promise<Response>): Promise<Response> {
	const port = await freePort();
	const configurations = [
		'wrangler.toml',
		...['agents', 'signer', 'pages', 'operator'].map((name) => `src/${name}/wrangler.toml`),
	];
	const child = spawn(
		process.execPath,
		[
			'node_modules/wrangler/bin/wrangler.js',
			'dev',
			'--env',
			'staging',
			...configurations.flatMap((path) => ['-c', path]),
			'--port',
			String(port),
		],
		{
			cwd: directory,
			env: { ...process.env, HOME: directory, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
			stdio: 'ignore',
		},
	);
	const ended = new Promise((resolve) => child.once('exit', resolve));
	try {
		const deadline = Date.now() + READY_MILLISECONDS;
		for (;;) {
			const answer = await ask(`http://127.0.0.1:${port}`).catch(() => null);
			if (answer) return answer;
			if (Date.now() > deadline) throw new Error('wrangler dev does not answer');
			await new Promise((wait) => setTimeout(wait, 200));
		}
	} finally {
		child.kill('SIGINT');
		await ended;
	}
}
