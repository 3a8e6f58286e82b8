/**
 * The Workers as Miniflare runs them: bundled by esbuild, configured by the same wrangler.toml files that an
 * operator deploys, so that what runs here is what runs there.
 */
import { join } from 'node:path';
import { kept } from './kept.ts';
import { staticPages } from './static-pages.ts';

const ROOT = join(import.meta.dirname, '../..', '/');

export const MIGRATIONS_DIRECTORY = `${ROOT}migrations`;
/** The configuration files name no id. */
export const DATABASE_ID = '00000000-0000-0000-0000-000000000000';
export const CACHE_ID = '00000000000000000000000000000000';
export const API_WORKER = 'partner-exchange';
export const AGENTS_WORKER = 'partner-exchange-agents';
export const SIGNER_WORKER = 'partner-exchange-signer';
export const PAGES_WORKER = 'partner-exchange-pages';
export const OPERATOR_WORKER = 'partner-exchange-operator';

const ARCHIVE = 'partner-exchange-archive';

const WORKERS = [
	{ name: API_WORKER, entry: 'src/api/index.ts', configuration: 'wrangler.toml' },
	{ name: AGENTS_WORKER, entry: 'src/agents/index.ts', configuration: 'src/agents/wrangler.toml' },
	{ name: SIGNER_WORKER, entry: 'src/signer/index.ts', configuration: 'src/signer/wrangler.toml' },
	{ name: PAGES_WORKER, entry: 'src/pages/index.ts', configuration: 'src/pages/wrangler.toml' },
	{ name: OPERATOR_WORKER, entry: 'src/operator/index.ts', configuration: 'src/operator/wrangler.toml' },
] as const;

/** Not in this service where the signer is in it. */
const LINK = { name: SIGNER_WORKER, entry: 'src/link/index.ts', configuration: 'src/link/wrangler.toml' };
/** Each alone in a workerd of its own, on another machine than the service. */
const JUDGES = {
	house: {
		name: 'partner-exchange-house',
		entry: 'src/signer/house/index.ts',
		configuration: 'src/signer/house/wrangler.toml',
	},
	cosigner: {
		name: 'partner-exchange-cosigner',
		entry: 'src/signer/cosigner/index.ts',
		configuration: 'src/signer/cosigner/wrangler.toml',
	},
} as const;

export type LocalJudge = keyof typeof JUDGES;

type Configured = Pick<typeof LINK, 'entry' | 'configuration'>;

export type LocalWorkers = Awaited<ReturnType<typeof localWorkers>>;

/** The part that is the same at every start, as plain data: making it costs more than a start. */
export type WorkerSources = Awaited<ReturnType<typeof workerSources>>;

/** `minify`: as what is deployed, which compiles sooner; a stack of it names nothing. */
export function workerSources({ minify = false } = {}) {
	return kept(minify ? 'workers-minified' : 'workers', async () => {
		const pages = await staticPages();
		const made = await makeSources(WORKERS, minify);
		return { ...made, from: [...made.from, ...pages] };
	});
}

/** Wrangler and esbuild are loaded here, and not where a service only starts: to load them takes longer than a start. */
async function makeSources(workers: readonly Configured[], minify: boolean) {
	const { unstable_readConfig, unstable_getMiniflareWorkerOptions } = await import('wrangler');
	const bundled = await Promise.all(workers.map(({ entry }) => bundle(entry, minify)));
	const value = workers.map(({ configuration }, i) => {
		// Without its list of secrets: for that, wrangler would look into `.dev.vars` and warn of what it misses there.
		const { secrets: _, ...config } = unstable_readConfig({ config: join(ROOT, configuration) });
		// Nothing keeps points locally: they go to a file (`service.ts`).
		const {
			modulesRules: __,
			analyticsEngineDatasets: ___,
			...options
		} = unstable_getMiniflareWorkerOptions(config as ReturnType<typeof unstable_readConfig>).workerOptions;
		return { options, script: bundled[i]?.script ?? '' };
	});
	const configured = [import.meta.filename, ...workers.map(({ configuration }) => join(ROOT, configuration))];
	// Which versions of the packages, and of what bundles them, the lock file says.
	const from = [...configured, join(ROOT, 'package-lock.json'), ...bundled.flatMap((each) => each.from)];
	return { value, from: [...new Set(from)] };
}

/** `bindings`: variables and secrets of each Worker. `port`: where the API is served, on loopback, by workerd itself. */
export async function localWorkers(
	bindings: Readonly<Record<string, Record<string, string>>>,
	port: number,
	sources?: WorkerSources,
) {
	const made = sources ?? (await workerSources());
	return WORKERS.map(({ name }, i) => {
		return {
			...made[i]?.options,
			d1Databases: { DB: DATABASE_ID },
			...(name === API_WORKER && { kvNamespaces: { CACHE: CACHE_ID } }),
			name: name as string,
			modules: true as const,
			script: made[i]?.script ?? '',
			bindings: { ...bindings[name] },
			...(name === API_WORKER && {
				unsafeDirectSockets: [{ host: '127.0.0.1', port }],
				// In wrangler.toml they are left to the operator.
				r2Buckets: { ARCHIVE },
			}),
			...(name === AGENTS_WORKER && { r2Buckets: { ARCHIVE } }),
			...(name === OPERATOR_WORKER && { r2Buckets: { ARCHIVE, BACKUPS: 'partner-exchange-backups' } }),
		};
	});
}

/** The link is there in the signer's place. `port`: where it answers the house, on loopback. */
export async function withLink(
	workers: LocalWorkers,
	bindings: Record<string, string>,
	port: number,
): Promise<LocalWorkers> {
	const [made] = await kept('link', () => makeSources([LINK], false));
	const link = {
		...made?.options,
		...asLocal(LINK.name, made?.script, bindings, port),
		d1Databases: { DB: DATABASE_ID },
	};
	return workers.map((worker) => (worker.name === SIGNER_WORKER ? (link as unknown as typeof worker) : worker));
}

export async function judgeWorker(judge: LocalJudge, bindings: Record<string, string>, port: number) {
	const worker = JUDGES[judge];
	const [made] = await kept(judge, () => makeSources([worker], false));
	return { ...made?.options, ...asLocal(worker.name, made?.script, bindings, port) };
}

const asLocal = (name: string, script = '', bindings: Record<string, string>, port: number) => ({
	name,
	modules: true as const,
	script,
	bindings,
	unsafeDirectSockets: [{ host: '127.0.0.1', port }],
});

/** The API alone: a deployment may leave the pages Worker out. */
export const withoutPages = (workers: LocalWorkers): LocalWorkers =>
	workers
		.filter(({ name }) => name !== PAGES_WORKER)
		.map((worker) => {
			const { PAGES: _, ...serviceBindings } =
				(worker as { serviceBindings?: Record<string, object> }).serviceBindings ?? {};
			return Object.assign({ ...worker }, { serviceBindings });
		});

/** Files that are text where they are imported, as wrangler's own rules say. */
export const TEXTS = { '.txt': 'text' } as const;

/** Packages are resolved as `wrangler.toml` says. */
export const ALIAS: Readonly<Record<string, string>> = { pako: join(ROOT, 'src/platform/pako.ts') };

interface Bundle {
	readonly script: string;
	/** Paths of the files in it. */
	readonly from: readonly string[];
}

async function bundle(entry: string, minify: boolean): Promise<Bundle> {
	const { build } = await import('esbuild');
	const { outputFiles, metafile } = await build({
		absWorkingDir: ROOT,
		entryPoints: [entry],
		bundle: true,
		minify,
		write: false,
		metafile: true,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*'],
		loader: TEXTS,
		alias: ALIAS,
	});
	return { script: outputFiles[0]?.text ?? '', from: Object.keys(metafile.inputs).map((path) => join(ROOT, path)) };
}
