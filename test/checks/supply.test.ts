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

const { packages } = read<{ packages: Record<string, Locked> }>('package-lock.json');
const installed = Object.entries(packages).filter(([path]) => path !== '');

/** Packages that run a program when they are installed, each with what it does. None is a dependency of a Worker. */
const SCRIPTS: Readonly<Record<string, string>> = {
	'@foundry-rs/anvil': 'links the program of this machine',
	bcrypto: 'compiles, for bcoin, with which tests compare',
	bsip: 'compiles, for bcoin',
	bstring: 'compiles, for bcoin',
	esbuild: 'links the program of this machine',
	leveldown: 'compiles, for bcoin',
	mrmr: 'compiles, for bcoin',
	node: 'links the program of this machine',
	secp256k1: 'compiles, for tronweb, with which tests compare',
	workerd: 'links the program of this machine',
};

it('has the hash of every package that is installed here', () => {
	// The registry's answer leaves out the hash of what another kind of machine would install.
	const without = installed.filter(([, { integrity, optional, cpu }]) => !integrity && !(optional && cpu));
	expect(without.map(([path]) => path)).toEqual([]);
	expect(installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-')).length).toBeGreaterThan(300);
});

it('names exact versions of its own packages', () => {
	const { dependencies, devDependencies } =
		read<Record<'dependencies' | 'devDependencies', Record<string, string>>>('package.json');
	const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
		([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
	);
	expect(loose).toEqual([]);
});

it('runs no script at installation that is not listed here with its reason', () => {
	const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
	const names = running.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
	expect([...new Set(names)].toSorted()).toEqual(Object.keys(SCRIPTS).toSorted());
	expect(running.filter(([, { dev }]) => !dev).map(([path]) => path)).toEqual([]);
});
