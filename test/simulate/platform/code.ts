/**
 * The Workers' code as it is bundled for a deployment, in two parts. The project's own modules are evaluated for each
 * isolate. The packages that they use keep no state of the service, so they are evaluated once: what an isolate begins with
 * is then cheap, and what the machine has compiled stays compiled.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { SRC } from '../../support/house.ts';
import type { Planted } from '../planted.ts';
import { rememberKeys } from './remembered-keys.ts';

export type Code = (...values: unknown[]) => void;

const ENTRIES = {
	api: 'api/index.ts',
	agents: 'agents/index.ts',
	signer: 'signer/index.ts',
	house: 'signer/house/index.ts',
	link: 'link/index.ts',
	operator: 'operator/index.ts',
	cosigner: 'signer/cosigner/index.ts',
} as const;
type Worker = keyof typeof ENTRIES;
const WORKERS = Object.keys(ENTRIES) as Worker[];

export interface Codes extends Readonly<Record<Worker, Code>> {
	readonly libraries: Readonly<Record<string, unknown>>;
	/** The project's own modules, below `src`. */
	readonly modules: Readonly<Record<Worker, readonly string[]>>;
}

/** What a Worker's code finds beside what the machine has. */
export const PARAMETERS = [
	'module',
	'exports',
	'require',
	'Date',
	'crypto',
	'fetch',
	'setTimeout',
	'clearTimeout',
	'setInterval',
	'clearInterval',
	'AbortSignal',
	'console',
	'Math',
	'Blob',
	'CompressionStream',
	'DecompressionStream',
] as const;

const PLATFORM = 'cloudflare:';
/** Without the platform's own stubs, which nobody passes here. */
const ALIAS = { capnweb: join(SRC, '../node_modules/capnweb/dist/index.js') };
const OPTIONS = {
	bundle: true,
	write: false,
	format: 'cjs',
	target: 'es2024',
	external: [`${PLATFORM}*`],
	logLevel: 'error',
	conditions: ['workerd', 'worker', 'browser'],
	loader: { '.txt': 'empty' },
} as const satisfies BuildOptions;

export async function bundledCodes(): Promise<Codes> {
	const used = new Set<string>();
	const [code, modules]: [Partial<Record<Worker, Code>>, Partial<Record<Worker, readonly string[]>>] = [{}, {}];
	for (const worker of WORKERS) ({ code: code[worker], modules: modules[worker] } = await bundled(worker, used));
	return {
		...(code as Record<Worker, Code>),
		modules: modules as Record<Worker, readonly string[]>,
		libraries: await librariesOf([...used].sort()),
	};
}

/** What the bug is not in is as it was: the packages too. */
export async function withBug(codes: Codes, planted: Planted): Promise<Codes> {
	const changed: Partial<Record<Worker, Code>> = {};
	for (const worker of WORKERS.filter((name) => codes.modules[name].includes(planted.file)))
		changed[worker] = (await bundled(worker, new Set(), planted)).code;
	return { ...codes, ...changed };
}

async function bundled(worker: Worker, used: Set<string>, planted: Planted | null = null) {
	const entry = ENTRIES[worker];
	const { outputFiles, metafile } = await build({
		...OPTIONS,
		entryPoints: [join(SRC, entry)],
		absWorkingDir: SRC,
		metafile: true,
		plugins: [outside(used), ...(planted ? [planting(planted)] : [])],
	});
	// A package's exports as they are: to copy them for each isolate costs more than to evaluate it.
	const script = (outputFiles[0]?.text ?? '').replaceAll(/__toESM\(require\(("[^"]+")\)(?:, 1)?\)/g, 'require($1)');
	const text = `(function (${PARAMETERS.join(', ')}) {${script}\n})`;
	const code = new Script(text, { filename: entry }).runInThisContext() as Code;
	return { code, modules: Object.keys(metafile.inputs) };
}

async function librariesOf(names: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
	const lines = names.map((name, i) => `import * as m${i} from ${JSON.stringify(name)};`);
	const table = names.map((name, i) => `${JSON.stringify(name)}: m${i}`).join(', ');
	const contents = `${lines.join('\n')}\nmodule.exports = { ${table} };`;
	const { outputFiles } = await build({
		...OPTIONS,
		stdin: { contents, resolveDir: SRC },
		alias: ALIAS,
		plugins: [quickKinds],
	});
	const module = { exports: {} as Record<string, unknown> };
	const text = `(function (module, exports, window) {${outputFiles[0]?.text ?? ''}\n})`;
	(new Script(text, { filename: 'libraries' }).runInThisContext() as Code)(module, module.exports, {});
	// The platform forbids code that is made of text; a schema is then read step by step.
	(module.exports['zod/mini'] as { config(value: object): void }).config({ jitless: true });
	rememberKeys(module.exports);
	return Object.fromEntries(
		Object.entries(module.exports).map(([name, exported]) => [name, { ...(exported as object) }]),
	);
}

/** Drizzle asks of each part of each query what it is, class by class. The answer for a class never changes. */
const quickKinds: Plugin = {
	name: 'quick kinds',
	setup: ({ onLoad }) => {
		onLoad({ filter: /drizzle-orm\/entity\.js$/ }, ({ path }) => ({
			contents: `${readFileSync(path, 'utf8').replace('function is(', 'function isSlowly(')}
				const known = new WeakMap();
				function is(value, type) {
					if (!value || typeof value !== 'object') return false;
					if (value instanceof type) return true;
					const of = Object.getPrototypeOf(value);
					let answers = known.get(of);
					if (!answers) known.set(of, (answers = new Map()));
					let answer = answers.get(type);
					if (answer === undefined) answers.set(type, (answer = isSlowly(value, type)));
					return answer;
				}`,
			loader: 'js',
		}));
	},
};

/** Leaves every package out and remembers its name. */
const outside = (used: Set<string>): Plugin => ({
	name: 'outside',
	setup: ({ onResolve }) => {
		onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
			if (kind === 'entry-point' || path.startsWith('node:')) return undefined;
			if (!path.startsWith(PLATFORM)) used.add(path);
			return { path, external: true };
		});
	},
});

/** @throws where the text to be replaced is not there exactly once */
const planting = ({ file, from, to }: Planted): Plugin => ({
	name: 'planting',
	setup: ({ onLoad }) => {
		onLoad({ filter: new RegExp(`src/${file.replaceAll('/', '\\/')}$`) }, ({ path }) => {
			const text = readFileSync(path, 'utf8');
			if (text.split(from).length !== 2) throw new Error(`${file} does not have the text of the planted bug once`);
			return { contents: text.replace(from, () => to), loader: 'ts' };
		});
	},
});
