/** One process for each state folder, which ends with what started it: the service's, and the signer's house. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeStateFolder } from './state-folder.ts';

const TAKEOVER_MILLISECONDS = 5_000;
const LOOK_MILLISECONDS = 500;

function onceOnly(run: () => void): () => void {
	let ran = false;
	return () => {
		if (ran) return;
		ran = true;
		run();
	};
}

/** The text of what it throws is the last line, and the exit status 1. */
export const orExit = (run: Promise<void>): Promise<void> =>
	run.catch((error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	});

/** @throws where the variable PORT is none */
export function portOf(defaultPort: number): number {
	const port = Number(process.env['PORT'] || defaultPort);
	if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
	throw new Error(`PORT is no port: ${process.env['PORT']}`);
}

/**
 * Makes the folder and locks it, until a signal or the end of the parent ends this process. What is returned takes how to
 * stop what was started: until then there is nothing to end in order, and the guardian ends what was.
 */
export async function holdFolder(stateDirectory: string): Promise<(stop: () => Promise<void>) => void> {
	makeStateFolder(stateDirectory);
	const unlock = await lock(stateDirectory);
	let end = async () => unlock();
	const stopOnce = onceOnly(() => end().finally(() => process.exit(0)));
	process.on('SIGINT', stopOnce);
	process.on('SIGTERM', stopOnce);
	whenOrphaned(stopOnce);
	return (stop) => {
		end = () => stop().then(unlock);
	};
}

/** One service per state folder. A predecessor that is just ending is waited for. */
async function lock(stateDirectory: string): Promise<() => void> {
	const path = join(stateDirectory, 'service.pid');
	const deadline = Date.now() + TAKEOVER_MILLISECONDS;
	while (existsSync(path) && isRunning(Number(readFileSync(path, 'utf8')))) {
		if (Date.now() > deadline) {
			throw new Error(
				`another process runs on ${stateDirectory} (process ${readFileSync(path, 'utf8')}); stop it or set STATE_DIR`,
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
	return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('/local/');
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
