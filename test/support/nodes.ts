/**
 * Runs before the tests: are the real nodes here? `anvil` comes with npm; `litecoind` is Debian's, and is installed
 * where that can be done without asking anybody. Where one cannot be had its tests are left out, loudly; in CI that is
 * a failure.
 */
import { spawnSync } from 'node:child_process';

/** Is there a program of this name on the path? */
export const isInstalled = (program: string): boolean =>
	spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;

function installLitecoind(): void {
	const isRoot = process.getuid?.() === 0;
	if (!isRoot || !isInstalled('apt-get')) return;
	console.log('litecoind is not installed; installing it with apt-get');
	spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
	spawnSync('apt-get', ['install', '-y', '-qq', 'litecoind'], { stdio: 'inherit' });
}

if (import.meta.main) {
	if (!isInstalled('litecoind')) installLitecoind();
	const missing = ['litecoind', 'anvil'].filter((program) => !isInstalled(program));
	for (const program of missing) {
		console.error(`\n*** ${program} CANNOT BE HAD HERE: the tests that need this real node are left out. ***\n`);
	}
	if (missing.length > 0 && process.env['CI']) process.exit(1);
}
