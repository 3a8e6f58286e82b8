/** The service as a user starts it: a process of its own, that a test can kill with -9. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';

const STARTED = /serves (http:\/\/\S+)/;

export interface Started {
	readonly url: string;
	/** Everything it has written to its terminal. */
	readonly output: () => string;
	/** `kill -9` of this process only; the service itself ends its other processes. */
	kill(): Promise<void>;
	/** Ctrl-C. */
	interrupt(): Promise<number | null>;
}

/** Runs `src/local/start.ts`, as `npm start` does. @throws when it ends before it serves. */
export async function startProcess(
	stateDirectory: string,
	variables: Readonly<Record<string, string>> = {},
): Promise<Started> {
	const port = await freePort();
	const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/local/start.ts')], {
		env: { ...process.env, PORT: String(port), ...variables, STATE_DIR: stateDirectory },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	const exited = new Promise<number | null>((done) => child.once('exit', done));
	const url = await new Promise<string>((serving, failed) => {
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk) => {
				output += String(chunk);
				const found = STARTED.exec(output)?.[1];
				if (found) serving(found);
			});
		}
		child.once('exit', () => failed(new Error(`the service ended:\n${output}`)));
	});
	return {
		url,
		output: () => output,
		kill: () => end(child, 'SIGKILL', exited).then(() => undefined),
		interrupt: () => end(child, 'SIGINT', exited),
	};
}

function end(child: ChildProcess, signal: NodeJS.Signals, exited: Promise<number | null>): Promise<number | null> {
	child.kill(signal);
	return exited;
}
