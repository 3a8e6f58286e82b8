/**
 * The world that this signer's journal belongs to: real coins, or coins that are worth nothing. It is stored with the
 * first address or signature, and never changes. What was deposited or earned in a sandbox stays in the journal and in
 * the database for ever: a signer that was switched to a main chain with them would owe real coins for it.
 */
import { type ChainConfiguration, type World, worldOf } from '../../chains/configuration.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';

const KEY = 'world';

/** Why this signer may sign nothing under this configuration; null where it may. Only reads. */
export function worldRefusal(storage: DurableObjectStorage, configuration: ChainConfiguration): SignerRefusal | null {
	const stored = storage.kv.get<World>(KEY) ?? null;
	const configuredFor = worldOf(configuration);
	if (stored === null || stored === configuredFor) return null;
	return { kind: 'wrong-world', workedOn: stored, configuredFor };
}

/** The same, and from now on this signer belongs to the world that it is configured for. */
export function enterWorld(storage: DurableObjectStorage, configuration: ChainConfiguration): SignerRefusal | null {
	const refusal = worldRefusal(storage, configuration);
	if (refusal === null) storage.kv.put(KEY, worldOf(configuration));
	return refusal;
}
