/** `backup` and `restore` need a file, so the command line takes their steps; a single request does neither. */
import { fail, type RunsOf } from '../command.ts';
import type { backup, restore } from '../topics/backup.ts';

const BY_STEPS = 'this is made of steps that the command line takes: npx exchange';

export const backupRuns: RunsOf<typeof backup> = {
	'': async () => fail(400, `${BY_STEPS} backup FILE`),
	check: async () => fail(400, `${BY_STEPS} backup check FILE`),
};
export const restoreRuns: RunsOf<typeof restore> = { '': async () => fail(400, `${BY_STEPS} restore FILE`) };
