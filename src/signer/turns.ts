/** One task at a time for each network: nonces and coins are then chosen by one task only. */
import type { NetworkName } from '../catalog/networks.ts';

export type InTurn = <Result>(network: NetworkName, run: () => Promise<Result>) => Promise<Result>;

/** `run` begins when all earlier tasks of the network have ended, also if they failed. */
export function turns(): InTurn {
	const last = new Map<NetworkName, Promise<unknown>>();
	return (network, run) => {
		const task = (last.get(network) ?? Promise.resolve()).then(run);
		last.set(
			network,
			task.catch(() => undefined),
		);
		return task;
	};
}

export async function inOrder<Item, Outcome>(items: readonly Item[], run: (item: Item) => Promise<Outcome>) {
	const outcomes: Outcome[] = [];
	for (const item of items) outcomes.push(await run(item));
	return outcomes;
}
