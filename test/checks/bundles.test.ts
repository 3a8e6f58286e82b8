/** What is deployed is minified, its stacks can be read, and no Worker makes a schema before it is used. How large each is: `figures.test.ts`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ALIAS } from '../../src/local/workers.ts';
import { EVENTS } from '../../src/webhooks/events/events.ts';
import { deployed } from '../support/deployed.ts';
import { SURFACE } from '../support/surface.ts';

const CLONE = join(import.meta.dirname, '../..');
const WRANGLER = join(CLONE, 'node_modules/wrangler/bin/wrangler.js');

it.each([
	'api/index.ts',
	'agents/index.ts',
	'operator/index.ts',
	'signer/index.ts',
	'signer/house/index.ts',
	'signer/cosigner/index.ts',
	'link/index.ts',
	'pages/index.ts',
])('%s is deployed minified, with its source map', (entry) => {
	const folder = entry === 'api/index.ts' ? '.' : dirname(join('src', entry));
	const lines = readFileSync(join(CLONE, folder, 'wrangler.toml'), 'utf8').split('\n');
	expect(lines).toEqual(expect.arrayContaining(['minify = true', 'upload_source_maps = true']));
});

it('a package is exchanged for a module of ours in what is deployed as in what is run and measured here', () => {
	const [, alias = ''] = readFileSync(join(CLONE, 'wrangler.toml'), 'utf8').split('[alias]\n');
	const named = [...(alias.split('\n\n')[0]?.matchAll(/^(\S+) = "(.+)"$/gm) ?? [])].map(([, name, path = '']) => [
		name,
		join(CLONE, path),
	]);
	expect(Object.fromEntries(named)).toEqual(ALIAS);
});

it('a stack of what is deployed is read as places of the source', () => {
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-deployed-'));
	try {
		const words = ['deploy', '--dry-run', '--env=', '--outdir', folder];
		execFileSync(process.execPath, [WRANGLER, ...words], { cwd: CLONE, stdio: 'ignore' });
		const [thrown, unknown] = ['the API Worker is not bound to the operator Worker', 'is none of the code'];
		const before = readFileSync(join(folder, 'index.js'), 'utf8').split(thrown)[0]?.split('\n') ?? [];
		const place = `index.js:${before.length}:${(before.at(-1) ?? '').length}`;
		const input = `Error: ${thrown}\n    at t6 (${place})\n    at ${unknown}\n`;
		const script = join(CLONE, 'src/local/read-stack.ts');
		const read = execFileSync(process.execPath, [script, 'api'], { cwd: CLONE, input, encoding: 'utf8' });
		const line = readFileSync(join(CLONE, 'src/api/operate.ts'), 'utf8').split(thrown)[0]?.split('\n').length;
		expect(read.replace(/:\d+\)/, ':column)')).toBe(
			`Error: ${thrown}\n    at t6 (src/api/operate.ts:${line}:column)\n    at ${unknown}\n`,
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

it.each(['api/index.ts', 'signer/index.ts'])(
	'%s makes no schema at its start: each is made where it is first used',
	async (entry) => {
		const { metafile } = await deployed(entry);
		const own = Object.keys(metafile.inputs).filter((path) => path.startsWith('src/') && path.endsWith('.ts'));
		const madeBy = (pattern: RegExp) =>
			own.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(pattern)].map(([text]) => `${path}: ${text}`));
		expect(madeBy(/^(?:export )?const \w+ = (?:\/\* @__PURE__ \*\/ )?z\s*\.lazy\(/gm).length).toBeGreaterThan(20);
		expect(madeBy(/^(?:export )?const \w+ = (?:\/\* @__PURE__ \*\/ )?z\s*\.(?!lazy|unknown)\w+/gm)).toEqual([]);
	},
);

it('nor is a schema made that stands in the value of an endpoint or an event', () => {
	const schemas = [
		...SURFACE.flatMap(({ path, request, response }) => [
			...(request ? [{ of: `${path}: request`, schema: request.schema }] : []),
			...('data' in response ? [{ of: `${path}: response`, schema: response.data }] : []),
		]),
		...EVENTS.flatMap(({ type, schema, data }) => [schema, data].map((one) => ({ of: type, schema: one }))),
	];
	expect(schemas.length).toBeGreaterThan(30);
	expect(schemas.filter(({ schema }) => schema.def.type !== 'lazy').map(({ of }) => of)).toEqual([]);
});
