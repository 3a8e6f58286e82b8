/**
 * A backup's words about itself, sealed as its last line: what it was made of, how many pieces it has, and the digest
 * of all lines before. It decides whether the backup belongs to this deployment.
 */
import * as z from 'zod/mini';
import { migrationsOf } from '../../backup/database.ts';
import { worldOf } from '../../chains/configuration.ts';
import { keeperOf, type OperatorEnv } from '../env.ts';

const counts = z.record(z.string(), z.number());

export const manifestSchema = z.strictObject({
	/** Unix milliseconds of the moment that the backup shows. */
	at: z.number(),
	pieces: z.number(),
	/** SHA-256 of all lines before this one, in hex. */
	digest: z.string(),
	migrations: z.array(z.string()),
	/** The schema step of the journal, and its world. */
	step: z.number(),
	world: z.nullable(z.enum(['main', 'test'])),
	/** BIP-32 fingerprint of the SEED. */
	seed: z.string(),
	/** Fingerprints of the keys that the rows need. */
	keys: z.strictObject({ SECRETS_KEY: z.string(), API_KEY_KEY: z.string() }),
	/** Rows of each table. */
	database: counts,
	journal: counts,
	/** By network, as in `RestoreEnd`. */
	nextIndexes: counts,
});

export type Manifest = z.infer<typeof manifestSchema>;

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
export async function mismatch(env: OperatorEnv, manifest: Manifest): Promise<string | null> {
	const here = await deploymentFacts(env);
	if (here.seed !== manifest.seed)
		return `the backup was made with the SEED of fingerprint ${manifest.seed}, and this signer has ${here.seed}`;
	for (const name of ['SECRETS_KEY', 'API_KEY_KEY'] as const)
		if (!(await keeperOf(env).fingerprints(name)).includes(manifest.keys[name]))
			return `${name} is not the one of the backup: set that one first`;
	const world = worldOf(env);
	if (manifest.world !== null && manifest.world !== world)
		return `the backup is of the ${manifest.world} world, and this deployment is configured for the ${world} world`;
	if (here.migrations.join() !== manifest.migrations.join())
		return `the backup has the schema ${manifest.migrations.at(-1)}, and this database ${here.migrations.at(-1)}: deploy the version that made the backup, restore, then upgrade`;
	if (here.step !== manifest.step)
		return `the backup has schema step ${manifest.step} of the journal, and this signer ${here.step}: deploy the version that made the backup, restore, then upgrade`;
	return null;
}
