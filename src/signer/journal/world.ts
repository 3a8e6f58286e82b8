/**
 * The world that this signer's journal belongs to: real coins, or coins that are worth nothing. It is noted with the
 * first address or signature, and never changes. What was deposited, earned or shown in a sandbox is in the journal and
 * in the database for ever: a signer that is switched to a main chain with them would owe real coins for it.
 */
import { type ChainConfiguration, type World, worldOf } from '../../chains/configuration.ts';

const KEY = 'world';

const WORLDS: Readonly<Record<World, string>> = {
	main: 'main chains',
	test: 'the sandbox or test chains',
};

/** Why this signer may make nothing under this configuration; null where it may. Reads, and writes nothing. */
export function worldRefusal(storage: DurableObjectStorage, configuration: ChainConfiguration): string | null {
	const noted = storage.kv.get<World>(KEY) ?? null;
	const world = worldOf(configuration);
	if (noted === null || noted === world) return null;
	return `this signer has worked on ${WORLDS[noted]} and is configured for ${WORLDS[world]}: deploy a signer and a database of their own`;
}

/** The same, and from now on this signer belongs to the world that it is configured for. */
export function enterWorld(storage: DurableObjectStorage, configuration: ChainConfiguration): string | null {
	const refusal = worldRefusal(storage, configuration);
	if (refusal === null) storage.kv.put(KEY, worldOf(configuration));
	return refusal;
}
