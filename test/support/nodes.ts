/**
 * Runs before the tests and installs missing nodes, the XML validator, the browser, and what the partners' examples run on.
 * `anvil` comes with npm; the others are Debian packages, and are installed where this works without a prompt. Tests of a program that is missing are skipped with a
 * loud message; in CI that is a failure.
 */
import { spawnSync } from 'node:child_process';

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

if (import.meta.main) {
	const wanted = Object.entries(DEBIAN).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
	install([...new Set(wanted)]);
	const missing = [...Object.keys(DEBIAN), 'anvil'].filter((program) => !isInstalled(program));
	for (const program of missing) {
		console.error(`\n*** ${program} CANNOT BE HAD HERE: the tests that need it are left out. ***\n`);
	}
	if (missing.length > 0 && process.env['CI']) process.exit(1);
}
