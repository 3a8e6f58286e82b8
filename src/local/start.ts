/**
 * `npm start`: the service on PORT (default 8787), its state under STATE_DIR (default .state). It ends on Ctrl-C,
 * when its parent process ends, or on kill -9. In each case the next start resumes from the stored state.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { type ChainConfiguration, networkMode, usesSandboxPrices } from '../chains/configuration.ts';
import { demoPartner } from './demo-partner.ts';
import { configuredVariables } from './environment.ts';
import { startService } from './service.ts';
import { makeStateFolder } from './state-folder.ts';

const TAKEOVER_MILLISECONDS = 5_000;
const LOOK_MILLISECONDS = 500;
const stateDirectory = process.env['STATE_DIR'] || '.state';
const port = Number(process.env['PORT'] || 8787);

const USAGE = `Usage: npm start

Serves the exchange here, on embedded ledgers unless NODE_URL_<NETWORK> is set. It takes no arguments. Environment:
  PORT             where it serves (8787)
  STATE_DIR        where it keeps its state, its log and its secrets (.state)
  NODE_URL_LITECOIN=http://… and all other variables of the configuration:
  src/docs/book/deploy.md, "Configuration"

Ctrl-C ends it; the next start goes on. Operate it with: npx exchange --help`;

/** Exit status: 0 for help, 2 for anything else, which would otherwise be ignored in silence. */
function answerArguments(words: readonly string[]): void {
	const isHelp = words.every((word) => word === '--help' || word === '-h');
	if (isHelp) console.log(USAGE);
	else
		console.error(
			`npm start takes no arguments, and ${words.join(' ')} was given; npm start -- --help says how to set it up`,
		);
	process.exit(isHelp ? 0 : 2);
}

async function main(): Promise<void> {
	const words = process.argv.slice(2);
	if (words.length > 0) return answerArguments(words);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`PORT is no port: ${process.env['PORT']}`);
	const variables = configuredVariables(process.env);
	makeStateFolder(stateDirectory);
	const unlock = await lock(join(stateDirectory, 'service.pid'));
	// Until it serves there is nothing to end in order: the guardian ends what was started.
	let stop = async () => unlock();
	const stopOnce = onceOnly(() => stop().finally(() => process.exit(0)));
	process.on('SIGINT', stopOnce);
	process.on('SIGTERM', stopOnce);
	whenOrphaned(stopOnce);
	const service = await startService({ stateDirectory, port, variables: { METRICS_LOG: 'on', ...variables } });
	stop = async () => {
		await service.stop();
		unlock();
	};

	console.log(
		`Partner Exchange serves ${service.url} (state in ${stateDirectory}, log in ${join(stateDirectory, 'service.log')})`,
	);
	console.log(whatRuns(service.variables));
	const lines = await demoPartner(service, stateDirectory);
	console.log(lines.join('\n'));
	console.log(
		'Operate it with `npx exchange`: `npx exchange order list`, `npx exchange attention`, `npx exchange --help`.',
	);
}

/** The chains behind each network, one line: nobody is to guess whether coins are real. */
function whatRuns(configuration: ChainConfiguration): string {
	const byMode = Map.groupBy(NETWORK_NAMES, (name) => {
		const mode = networkMode(configuration, name);
		if (mode === null) return 'off';
		return mode.on === 'sandbox' ? 'on the sandbox (no coins)' : `on nodes of a ${mode.chain} chain`;
	});
	const prices = usesSandboxPrices(configuration) ? "the sandbox's table" : 'public sources';
	return `${[...byMode].map(([how, names]) => `${how}: ${names.join(', ')}`).join('; ')}; prices: ${prices}`;
}

function onceOnly(run: () => void): () => void {
	let ran = false;
	return () => {
		if (ran) return;
		ran = true;
		run();
	};
}

/** One service per state folder. A predecessor that is just ending is waited for. */
async function lock(path: string): Promise<() => void> {
	const deadline = Date.now() + TAKEOVER_MILLISECONDS;
	while (existsSync(path) && isRunning(Number(readFileSync(path, 'utf8')))) {
		if (Date.now() > deadline) {
			throw new Error(
				`another service runs on ${stateDirectory} (process ${readFileSync(path, 'utf8')}); stop it or set STATE_DIR`,
			);
		}
		await new Promise((wait) => setTimeout(wait, 200));
	}
	writeFileSync(path, String(process.pid));
	return () => rmSync(path, { force: true });
}

/** Is it there, and where that can be seen, is it one of us and not a stranger with a number used again? */
function isRunning(pid: number): boolean {
	if (!pid || pid === process.pid) return false;
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	const commandLine = `/proc/${pid}/cmdline`;
	return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('local/start.ts');
}

/** Parent of a process; null where that cannot be seen. */
function parentOf(pid: number): number | null {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
	} catch {
		return null;
	}
}

/**
 * Calls `stop` once when npm started this process and is gone: npm passes no SIGKILL on. Where there is no /proc only the
 * direct parent is watched. A process started by hand outlives its terminal.
 */
function whenOrphaned(stop: () => void): void {
	if (!process.env['npm_lifecycle_event']) return;
	const shell = process.ppid;
	const npm = parentOf(shell);
	const looking = setInterval(() => {
		if (process.ppid === shell && parentOf(shell) === npm) return;
		clearInterval(looking);
		stop();
	}, LOOK_MILLISECONDS);
	looking.unref();
}

main().catch((error) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
