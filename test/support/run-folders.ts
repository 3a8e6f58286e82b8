/** The folder of a run of the tests, in which `template.ts` makes what services start from. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { TEMPLATE, TEMPLATE_FAILED } from './template.ts';

const PAUSE_MILLISECONDS = 100;

/** Null outside of a run, as in the bench: there a service starts from nothing. */
export const runFolders = (): string | null => (process.env['VITEST'] ? inject('stateFolders') : null);

/** Waits for the template, which is made while the first tests run. @throws why it could not be made */
export async function copyTemplate(to: string): Promise<void> {
	const folders = inject('stateFolders');
	const [template, failed] = [join(folders, TEMPLATE), join(folders, TEMPLATE_FAILED)];
	while (!existsSync(template)) {
		if (existsSync(failed)) throw new Error(`no template: ${readFileSync(failed, 'utf8')}`);
		await sleep(PAUSE_MILLISECONDS);
	}
	cpSync(template, to, { recursive: true });
}
