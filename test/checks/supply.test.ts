/** What is installed from others: by hash, of exact versions, and with no program that runs unseen (book: threats, "Ways in"). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;

interface Locked {
	readonly version?: string;
	readonly integrity?: string;
	readonly hasInstallScript?: boolean;
	readonly dev?: boolean;
	readonly optional?: boolean;
	readonly cpu?: readonly string[];
}

const lockedIn = (lock: string) =>
	Object.entries(read<{ packages: Record<string, Locked> }>(lock).packages).filter(([path]) => path !== '');
const installed = lockedIn('package-lock.json');
/** Beside them, for one test, and without their scripts. */
const generators = lockedIn('test/generators/package-lock.json');

/** Packages with a program for their installation, each with what it does; `allowScripts` of package.json says which run. None is a dependency of a Worker. */
const SCRIPTS: Readonly<Record<string, string>> = {
	'@foundry-rs/anvil': 'links the program of this machine',
	bcrypto: 'would compile for bcoin, with which tests compare',
	bsip: 'would compile for bcoin',
	bstring: 'would compile for bcoin',
	esbuild: 'links the program of this machine',
	leveldown: 'would compile for bcoin',
	mrmr: 'would compile for bcoin',
	node: 'links the program of this machine',
	secp256k1: 'would compile for tronweb, with which tests compare',
	workerd: 'links the program of this machine',
};

it('has the hash of every package that is installed here', () => {
	// The registry's answer leaves out the hash of what another kind of machine would install.
	const without = [...installed, ...generators].filter(
		([, { integrity, optional, cpu }]) => !integrity && !(optional && cpu),
	);
	expect(without.map(([path]) => path)).toEqual([]);
	expect(installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-')).length).toBeGreaterThan(300);
});

it('names exact versions of its own packages', () => {
	type Named = Record<'dependencies' | 'devDependencies', Record<string, string>>;
	const { dependencies, devDependencies } = read<Named>('package.json');
	const { dependencies: generating } = read<Named>('test/generators/package.json');
	const loose = [dependencies, devDependencies, generating]
		.flatMap(Object.entries<string>)
		.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
	expect(loose).toEqual([]);
});

it('runs no script at installation that is not listed here with its reason', () => {
	const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
	const names = running.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
	expect([...new Set(names)].toSorted()).toEqual(Object.keys(SCRIPTS).toSorted());
	expect(running.filter(([, { dev }]) => !dev).map(([path]) => path)).toEqual([]);
});
