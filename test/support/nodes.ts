/**
 * Runs before the tests: are the real nodes and the XML validator here? `anvil` comes with npm; the others are
 * Debian's, and are installed where that can be done without asking anybody. Where one cannot be had its tests are left
 * out, loudly; in CI that is a failure.
 */
import { spawnSync } from 'node:child_process';

/** Program → Debian package. */
const DEBIAN = {
	litecoind: 'litecoind',
	monerod: 'monero',
	'monero-wallet-rpc': 'monero',
	xmllint: 'libxml2-utils',
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
