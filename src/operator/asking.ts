/** The questions of commands to the signer and to the agents, also where they do not answer. */
import type { NetworkName } from '../catalog/networks.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import { type Context, type Failure, fail } from './command.ts';

/** Has the agent of a network look at once. Where it cannot be woken, its next poll finds the work. */
export async function wakeAgent({ env }: Pick<Context, 'env'>, network: NetworkName): Promise<void> {
	await objectNamed(env, env.CHAIN_AGENT, network)
		.wake(network)
		.catch((error) => logError('agent_not_woken', error, { network }));
}

/** `undone`: what did not happen where the signer does not answer. */
export async function fromSigner<Answer>(
	ask: () => Promise<Answer>,
	facts: Parameters<typeof logError>[2],
	undone = 'nothing was changed',
): Promise<Answer | Failure> {
	try {
		return await ask();
	} catch (error) {
		logError('signer_not_asked', error, facts);
		return fail(503, `the signer does not answer; ${undone}, run it again`);
	}
}
