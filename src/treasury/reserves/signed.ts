/** The reserves of all networks at one time, signed. */
import { offeredNetworks } from '../../chains/configuration.ts';
import { objectNamed } from '../../platform/region.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import type { ReserveClaim, SignedReserves } from '../../ports/reserves.ts';
import { unproven } from './sign.ts';

/**
 * Fails for no network: one that fails is not proven. `showsMonero`: a proof of Monero shows every coin that was paid to us
 * and is not spent, and later where each goes.
 */
export async function signedReserves(
	env: AgentsEnv,
	claim: ReserveClaim,
	{ showsMonero }: { readonly showsMonero: boolean },
): Promise<SignedReserves> {
	const each = await Promise.all(
		offeredNetworks(env).map(async (network): Promise<SignedReserves> => {
			if (network === 'Monero' && !showsMonero)
				return unproven(network, 'its proof would show which payments were to us, so none is published');
			try {
				return structuredClone(await objectNamed(env, env.CHAIN_AGENT, network).signReserves(network, claim));
			} catch (error) {
				return unproven(network, error instanceof Error ? error.message : String(error));
			}
		}),
	);
	return { rows: each.flatMap(({ rows }) => rows), unsigned: each.flatMap(({ unsigned }) => unsigned) };
}
