/**
 * `npm run sdk:pack`: the client library as a package of its own name, without dependencies: JavaScript and types for
 * `partner-exchange/sdk`, the signing vectors, the examples and the collection (book: client, "Publishing it").
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { collectionOf } from './collection.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'src/sdk');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

interface Manifest {
	readonly [field: string]: unknown;
	readonly name: string;
	readonly version: string;
}

/** The manifest of the package: nothing of the service's own but its name, version and licence. */
function manifest(): Manifest {
	const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
	return {
		name,
		version,
		license,
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
}

/** The chapter, whose links to other chapters lead nowhere in the package. */
const readme = (): string =>
	readFileSync(join(ROOT, 'src/docs/book/client.md'), 'utf8').replaceAll(/\[([^\]]+)\]\([\w-]+\.md[^)]*\)/g, '$1');

/** Declarations name each other as the JavaScript does, so that every TypeScript since 5.0 reads them. */
function rewriteDeclarations(folder: string): void {
	for (const name of readdirSync(folder).filter((each) => each.endsWith('.d.ts'))) {
		const path = join(folder, name);
		writeFileSync(
			path,
			readFileSync(path, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js'),
		);
	}
}

/** The committed document is up to date: a check says so. */
function writeCollection(folder: string): void {
	const document = JSON.parse(readFileSync(join(ROOT, 'src/docs/openapi.json.txt'), 'utf8'));
	for (const [name, text] of Object.entries(collectionOf(document))) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}

/** Writes the package's files to an empty `folder`. */
export function buildPackage(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, 'sdk'), { recursive: true });
	execFileSync(process.execPath, [TSC, '-p', SDK, '--outDir', join(folder, 'sdk')], { stdio: 'inherit' });
	cpSync(join(SDK, 'wire.d.ts'), join(folder, 'sdk/wire.d.ts'));
	rewriteDeclarations(join(folder, 'sdk'));
	for (const name of ['vectors.json', 'examples']) cpSync(join(SDK, name), join(folder, name), { recursive: true });
	writeCollection(join(folder, 'bruno'));
	writeFileSync(join(folder, 'README.md'), readme());
	cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
	writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, '\t')}\n`);
}

if (import.meta.main) {
	const folder = join(ROOT, 'dist/partner-exchange');
	buildPackage(folder);
	execFileSync('npm', ['pack', folder, '--pack-destination', join(ROOT, 'dist')], { stdio: 'inherit' });
}
