/** One task at a time for each network: nonces and coins are then chosen by one task only. */
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';

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

/** Runs when every network's earlier tasks have ended, and no later one begins before it has. Not from within a task. */
export async function alone(inTurn: InTurn, run: () => Promise<void>): Promise<void> {
	const done = Promise.withResolvers<void>();
	const waiting = NETWORK_NAMES.map((network) => {
		const reached = Promise.withResolvers<void>();
		void inTurn(network, () => {
			reached.resolve();
			return done.promise;
		});
		return reached.promise;
	});
	await Promise.all(waiting);
	await run().finally(done.resolve);
}
