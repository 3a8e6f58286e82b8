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
import { SURFACE } from '../support/surface.ts';

interface Limits {
	readonly entry: string;
	/** Of code, minified and gzipped: the chapters of the book are texts beside it. The platform's own limit is 10 MiB (book: architecture, "The platform"). */
	readonly kibibytes: number;
	/** CPU until the Worker's modules are evaluated, in times of the yardstick's. The platform's own limit is a second. */
	readonly yardsticks: number;
}

const LIMITS: readonly Limits[] = [
	{ entry: 'index.ts', kibibytes: 250, yardsticks: 1.2 },
	{ entry: 'operator/index.ts', kibibytes: 230, yardsticks: 1.5 },
	{ entry: 'signer/index.ts', kibibytes: 240, yardsticks: 1.5 },
	{ entry: 'pages/index.ts', kibibytes: 300, yardsticks: 2.2 },
];
/** Three packages that every Worker has, whole. A busy machine needs twice the CPU of a quiet one, for these as for a Worker. */
const YARDSTICK = ['hono', 'drizzle-orm', 'drizzle-orm/sqlite-core', 'zod'];
/** The least of so many counts: what else the machine does only adds to it. */
const EVALUATIONS = 5;
/** Reads a Worker from its standard input, evaluates it, and prints the CPU that this took. */
const EVALUATE = `
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');
const script = readFileSync(0, 'utf8');
const platform = { DurableObject: class {}, WorkerEntrypoint: class {}, RpcTarget: class {} };
const module_ = { exports: {} };
const before = process.cpuUsage();
new Script('(function (module, exports, require) {' + script + '\\n})').runInThisContext()(module_, module_.exports, () => platform);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
`;

const evaluated = (input: string): number => Number(execFileSync(process.execPath, ['-e', EVALUATE], { input }));

/** Milliseconds of CPU until each of the scripts is evaluated. They take turns, for the machine's speed changes by the minute. */
function cpuOf(...scripts: string[]): number[] {
	const turns = Array.from({ length: EVALUATIONS }, () => scripts.map(evaluated));
	return scripts.map((_, index) => Math.min(...turns.map((turn) => turn[index] ?? Number.NaN)));
}

async function yardstick(): Promise<string> {
	const contents = YARDSTICK.map((name) => `module.exports[${JSON.stringify(name)}] = require('${name}');`).join('\n');
	const whole = { contents, resolveDir: import.meta.dirname };
	const built = await build({ stdin: whole, bundle: true, write: false, minify: true, format: 'cjs' });
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
	'$entry is at most $kibibytes KiB, minified and gzipped, and starts in little CPU',
	async ({ entry, ...most }) => {
		const script = (await deployed(entry)).outputFiles[0]?.text ?? '';
		const kibibytes = gzipSync(script, { level: 9 }).length / 1024;
		const whatRuns = await bundleOf(entry, { minify: true, withTexts: false, format: 'cjs' });
		const [cpu = Number.NaN, floor = Number.NaN] = cpuOf(whatRuns.outputFiles[0]?.text ?? '', await yardstick());
		console.log(
			`${entry}: ${(script.length / 1024).toFixed(1)} KiB minified, ${kibibytes.toFixed(1)} KiB gzipped, ` +
				`evaluated in ${cpu.toFixed(0)} ms of CPU, ${(cpu / floor).toFixed(2)} of the yardstick's ${floor.toFixed(0)} ms`,
		);
		expect(kibibytes).toBeGreaterThan(10);
		expect(kibibytes).toBeLessThanOrEqual(most.kibibytes);
		expect(Math.min(cpu, floor)).toBeGreaterThan(1);
		expect(cpu / floor).toBeLessThanOrEqual(most.yardsticks);
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
