/** Makes the state folder. Where that cannot be, the error is one line that names STATE_DIR and says why. */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Each folder is made by itself: `mkdirSync` with `recursive` does not end where a file system, like that of /proc, says
 * that a folder's parent is missing although it is there.
 */
export function makeStateFolder(path: string): void {
	try {
		const folder = resolve(path);
		make(folder);
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new Error(`STATE_DIR cannot be ${path}: ${why}`);
	}
}

function make(folder: string): void {
	const found = statSync(folder, { throwIfNoEntry: false });
	if (found?.isDirectory()) return;
	if (found) throw new Error(`${folder} is a file, not a folder`);
	const parent = dirname(folder);
	if (parent !== folder) make(parent);
	mkdirSync(folder, { mode: 0o700 });
}
