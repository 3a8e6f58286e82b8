/** The operator's command as a person runs it: a process of its own, against a test's service. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestService } from './service.ts';

const CLI = join(import.meta.dirname, '../../src/operator/cli/exchange.cjs');

interface Run {
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export function operatorOf(service: () => TestService) {
	function run(...words: string[]): Run {
		const { url, stateDirectory } = service();
		const env = { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory };
		return spawnSync(process.execPath, [CLI, ...words], { env, encoding: 'utf8' });
	}

	/** The same while this process goes on: for commands whose answer needs a server of the test's own. */
	function runBeside(...words: string[]): Promise<Run> {
		const { url, stateDirectory } = service();
		const env = { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory };
		return new Promise((resolve) => {
			const child = execFile(process.execPath, [CLI, ...words], { env }, (_, stdout, stderr) =>
				resolve({ status: child.exitCode, stdout, stderr }),
			);
		});
	}

	/** The answer of a command that must do what it is asked. */
	function json<T = Record<string, unknown>>(...words: string[]): T {
		const { status, stdout, stderr } = run(...words, '--json');
		expect(stderr).toBe('');
		expect(status).toBe(0);
		return JSON.parse(stdout) as T;
	}

	/** The error of a command that must fail: one line, exit status 1, nothing on standard output. */
	function refusal(...words: string[]): string {
		const { status, stdout, stderr } = run(...words);
		expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
		return stderr.trim();
	}

	return { run, runBeside, json, refusal };
}
