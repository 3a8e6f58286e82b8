/**
 * The static assets of the pages Worker: styles, fonts and scripts, under names with a hash of what is in them, the pages that
 * are the same for everybody, and the sentences of each language. They are made in `.wrangler/pages` by `npm ci`, by a start
 * that finds them out of date, and by wrangler before it bundles that Worker (`npm run pages`).
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';
import { clientFiles, clientSources } from './client/files.ts';
import { kept } from './kept.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.wrangler/pages');
const PUBLIC = join(FOLDER, 'public');
/** The pages import both: the address of each asset, by its name, and the compiled English sentences. */
const PATHS = join(FOLDER, 'paths.json');
const ENGLISH = join(FOLDER, 'english.json');
const MESSAGES = join(ROOT, 'src/pages/messages');
const PACKAGE = join(ROOT, 'package.json');
const SCRIPTS = 'src/pages/browser';
const FILES = { '.md': 'text', '.txt': 'text', '.png': 'binary' } as const;

/** Paths of all files that they were made of, and of all that were made. */
export const staticPages = (): Promise<readonly string[]> =>
	kept('pages', async () => {
		const { build } = await import('esbuild');
		const common = { absWorkingDir: ROOT, bundle: true, metafile: true, format: 'esm', write: false } as const;
		const assets = await build({ ...common, ...FOR_BROWSERS });
		write(PATHS, JSON.stringify(pathsIn(assets.metafile)));
		const embedded = await build({ ...common, ...FOR_HOSTS });
		const { en: english = '', ...others } = await sentences();
		write(ENGLISH, english);
		const pages = await build({ ...common, entryPoints: ['src/pages/static/files.tsx'], loader: FILES });
		const files = await filesOf(pages.outputFiles[0]?.text ?? '');
		const made = new Map([
			...[...files].map(([path, text]) => [join(PUBLIC, path), text] as const),
			...Object.entries(others).map(([tag, text]) => [join(PUBLIC, `sentences/${tag}.json`), text] as const),
			...[...assets.outputFiles, ...embedded.outputFiles].map(({ path, contents }) => [path, contents] as const),
		]);
		for (const [path, text] of made) write(path, text);
		removeOthers(new Set(made.keys()));
		const inputs = [assets, embedded, pages]
			.flatMap(({ metafile }) => Object.keys(metafile.inputs))
			.map((path) => join(ROOT, path));
		const lock = join(ROOT, 'package-lock.json');
		const configured = [import.meta.filename, join(ROOT, SCRIPTS), MESSAGES, lock, ...clientSources()];
		const all = [
			...new Set([
				...configured,
				...inputs,
				...readdirSync(MESSAGES).map((name) => join(MESSAGES, name)),
				PATHS,
				ENGLISH,
				...made.keys(),
			]),
		];
		return { value: all, from: all };
	});

const FOR_BROWSERS = {
	entryPoints: ['src/pages/*.css', `${SCRIPTS}/*.js`],
	outdir: join(PUBLIC, 'assets'),
	outbase: ROOT,
	entryNames: '[name]-[hash]',
	assetNames: '[name]-[hash]',
	loader: { '.woff2': 'file' },
	publicPath: '/assets',
	chunkNames: 'chunk-[hash]',
	splitting: true,
	minify: true,
	target: 'es2022',
} satisfies BuildOptions;

/** A classic script, which pages of other sites may load; its name never changes. */
const FOR_HOSTS = {
	entryPoints: ['src/pages/embed/widget.js'],
	outfile: join(PUBLIC, 'widget.js'),
	format: 'iife',
	minify: true,
	target: 'es2022',
} satisfies BuildOptions;

/** By the name of the style, the script or the font that an asset was made of. */
const pathsIn = ({ outputs }: Metafile): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(outputs).flatMap(([path, { entryPoint, inputs }]) => {
			const font = path.endsWith('.woff2') ? Object.keys(inputs)[0] : undefined;
			const made = entryPoint?.startsWith('src/') ? entryPoint : font;
			return made === undefined ? [] : [[basename(made), `/assets/${basename(path)}`]];
		}),
	);

/** By language. A number and the word behind it stay on one line. */
async function sentences(): Promise<Readonly<Record<string, string>>> {
	const { default: compile } = await import('icu-minify/compile');
	const compiled = readdirSync(MESSAGES).map((name) => {
		const texts = Object.entries(JSON.parse(readFileSync(join(MESSAGES, name), 'utf8')) as Record<string, string>);
		const messages = texts.map(([key, text]) => [key, compile(text.replaceAll('# ', '#\u00A0'))] as const);
		return [basename(name, '.json'), JSON.stringify(Object.fromEntries(messages))] as const;
	});
	return Object.fromEntries(compiled);
}

/** `script`: the pages' own code, which Node cannot read as it is written. */
async function filesOf(script: string): Promise<ReadonlyMap<string, string | Uint8Array>> {
	const { staticFiles } = await import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`);
	return staticFiles({ clients: clientFiles(FOLDER), source: sourceOf(readFileSync(PACKAGE, 'utf8')) });
}

/** The repository that a manifest names, where that is an address that a browser opens. */
function sourceOf(manifest: string): string | null {
	const { repository } = JSON.parse(manifest) as { readonly repository?: string | { readonly url: string } };
	const named = typeof repository === 'string' ? repository : (repository?.url ?? '');
	return /^(?:git\+)?(https:\/\/[\w./-]+?)(?:\.git)?$/.exec(named)?.[1] ?? null;
}

/** Atomic: a file gets its name when it is whole. */
function write(path: string, text: string | Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true });
	const unfinished = join(FOLDER, `${basename(path)}.${process.pid}`);
	writeFileSync(unfinished, text);
	renameSync(unfinished, path);
}

function removeOthers(made: ReadonlySet<string>): void {
	for (const each of readdirSync(PUBLIC, { recursive: true, withFileTypes: true })) {
		const path = join(each.parentPath, each.name);
		if (each.isFile() && !made.has(path)) rmSync(path);
	}
}

if (import.meta.main) await staticPages();
