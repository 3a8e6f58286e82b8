/** Has the agent of a network look at once. Where it cannot be woken, its next poll finds the work. */
import type { NetworkName } from '../catalog/networks.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import type { Context } from './command.ts';

export async function wakeAgent({ env }: Pick<Context, 'env'>, network: NetworkName): Promise<void> {
	await objectNamed(env, env.CHAIN_AGENT, network)
		.wake(network)
		.catch((error) => logError('agent_not_woken', error, { network }));
}
