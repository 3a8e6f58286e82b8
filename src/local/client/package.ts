/**
 * The client library as a package without dependencies: JavaScript and types for `partner-exchange/sdk`, the signing
 * vectors and its examples.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'src/sdk');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The chapter, whose links to other chapters lead nowhere in the package. */
const readme = (): string =>
	readFileSync(join(ROOT, 'src/docs/book/client.md'), 'utf8').replaceAll(/\[([^\]]+)\]\([^)]*\.md[^)]*\)/g, '$1');

/** Declarations name each other as the JavaScript does, so that every TypeScript since 5.0 reads them. */
const rewritten = (declarations: string): string =>
	declarations.replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js');

/** JavaScript and declarations, by their names. `temporary`: a folder in which folders may be made. */
function compiled(temporary: string): ReadonlyMap<string, string> {
	const folder = mkdtempSync(join(temporary, 'sdk-'));
	try {
		execFileSync(process.execPath, [TSC, '-p', SDK, '--outDir', folder], { stdio: 'inherit' });
		return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Each file of the package, as npm wants them: in a folder of this name. */
export function packageFiles(temporary: string): ReadonlyMap<string, string> {
	const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
	const code = new Map([...compiled(temporary), ['wire.d.ts', text('src/sdk/wire.d.ts')] as const]);
	return new Map([
		...[...code].map(
			([name, source]) => [`package/sdk/${name}`, name.endsWith('.d.ts') ? rewritten(source) : source] as const,
		),
		['package/vectors.json', text('src/sdk/vectors.json')],
		['package/README.md', readme()],
		['package/LICENSE', text('LICENSE')],
		['package/package.json', `${JSON.stringify(MANIFEST, null, '\t')}\n`],
	]);
}

interface Manifest {
	readonly [field: string]: unknown;
	readonly name: string;
	readonly version: string;
}

const own = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as Manifest;

export const PACKAGE_NAME = `${own.name}-${own.version}.tgz`;

/** The manifest of the package: nothing of the service's own but its name, version and licence. */
export const MANIFEST = {
	name: own.name,
	version: own.version,
	license: own['license'],
	type: 'module',
	sideEffects: false,
	engines: { node: '>=20.3' },
	description: 'Client library of the Partner Exchange API: quotes, swaps, signed webhooks. No dependencies.',
	exports: {
		'./sdk': { types: './sdk/index.d.ts', default: './sdk/index.js' },
		'./vectors.json': './vectors.json',
		'./package.json': './package.json',
	},
};
