/** The folder of a run of the tests, in which `template.ts` makes what services start from. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { FAILED } from './template.ts';

const PAUSE_MILLISECONDS = 100;

/** Null outside of a run, as in the bench: there a service starts from nothing. */
export const runFolders = (): string | null => (process.env['VITEST'] ? inject('stateFolders') : null);

/** The path of what has this name, once it is whole: it is made while the first tests run. @throws why it could not be */
export async function madeInRun(name: string): Promise<string> {
	const folders = inject('stateFolders');
	const [made, failed] = [join(folders, name), join(folders, FAILED)];
	while (!existsSync(made)) {
		if (existsSync(failed)) throw new Error(`no ${name}: ${readFileSync(failed, 'utf8')}`);
		await sleep(PAUSE_MILLISECONDS);
	}
	return made;
}
