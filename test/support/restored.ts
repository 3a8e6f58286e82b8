/** A new, empty deployment with the keys of another one; the chains, which are outside of both, are as they are. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { SIGNER_WORKER } from '../../src/local/workers.ts';
import { madeInRun } from './run-folders.ts';
import type { TestService } from './service.ts';
import { TEMPLATE } from './template.ts';

const LEDGERS = join('data/do', `${SIGNER_WORKER}-SandboxLedger`);

/** The new state folder. The other service must be stopped. */
export async function emptyDeployment({ stateDirectory }: TestService): Promise<string> {
	const folder = mkdtempSync(join(inject('stateFolders'), 'state-'));
	cpSync(await madeInRun(TEMPLATE), folder, { recursive: true });
	rmSync(join(folder, LEDGERS), { recursive: true, force: true });
	cpSync(join(stateDirectory, LEDGERS), join(folder, LEDGERS), { recursive: true });
	return folder;
}
