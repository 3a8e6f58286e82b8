/** The questions of commands to the signer and to the agents, also where they do not answer. */
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import type { SignerWorker } from '../ports/signer.ts';
import { type Answered, answerWithin } from '../treasury/each-network.ts';
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

/** More than the signer waits for a network. */
const WAIT_MILLISECONDS = 40_000;

/** The hot wallets of those networks that it answers for in time. */
export async function hotAddressesOf(
	signer: SignerWorker,
	networks: readonly NetworkName[],
	milliseconds = WAIT_MILLISECONDS,
): Promise<{ readonly known: ReadonlyMap<NetworkName, string>; readonly wrong: ReadonlyMap<NetworkName, string> }> {
	const [known, wrong] = [new Map<NetworkName, string>(), new Map<NetworkName, string>()];
	const answers = await allOrNone(networks, milliseconds, () => signer.hotAddresses(networks));
	for (const [i, network] of networks.entries()) {
		const answer = answers[i];
		if (answer && 'is' in answer) known.set(network, answer.is);
		else wrong.set(network, answer?.wrong ?? 'no answer');
	}
	return { known, wrong };
}

/** One answer each, in order. */
export const signersChecks = (
	signer: SignerWorker,
	networks: readonly NetworkName[],
): Promise<Answered<NetworkCheck[]>[]> => allOrNone(networks, WAIT_MILLISECONDS, () => signer.checks(networks));

async function allOrNone<T>(
	networks: readonly NetworkName[],
	milliseconds: number,
	ask: () => Promise<Answered<T>[]>,
): Promise<Answered<T>[]> {
	if (networks.length === 0) return [];
	const answered = await answerWithin(milliseconds, ask);
	return 'is' in answered ? answered.is : networks.map(() => answered);
}
