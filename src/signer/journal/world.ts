/**
 * The world that this signer's journal belongs to: real coins, or coins that are worth nothing. It is stored with the
 * first address or signature, and never changes. What was deposited or earned in a sandbox stays in the journal and in
 * the database for ever. A signer that is switched to a main chain would owe real coins for it.
 */
import { type ChainConfiguration, type World, worldOf } from '../../chains/configuration.ts';
import type { KeyVariables } from '../../crypto/key-ring.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';

type Configuration = ChainConfiguration & Pick<KeyVariables, 'DEPLOYMENT'>;

/** The name of its entry in the storage. */
export const WORLD_KEY = 'world';

/** Why this signer may sign nothing under this configuration; null if it may. Only reads. */
export function worldRefusal(storage: DurableObjectStorage, configuration: Configuration): SignerRefusal | null {
	const stored = storage.kv.get<World>(WORLD_KEY) ?? null;
	const configuredFor = worldOf(configuration);
	if (configuredFor === 'main' && !configuration.DEPLOYMENT?.trim()) return { kind: 'deployment-not-named' };
	if (stored === null || stored === configuredFor) return null;
	return { kind: 'wrong-world', workedOn: stored, configuredFor };
}

/** The same. If it may sign, its world is stored, and never changes from then on. */
export function enterWorld(storage: DurableObjectStorage, configuration: Configuration): SignerRefusal | null {
	const refusal = worldRefusal(storage, configuration);
	if (refusal === null) storage.kv.put(WORLD_KEY, worldOf(configuration));
	return refusal;
}
