/** A new, empty deployment with the keys of another one; the chains, which are outside of both, are as they are. */
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { SIGNER_WORKER } from '../../src/local/workers.ts';
import { operatorOf } from './operator.ts';
import { madeInRun } from './run-folders.ts';
import { startTestService, type TestService } from './service.ts';
import { MIGRATED, TEMPLATE } from './template.ts';

const LEDGERS = join('data/do', `${SIGNER_WORKER}-SandboxLedger`);
const SECRETS = 'secrets.json';

/** The new state folder. The other service must be stopped. `made`: what that one began with. */
export async function emptyDeployment({ stateDirectory }: TestService, made = TEMPLATE): Promise<string> {
	const folder = mkdtempSync(join(inject('stateFolders'), 'state-'));
	cpSync(await madeInRun(made), folder, { recursive: true });
	copyFileSync(join(stateDirectory, SECRETS), join(folder, SECRETS));
	rmSync(join(folder, LEDGERS), { recursive: true, force: true });
	cpSync(join(stateDirectory, LEDGERS), join(folder, LEDGERS), { recursive: true });
	return folder;
}

/**
 * As the book says: a backup, the old deployment goes on and ends, a new one with the same keys begins. `variables`: of both;
 * absent where all is on the sandbox.
 */
export async function restoredAfter(
	old: TestService,
	goOn: () => Promise<void>,
	variables: Readonly<Record<string, string>> = {},
): Promise<TestService> {
	const file = join(old.stateDirectory, 'backup');
	await operatorOf(() => old).json('backup', file);
	await goOn();
	await old.local.stop();
	const folder = await emptyDeployment(old, Object.keys(variables).length === 0 ? TEMPLATE : MIGRATED);
	copyFileSync(file, join(folder, 'backup'));
	rmSync(old.stateDirectory, { recursive: true, force: true });
	const service = await startTestService(variables, folder);
	await operatorOf(() => service).json('restore', join(folder, 'backup'));
	return service;
}
