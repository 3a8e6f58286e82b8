/** What is deployed: how large each Worker is and how long it takes to start, printed, and held within limits of our own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { EVENTS } from '../../src/webhooks/events/events.ts';
import { bundleOf } from '../support/bundle.ts';
import { startupMilliseconds } from '../support/startup.ts';
import { SURFACE } from '../support/surface.ts';

interface Limits {
	readonly entry: string;
	/** Of code, minified and gzipped: the chapters of the book are texts beside it. The platform's own limit is 10 MiB (book: architecture, "The platform"). */
	readonly kibibytes: number;
	/** CPU until the Worker's modules are compiled and evaluated. The platform's own limit is a second. */
	readonly milliseconds: number;
}

const LIMITS: readonly Limits[] = [
	{ entry: 'index.ts', kibibytes: 252, milliseconds: 50 },
	{ entry: 'operator/index.ts', kibibytes: 205, milliseconds: 60 },
	{ entry: 'signer/index.ts', kibibytes: 222, milliseconds: 80 },
	{ entry: 'pages/index.ts', kibibytes: 172, milliseconds: 60 },
];
/** Three packages that every Worker has, whole. */
const YARDSTICK = ['hono', 'drizzle-orm', 'drizzle-orm/sqlite-core', 'zod'];
/** What starting them takes on the machine that the limits were set on. A busy machine takes twice as long, for a Worker too. */
const YARDSTICK_MILLISECONDS = 23;

async function yardstick(): Promise<string> {
	const imports = YARDSTICK.map((name, index) => `import * as package${index} from '${name}';`);
	const exported = `export default [${YARDSTICK.map((_, index) => `package${index}`)}];`;
	const contents = [...imports, exported].join('\n');
	const whole = { contents, resolveDir: import.meta.dirname };
	const built = await build({ stdin: whole, bundle: true, write: false, minify: true, format: 'esm' });
	return built.outputFiles[0]?.text ?? '';
}

const built = new Map<string, ReturnType<typeof bundleOf>>();

/** As it is deployed, without the book's text; once for all tests of this file. */
function deployed(entry: string): ReturnType<typeof bundleOf> {
	const bundle = built.get(entry) ?? bundleOf(entry, { minify: true, withTexts: false });
	built.set(entry, bundle);
	return bundle;
}

it.each(LIMITS)(
	'$entry is at most $kibibytes KiB, minified and gzipped, and starts within $milliseconds ms of CPU',
	async ({ entry, ...most }) => {
		const script = (await deployed(entry)).outputFiles[0]?.text ?? '';
		const kibibytes = gzipSync(script, { level: 9 }).length / 1024;
		const [cpu = Number.NaN, yard = Number.NaN] = await startupMilliseconds(script, await yardstick());
		console.log(
			`${entry}: ${(script.length / 1024).toFixed(1)} KiB minified, ${kibibytes.toFixed(1)} KiB gzipped, ` +
				`starts in ${cpu.toFixed(1)} ms of CPU; the yardstick in ${yard.toFixed(1)} of ${YARDSTICK_MILLISECONDS} ms`,
		);
		expect(kibibytes).toBeGreaterThan(10);
		expect(kibibytes).toBeLessThanOrEqual(most.kibibytes);
		expect(Math.min(cpu, yard)).toBeGreaterThan(1);
		expect((cpu / yard) * YARDSTICK_MILLISECONDS).toBeLessThanOrEqual(most.milliseconds);
	},
);

const CLONE = join(import.meta.dirname, '../..');
const WRANGLER = join(CLONE, 'node_modules/wrangler/bin/wrangler.js');

it.each(LIMITS)('$entry is deployed minified, with its source map', ({ entry }) => {
	const folder = entry === 'index.ts' ? '.' : dirname(join('src', entry));
	const lines = readFileSync(join(CLONE, folder, 'wrangler.toml'), 'utf8').split('\n');
	expect(lines).toEqual(expect.arrayContaining(['minify = true', 'upload_source_maps = true']));
});

it('a stack of what is deployed is read as places of the source', () => {
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-deployed-'));
	try {
		const words = ['deploy', '--dry-run', '--env=', '--outdir', folder];
		execFileSync(process.execPath, [WRANGLER, ...words], { cwd: CLONE, stdio: 'ignore' });
		const [isLent, unknown] = ['} is not lent', 'is none of the code'];
		const before = readFileSync(join(folder, 'index.js'), 'utf8').split(isLent)[0]?.split('\n') ?? [];
		const place = `index.js:${before.length}:${(before.at(-1) ?? '').length}`;
		const input = `Error: X was lent\n    at t6 (${place})\n    at ${unknown}\n`;
		const script = join(CLONE, 'src/local/read-stack.ts');
		const read = execFileSync(process.execPath, [script, 'api'], { cwd: CLONE, input, encoding: 'utf8' });
		const line = readFileSync(join(CLONE, 'src/lend.ts'), 'utf8').split(isLent)[0]?.split('\n').length;
		expect(read.replace(/:\d+\)/, ':column)')).toBe(
			`Error: X was lent\n    at t6 (src/lend.ts:${line}:column)\n    at ${unknown}\n`,
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

it.each(['index.ts', 'signer/index.ts'])(
	'%s makes no schema at its start: each is made where it is first used',
	async (entry) => {
		const { metafile } = await deployed(entry);
		const own = Object.keys(metafile.inputs).filter((path) => path.startsWith('src/') && path.endsWith('.ts'));
		const madeBy = (pattern: RegExp) =>
			own.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(pattern)].map(([text]) => `${path}: ${text}`));
		expect(madeBy(/^(?:export )?const \w+ = z\s*\.lazy\(/gm).length).toBeGreaterThan(20);
		expect(madeBy(/^(?:export )?const \w+ = z\s*\.(?!lazy|unknown)\w+/gm)).toEqual([]);
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
