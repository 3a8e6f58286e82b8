/** The signer's answers about several networks, in one call (`treasury/each-network.ts`). */
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { SignerWorker } from '../ports/signer.ts';
import { type Answered, answerWithin } from '../treasury/each-network.ts';

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
