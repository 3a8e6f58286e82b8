/**
 * One question about several networks in one call: a request may call other Workers some thirty times, and there are a
 * dozen networks. A network that fails or does not answer in time delays and spoils no other.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { within } from '../platform/within.ts';

/** `wrong`: one line for a person. */
export type Answered<T> = { readonly is: T } | { readonly wrong: string };

/** Longest wait for one network: each node that hangs takes 10 s to time out. */
const WAIT_MILLISECONDS = 35_000;

/** One answer each, in order. */
export const askEach = <T>(
	networks: readonly NetworkName[],
	ask: (network: NetworkName) => Promise<T>,
): Promise<Answered<T>[]> =>
	Promise.all(networks.map((network) => answerWithin(WAIT_MILLISECONDS, () => ask(network))));

export async function answerWithin<T>(milliseconds: number, ask: () => Promise<T>): Promise<Answered<T>> {
	const answer = ask().then((is) => ({ is }));
	try {
		return await within(answer, milliseconds, () => ({ wrong: `no answer within ${milliseconds / 1000} s` }));
	} catch (error) {
		return { wrong: error instanceof Error ? error.message : String(error) };
	}
}
