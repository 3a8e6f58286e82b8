/**
 * The answers of a setup that was broken off, so that the next one does not ask again: a file in the clone that git
 * ignores. Never a secret. Beside it is the lock that keeps a second setup on this machine away.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleAccess } from './console-access.ts';
import type { Monero } from './monero.ts';
import type { Environment } from './options.ts';
import { Stopped } from './talk.ts';
import { ROOT } from './wrangler.ts';

export interface Remembered {
	/** Holds the deployment's lock: the same in each setup of this clone. */
	readonly holder: string;
	readonly accountId?: string;
	readonly domain?: string;
	readonly location?: string;
	readonly dailyCapUsd?: string;
	readonly consoleAccess?: ConsoleAccess;
	/** Where payers ask for help; empty: the partners answer them. */
	readonly supportContact?: string;
	readonly monero?: Monero;
	/** Where the signer's house is: `account`, or its address. Absent where the signer is in the service's account. */
	readonly house?: string;
	/** Both ends of its link have one key. */
	readonly isHouseLinked?: boolean;
	/** With its containers, which come after its code. */
	readonly areWalletsDeployed?: boolean;
	readonly archive?: boolean;
	/** The person goes on although nobody can see that Analytics Engine is on. */
	readonly perhapsWithoutMetrics?: boolean;
	/** Names of the keys that a setup has shown. Those that a later one makes again were never used, or are no more. */
	readonly keysShown?: readonly string[];
}

const DIRECTORY = join(ROOT, '.setup');

export class Memory {
	readonly #path: string;
	#known: Remembered;

	constructor(environment: Environment) {
		this.#path = join(DIRECTORY, `${environment}.json`);
		this.#known = read(this.#path) ?? { holder: randomUUID() };
	}

	get known(): Remembered {
		return this.#known;
	}

	/** Atomic: the file appears whole or not at all. */
	keep(news: Partial<Remembered>): void {
		this.#known = { ...this.#known, ...news };
		writeFileSync(`${this.#path}.new`, JSON.stringify(this.#known, null, '\t'), { mode: 0o600 });
		renameSync(`${this.#path}.new`, this.#path);
	}
}

function read(path: string): Remembered | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Remembered;
	} catch {
		// The first setup, or a file that somebody broke: it is asked again.
		return null;
	}
}

/** One setup of a deployment at a time in this clone. @throws Stopped where another one runs */
export function lockHere(environment: Environment): () => void {
	mkdirSync(DIRECTORY, { recursive: true, mode: 0o700 });
	const path = join(DIRECTORY, `${environment}.lock`);
	for (;;) {
		try {
			// Atomic: only one process can create it.
			writeFileSync(path, String(process.pid), { flag: 'wx' });
			return () => rmSync(path, { force: true });
		} catch (error) {
			if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
			const pid = Number(readFileSync(path, 'utf8'));
			if (isRunning(pid)) throw new Stopped(`another setup of this deployment runs here (process ${pid})`);
			rmSync(path, { force: true });
		}
	}
}

function isRunning(pid: number): boolean {
	try {
		return pid > 0 && process.kill(pid, 0);
	} catch {
		return false;
	}
}
