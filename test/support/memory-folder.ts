/**
 * Where the tests keep their files. D1 and the objects wait for the disk at each write, so a run on a disk takes a quarter
 * longer. A killed process loses nothing in memory either: what a test kills is never the machine.
 */
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** Several times what a run uses. */
const NEEDED_BYTES = 2 ** 30;
const PREFIX = 'partner-exchange-tests-';

/** A folder of this process, removed when it ends; the usual one where there is no memory to spare. */
export function memoryFolder(): string {
	if (!hasRoom()) return tmpdir();
	for (const name of readdirSync(MEMORY))
		if (isLeft(name)) rmSync(join(MEMORY, name), { recursive: true, force: true });
	const folder = join(MEMORY, `${PREFIX}${process.pid}`);
	mkdirSync(folder, { recursive: true });
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function hasRoom(): boolean {
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		return bavail * bsize >= NEEDED_BYTES;
	} catch {
		return false;
	}
}

/** Of a run that was killed. */
function isLeft(name: string): boolean {
	if (!name.startsWith(PREFIX)) return false;
	try {
		process.kill(Number(name.slice(PREFIX.length)), 0);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'ESRCH';
	}
}
