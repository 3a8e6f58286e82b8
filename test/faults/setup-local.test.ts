/** `npx exchange setup --local`, with the real wrangler: the keys that `wrangler dev` runs on. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAccount, startCloudflareAccount } from '../support/cloudflare-account.ts';
import { cloneOf, whileDeveloping } from '../support/setup.ts';

/** wrangler starts slowly on a busy machine. */
const SLOW_MILLISECONDS = 180_000;

let running: RunningAccount;

beforeAll(async () => {
	running = await startCloudflareAccount();
});

afterAll(() => running.stop());

it(
	'setup --local writes keys that wrangler dev runs the Workers with, and never writes over them',
	async () => {
		const local = cloneOf(running, { CLOUDFLARE_API_TOKEN: '' });
		const files = ['.dev.vars', 'src/agents/.dev.vars', 'src/signer/.dev.vars'].map((name) =>
			join(local.directory, name),
		);
		const read = () => files.map((path) => readFileSync(path, 'utf8'));
		const first = await local.run(['--local']);
		expect([first.status, running.account.calls]).toEqual([0, []]);
		expect(files.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
		const written = read();
		expect((await local.run(['--local', '--dry-run'])).said).toContain('The keys are there');
		expect(read()).toEqual(written);
		const token = /^OPERATOR_TOKEN="(.*)"$/m.exec(written[0] ?? '')?.[1] ?? '';
		const answer = await whileDeveloping(local.directory, (url) =>
			fetch(`${url}/operator/v1/treasury/show`, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: '{}',
			}),
		);
		rmSync(files.at(-1) ?? '');
		const half = await local.run(['--local']);
		local.remove();
		expect(answer.status).toBe(200);
		expect([half.status, half.error]).toEqual([1, expect.stringContaining('all need the same SEAL_KEY')]);
	},
	SLOW_MILLISECONDS,
);
