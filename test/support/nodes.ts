/**
 * Runs before the tests and installs missing nodes, the XML validator, the browser, and what the partners' examples run on.
 * `anvil` comes with npm, the generators of clients from a folder of their own; the others are Debian packages, and are installed where this works without a prompt. Tests of a program that is missing are skipped with a
 * loud message; in CI that is a failure.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Program → Debian package. */
const DEBIAN = {
	litecoind: 'litecoind',
	monerod: 'monero',
	'monero-wallet-rpc': 'monero',
	xmllint: 'libxml2-utils',
	'chromium-headless-shell': 'chromium-headless-shell',
	php: 'php-cli',
	python3: 'python3',
	go: 'golang-go',
	curl: 'curl',
	openssl: 'openssl',
} as const;

/** Is there a program of this name on the path? */
export const isInstalled = (program: string): boolean =>
	spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

function install(packages: readonly string[]): void {
	const isRoot = process.getuid?.() === 0;
	if (packages.length === 0 || !isRoot || !isInstalled('apt-get')) return;
	console.log(`not installed; installing with apt-get: ${packages.join(' ')}`);
	spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
	for (const name of packages) spawnSync('apt-get', ['install', '-y', '-qq', name], { stdio: 'inherit' });
}

/** They need another TypeScript, so `test/generators` is a package with a lock of its own, and is installed beside ours. */
export const GENERATORS = join(import.meta.dirname, '../../.wrangler/generators');

const LISTED = join(import.meta.dirname, '../generators');

/** Those of this checkout. */
export function areGeneratorsInstalled(): boolean {
	const [lock, copy] = [join(LISTED, 'package-lock.json'), join(GENERATORS, 'package-lock.json')];
	if (!existsSync(join(GENERATORS, 'node_modules/.package-lock.json')) || !existsSync(copy)) return false;
	return readFileSync(copy, 'utf8') === readFileSync(lock, 'utf8');
}

function installGenerators(): void {
	if (areGeneratorsInstalled()) return;
	console.log('not installed; installing with npm: the generators of clients');
	cpSync(LISTED, GENERATORS, { recursive: true });
	spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--prefix', GENERATORS], { stdio: 'inherit' });
}

if (import.meta.main) {
	installGenerators();
	const wanted = Object.entries(DEBIAN).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
	install([...new Set(wanted)]);
	const missing = [
		...[...Object.keys(DEBIAN), 'anvil'].filter((program) => !isInstalled(program)),
		...(areGeneratorsInstalled() ? [] : ['test/generators']),
	];
	for (const program of missing) {
		console.error(`\n*** ${program} CANNOT BE HAD HERE: the tests that need it are left out. ***\n`);
	}
	if (missing.length > 0 && process.env['CI']) process.exit(1);
}
