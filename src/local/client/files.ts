/**
 * The files that partners integrate with, as the service gives them away under `/docs/sdk`: the library for TypeScript as a package,
 * the clients for other languages, examples, vectors, the collection, and the hash of each
 * (`npm run sdk:pack` writes them into `dist`).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectionOf } from './collection.ts';
import { PACKAGE_NAME, packageFiles } from './package.ts';
import { tarball } from './tarball.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'src/sdk');
const DOCUMENT = join(ROOT, 'src/docs/openapi.json.txt');
/** Files that are given away as they are. */
const CLIENTS = ['vectors.json', 'python/partner_exchange.py', 'php/PartnerExchange.php', 'go/partnerexchange.go'];

const filesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((each) => each.isFile())
		.map((each) => join(each.parentPath, each.name));

/** The sources of these files. */
export const clientSources = (): string[] => [
	...filesIn(SDK),
	...filesIn(import.meta.dirname),
	...['package.json', 'LICENSE', 'src/docs/book/client.md'].map((name) => join(ROOT, name)),
	DOCUMENT,
];

/** By name. `temporary`: a folder in which folders may be made. */
export function clientFiles(temporary: string): ReadonlyMap<string, string | Uint8Array> {
	const given = [...CLIENTS, ...readdirSync(join(SDK, 'examples')).map((name) => `examples/${name}`)];
	const collection = Object.entries(collectionOf(JSON.parse(readFileSync(DOCUMENT, 'utf8'))));
	const files = new Map<string, string | Uint8Array>([
		[PACKAGE_NAME, tarball(packageFiles(temporary))],
		['bruno.tgz', tarball(new Map(collection.map(([name, text]) => [`bruno/${name}`, text])))],
		...given.map((path) => [path.slice(path.indexOf('/') + 1), readFileSync(join(SDK, path), 'utf8')] as const),
	]);
	return files.set('SHA256SUMS', sums(files));
}

/** As `sha256sum -c` reads them. */
const sums = (files: ReadonlyMap<string, string | Uint8Array>): string =>
	[...files].map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`).join('');

if (import.meta.main) {
	const folder = join(ROOT, 'dist');
	mkdirSync(folder, { recursive: true });
	for (const [name, content] of clientFiles(folder)) writeFileSync(join(folder, name), content);
}
