/** The folder of a run of the tests, in which `template.ts` has made what services start from. */
import { inject } from 'vitest';

/** Null outside of a run, as in the bench: there a service starts from nothing. */
export const runFolders = (): string | null => (process.env['VITEST'] ? inject('stateFolders') : null);
