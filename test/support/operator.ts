/** The operator's command as a person runs it: a process of its own, against a test's service. */
import { execFile } from 'node:child_process';
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
	/** This process goes on meanwhile: connections that it keeps open to the service would go stale. */
	function run(...words: string[]): Promise<Run> {
		const { url, stateDirectory } = service();
		const env = { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory };
		return new Promise((resolve) => {
			const child = execFile(process.execPath, [CLI, ...words], { env }, (_, stdout, stderr) =>
				resolve({ status: child.exitCode, stdout, stderr }),
			);
		});
	}

	/** The answer of a command that must do what it is asked. */
	async function json<T = Record<string, unknown>>(...words: string[]): Promise<T> {
		const { status, stdout, stderr } = await run(...words, '--json');
		expect(stderr).toBe('');
		expect(status).toBe(0);
		return JSON.parse(stdout) as T;
	}

	/** The error of a command that must fail: one line, exit status 1, nothing on standard output. */
	async function refusal(...words: string[]): Promise<string> {
		const { status, stdout, stderr } = await run(...words);
		expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
		return stderr.trim();
	}

	return { run, json, refusal };
}
