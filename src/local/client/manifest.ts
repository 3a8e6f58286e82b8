/** The manifest of the client library's package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
	readonly [field: string]: unknown;
	readonly name: string;
	readonly version: string;
}

const own = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as Manifest;

/** The name of the package's file. */
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
