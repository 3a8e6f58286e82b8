/** New pay-in addresses for an agent's stock: derived by the signer, with a seal that holds, and watched by the node. */
import { keyRing } from '../../crypto/key-ring.ts';
import { noteIncident } from '../../incidents/store.ts';
import { addressSealHolds, type SealedAddress } from '../../orders/seal.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import type { Remembered } from '../../ports/signer.ts';
import { wasCounterLost } from '../addresses/counter-gap.ts';
import type { Connection } from '../connection.ts';
import type { AgentStorage } from './copy.ts';

interface Supplying {
	readonly env: AgentsEnv;
	readonly connection: Connection;
	readonly stored: AgentStorage;
	readonly remembered: Remembered;
}

/** @throws what the signer or the node throws, and where the seals are of another key */
export async function newSealedAddresses(
	{ env, connection, stored, remembered }: Supplying,
	count: number,
): Promise<SealedAddress[]> {
	const { network, chain } = connection;
	const addresses = await env.SIGNER.newAddresses(network, count, remembered);
	const [first] = addresses;
	if (!first || !(await addressSealHolds(keyRing(env, 'SEAL_KEY'), first, first.seal)))
		throw new Error("the seal of new addresses does not hold: is SEAL_KEY the signer's? network check says so");
	const [above, index] = [remembered.nextIndex, first.derivationIndex];
	// The signer knows a lost counter too, but writes no rows.
	if (wasCounterLost(network, above, index) && !stored.isRestoredAt(above))
		await noteIncident(env.DB, 'index-counter-lost', network, `from ${above} to ${index}`);
	await chain.register(addresses.map(({ derivationIndex, address }) => ({ index: derivationIndex, address })));
	return addresses;
}
