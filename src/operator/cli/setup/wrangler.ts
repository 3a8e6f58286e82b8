/**
 * Runs wrangler, which answers each of its own questions with yes where no terminal is: `setup` calls only commands
 * whose questions it has asked before. Secrets go through a pipe, so they are neither on the disk nor in the list of
 * processes.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../../..');
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');

/** `/dev/stdin` can be opened where it is a pipe. What Node gives a child is a socket, so `cat` is put between. */
const THROUGH_A_PIPE = 'cat | "$0" "$@"';
export const SECRETS_FROM_INPUT = ['--secrets-file', '/dev/stdin'] as const;

export type Ran = { readonly ok: true; readonly stdout: string } | { readonly ok: false; readonly problem: string };

export interface RunOptions {
	/** The text that it reads from its standard input. */
	readonly input?: string;
	readonly environment?: Readonly<Record<string, string>>;
}

export async function runWrangler(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
	const { code, stdout, stderr } = await spawned(words, options);
	// Its report file has the first line of a failure alone, and not what the account's API said.
	return code === 0 ? { ok: true, stdout } : { ok: false, problem: plain(stderr || stdout) };
}

function spawned(words: readonly string[], { input = '', environment }: RunOptions) {
	const child = spawn('sh', ['-c', THROUGH_A_PIPE, process.execPath, WRANGLER, ...words], {
		cwd: ROOT,
		env: {
			...process.env,
			WRANGLER_HIDE_BANNER: 'true',
			WRANGLER_SEND_METRICS: 'false',
			WRANGLER_WRITE_LOGS: 'false',
			...environment,
		},
		stdio: 'pipe',
	});
	const written = { stdout: '', stderr: '' };
	child.stdout.on('data', (part) => {
		written.stdout += String(part);
	});
	child.stderr.on('data', (part) => {
		written.stderr += String(part);
	});
	// A command that reads no input may end before it has taken it.
	child.stdin.on('error', () => undefined);
	child.stdin.end(input);
	return new Promise<typeof written & { readonly code: number | null }>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code) => resolve({ ...written, code }));
	});
}

/** Errors have colours although nobody sees them. */
const plain = (text: string): string => stripVTControlCharacters(text).trim();
