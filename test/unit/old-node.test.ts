/** With a Node that is too old, or before `npm ci`, every command fails with one line and no stack trace. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CHECK = 'src/local/check-node.cjs';
const LAUNCHER = 'src/operator/cli/exchange.cjs';

/** A clone in which `npm ci` has not run. */
let clone: string;

beforeAll(() => {
	clone = mkdtempSync(join(tmpdir(), 'clone-'));
	for (const file of ['package.json', CHECK, LAUNCHER]) {
		mkdirSync(join(clone, file, '..'), { recursive: true });
		cpSync(join(ROOT, file), join(clone, file));
	}
});
afterAll(() => rmSync(clone, { recursive: true }));

const run = (args: readonly string[], userAgent = '') =>
	new Promise<{ status: number; out: string; err: string }>((done) => {
		const env = { PATH: process.env['PATH'], npm_config_user_agent: userAgent };
		execFile(process.execPath, args, { env }, (error, out, err) =>
			done({ status: typeof error?.code === 'number' ? error.code : 0, out, err }),
		);
	});

/** As npm runs the script at the end of `npm ci`: npm's own Node version is in its user agent. */
const installWith = (version: string) =>
	run([join(ROOT, CHECK)], `npm/10.8.2 node/v${version} linux x64 workspaces/false`);

describe('npm ci', () => {
	it.each(['16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])('refuses Node %s in one line', async (version) => {
		expect(await installWith(version)).toEqual({
			status: 1,
			out: '',
			err: `Partner Exchange installs on Node ^20.19.0 || >=22.12.0, and this is Node ${version}: use a newer one, then run npm ci again\n`,
		});
	});

	it.each(['20.19.0', '20.20.2', '22.12.0', '22.22.1', '24.0.0', '26.10.0'])('accepts Node %s', async (version) => {
		expect(await installWith(version)).toEqual({ status: 0, out: '', err: '' });
	});
});

describe('before npm ci', () => {
	it.each([
		['npm start', [CHECK, 'installed']],
		['npx exchange', [LAUNCHER, 'order', 'list']],
	])('%s says to run it', async (_, [file = '', ...words]) => {
		const { status, out, err } = await run([join(clone, file), ...words]);
		expect([status, out]).toEqual([1, '']);
		expect(err).toMatch(/^nothing is installed in .*; run npm ci there first\n$/);
	});
});
