/**
 * The operator's command against a test's service: all that the process does but to start, which would take longer than
 * the command. `operator/cli` and `faults/restart` run it as a process, `operator/command` as a person does.
 */
import { expect } from 'vitest';
import { runCommand } from '../../src/operator/cli/main.ts';
import type { TestService } from './service.ts';

interface Run {
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

interface Typed {
	/** The secret that the person types when they are asked. */
	readonly secret?: string;
	/** The width of the window; absent where it is none. */
	readonly columns?: number | undefined;
}

/** Runs a command line within this process. */
export async function runHere(
	words: readonly string[],
	environment: Record<string, string | undefined>,
	{ secret = '', columns }: Typed = {},
): Promise<Run> {
	let [stdout, stderr] = ['', ''];
	const status = await runCommand(words, {
		output: {
			write(text) {
				stdout += text;
			},
			...(columns !== undefined && { columns }),
		},
		complain(line) {
			stderr += `${line}\n`;
		},
		environment,
		secret: async () => secret,
	});
	return { status, stdout, stderr };
}

export function operatorOf(service: () => TestService, columns?: number) {
	const run = (...words: string[]): Promise<Run> => typing('', ...words);

	/** With a secret that the person types when they are asked. */
	function typing(secret: string, ...words: string[]): Promise<Run> {
		const { url, stateDirectory } = service();
		return runHere(words, { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory }, { secret, columns });
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

	return { run, typing, json, refusal };
}
