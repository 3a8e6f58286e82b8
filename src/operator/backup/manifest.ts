/** Does a backup belong to this deployment? Its manifest decides. */
import { migrationsOf } from '../../backup/database.ts';
import { worldOf } from '../../chains/configuration.ts';
import { keeperOf, type OperatorEnv } from '../env.ts';
import type { Manifest } from './contents.ts';

export async function seedOfSigner(env: OperatorEnv): Promise<string> {
	const { seed } = await env.SIGNER.identify(crypto.randomUUID());
	return 'is' in seed ? seed.is : `none: ${seed.wrong}`;
}

/** The part of a manifest that this deployment knows by itself. */
export async function deploymentFacts(env: OperatorEnv) {
	const [migrations, facts, seed, [secretsKey = ''], [apiKeyKey = '']] = await Promise.all([
		migrationsOf(env.DB),
		env.SIGNER.journalFacts(),
		seedOfSigner(env),
		keeperOf(env).fingerprints('SECRETS_KEY'),
		keeperOf(env).fingerprints('API_KEY_KEY'),
	]);
	const keys = { SECRETS_KEY: secretsKey, API_KEY_KEY: apiKeyKey };
	return { migrations, step: facts.step, world: facts.world, seed, keys, journal: facts.rows };
}

/** Why the backup cannot be restored here, one line for a person; null where it can. */
export const mismatch = async (env: OperatorEnv, manifest: Manifest): Promise<string | null> =>
	(await wrongKeys(env, manifest)) ?? otherVersion(env, manifest);

/** Which keys the backup was made with that this deployment has not; null where it has them all. */
export async function wrongKeys(env: OperatorEnv, { seed, keys }: Manifest): Promise<string | null> {
	const here = await seedOfSigner(env);
	if (here !== seed) return `the backup was made with the SEED of fingerprint ${seed}, and this signer has ${here}`;
	for (const name of ['SECRETS_KEY', 'API_KEY_KEY'] as const)
		if (!(await keeperOf(env).fingerprints(name)).includes(keys[name]))
			return `${name} is not the one of the backup, whose fingerprint is ${keys[name]}: set that one first`;
	return null;
}

/** Why another version or world must be deployed before the backup is restored; null where none must. */
export async function otherVersion(env: OperatorEnv, manifest: Manifest): Promise<string | null> {
	const [migrations, { step }] = await Promise.all([migrationsOf(env.DB), env.SIGNER.journalFacts()]);
	const world = worldOf(env);
	if (manifest.world !== null && manifest.world !== world)
		return `the backup is of the ${manifest.world} world, and this deployment is configured for the ${world} world`;
	if (migrations.join() !== manifest.migrations.join())
		return `the backup has the schema ${manifest.migrations.at(-1)}, and this database ${migrations.at(-1)}: ${OTHER_VERSION}`;
	if (step !== manifest.step)
		return `the backup has schema step ${manifest.step} of the journal, and this signer ${step}: ${OTHER_VERSION}`;
	return null;
}

const OTHER_VERSION = 'deploy the version that made the backup, restore, then upgrade';
