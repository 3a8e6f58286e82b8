/** The OpenAPI document passes Redocly's strictest rules: zero errors and zero warnings. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/docs/document.ts';
import { olderDocument } from '../../src/docs/older.ts';
import { SURFACE } from '../support/surface.ts';

const RULES = join(import.meta.dirname, 'redocly.yaml');
const REDOCLY = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

/** Without telemetry and update checks. */
const ENVIRONMENT = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

interface Report {
	readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number };
	readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

async function lint(document: unknown): Promise<Report> {
	const directory = await mkdtemp(join(tmpdir(), 'openapi-'));
	try {
		const file = join(directory, 'openapi.json');
		await writeFile(file, JSON.stringify(document));
		const args = [REDOCLY, 'lint', file, '--config', RULES, '--format', 'json'];
		const run = promisify(execFile)(process.execPath, args, { env: ENVIRONMENT, cwd: directory });
		const { stdout } = await run.catch((failed: { stdout: string }) => failed);
		return JSON.parse(stdout) as Report;
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

it('the document passes the lint without errors and without warnings', async () => {
	const { problems, totals } = await lint(openApiDocument(SURFACE));
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
	expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

it('the document for OpenAPI 3.0 passes it too', async () => {
	const { problems } = await lint(olderDocument(JSON.parse(JSON.stringify(openApiDocument(SURFACE)))));
	// Events stay among the components, and 3.0 has no webhooks that refer to them.
	const found = problems.filter(({ ruleId }) => ruleId !== 'no-unused-components');
	expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('the lint works: a response whose example does not fit its schema fails', async () => {
	const document = structuredClone(openApiDocument(SURFACE));
	const text = JSON.stringify(document).replaceAll('"recv":true', '"recv":"yes"');
	const { totals } = await lint(JSON.parse(text));
	expect(totals.errors).toBeGreaterThan(0);
});
