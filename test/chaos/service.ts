/**
 * The service as `npm start` runs it, a process of its own on one state folder and one port, for a run that kills it,
 * stops its processes and lets it write nothing.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';

const SERVES = /serves http:/;
const START_SECONDS = 120;
const PROBE_MILLISECONDS = 25;

/** Which processes get the signal. Without its launcher, workerd is ended by the guardian. */
export const KILLS = ['launcher', 'workerd first', 'both'] as const;
export type Kill = (typeof KILLS)[number];

export const pause = (milliseconds: number): Promise<void> => new Promise((wait) => setTimeout(wait, milliseconds));

export class ChaosService {
	readonly url: string;
	readonly #stateDirectory: string;
	readonly #environment: Readonly<Record<string, string>>;
	#child: ChildProcess | null = null;
	#output = '';

	private constructor(port: number, stateDirectory: string, environment: Readonly<Record<string, string>>) {
		this.url = `http://127.0.0.1:${port}`;
		this.#stateDirectory = stateDirectory;
		this.#environment = environment;
	}

	/** Nothing runs yet. */
	static async inFolder(folder: string, variables: Readonly<Record<string, string>>): Promise<ChaosService> {
		const [workerd, state] = ['workerd.sh', 'state'].map((name) => join(folder, name));
		writeFileSync(workerd ?? '', WITHOUT_SIGNAL);
		chmodSync(workerd ?? '', 0o755);
		mkdirSync(state ?? '');
		const port = await freePort();
		const own = { PORT: String(port), STATE_DIR: state ?? '' };
		const runtime = { MINIFLARE_WORKERD_PATH: workerd ?? '', REAL_WORKERD: realWorkerd() };
		return new ChaosService(port, state ?? '', { ...variables, ...own, ...runtime });
	}

	get output(): string {
		return this.#output;
	}

	/** The operator API's, as the first start made it. */
	get operatorToken(): string {
		return JSON.parse(readFileSync(join(this.#stateDirectory, 'secrets.json'), 'utf8')).OPERATOR_TOKEN;
	}

	get isRunning(): boolean {
		return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
	}

	/** Starts the process once the port is free; does not wait until it serves. */
	async launch(): Promise<void> {
		while (await this.#answers()) await pause(PROBE_MILLISECONDS);
		this.#output = '';
		const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/local/start.ts')], {
			env: { ...process.env, ...this.#environment },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const keep = (chunk: Buffer) => {
			this.#output += String(chunk);
		};
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
		this.#child = child;
	}

	/** @throws when it ends first, or does not serve in time. */
	async untilServing(): Promise<void> {
		const deadline = Date.now() + START_SECONDS * 1000;
		while (!SERVES.test(this.#output)) {
			if (!this.isRunning) throw new Error(`the service ended instead of serving:\n${this.#output}`);
			if (Date.now() > deadline) throw new Error(`the service did not serve within ${START_SECONDS} s`);
			await pause(PROBE_MILLISECONDS);
		}
	}

	/** `kill -9`. Returns when the launcher has ended. */
	async kill(kill: Kill, betweenMilliseconds: number): Promise<void> {
		const child = this.#child;
		if (!child || !this.isRunning) return;
		const ended = new Promise((done) => child.once('exit', done));
		if (kill !== 'launcher') this.signal('workerd', 'SIGKILL');
		if (kill === 'workerd first') await pause(betweenMilliseconds);
		child.kill('SIGKILL');
		await ended;
	}

	/** Sends it to the launcher, or to each workerd that the launcher started. */
	signal(process_: 'launcher' | 'workerd', signal: NodeJS.Signals): void {
		for (const pid of this.#pids(process_)) {
			try {
				process.kill(pid, signal);
			} catch {
				// It ended in the meantime.
			}
		}
	}

	/**
	 * From now on these processes cannot make a file longer than `bytes`; null: as long as it likes. A longer write
	 * fails, as on a full disk, and the signal that would end workerd is ignored. Without `prlimit` it throws.
	 */
	limitFiles(bytes: number | null, processes: readonly ('launcher' | 'workerd')[]): void {
		const soft = bytes === null ? 'unlimited' : String(bytes);
		for (const pid of processes.flatMap((one) => this.#pids(one)))
			execFileSync('prlimit', ['--pid', String(pid), `--fsize=${soft}:unlimited`], { stdio: 'pipe' });
	}

	/** Ctrl-C. */
	async stop(): Promise<void> {
		const child = this.#child;
		if (!child || !this.isRunning) return;
		const ended = new Promise((done) => child.once('exit', done));
		child.kill('SIGINT');
		await ended;
	}

	#pids(process_: 'launcher' | 'workerd'): number[] {
		const launcher = this.#child?.pid;
		if (launcher === undefined || !this.isRunning) return [];
		if (process_ === 'launcher') return [launcher];
		const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).trim().split('\n');
		return lines.flatMap((line) => {
			const [pid, parent, name = ''] = line.trim().split(/\s+/);
			return Number(parent) === launcher && name.includes('workerd') ? [Number(pid)] : [];
		});
	}

	#answers(): Promise<boolean> {
		return fetch(this.url, { signal: AbortSignal.timeout(1000) }).then(
			() => true,
			(error) => error.name === 'TimeoutError',
		);
	}
}

/** A write beyond the limit would end workerd by a signal; on a full disk there is none. */
const WITHOUT_SIGNAL = `#!/bin/sh
trap '' XFSZ
exec "$REAL_WORKERD" "$@"
`;

function realWorkerd(): string {
	const given = process.env['MINIFLARE_WORKERD_PATH'];
	if (given) return given;
	const ofMiniflare = createRequire(createRequire(import.meta.url).resolve('miniflare'));
	const { default: path } = ofMiniflare('workerd') as { readonly default: string };
	return path;
}
