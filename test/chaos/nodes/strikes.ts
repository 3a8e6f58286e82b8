/** Nodes killed with -9 and started again on their data, at drawn moments; now and then the service with them. */
import { replaySpent, type World } from '../load.ts';
import { KILLS, pause } from '../service.ts';
import type { ChaosNode } from './node.ts';

/** Milliseconds between two kills, and until a dead node starts again. */
const LIFE_MILLISECONDS = 8_000;
const DEAD_MILLISECONDS = 5_000;
/** Of the kills of nodes so many take the service along. */
const WITH_SERVICE = 0.15;
const REPLAYS = 3;

export interface NodeKills {
	nodes: number;
	service: number;
}

export async function strikeNodes(world: World, nodes: readonly ChaosNode[], kills: number): Promise<NodeKills> {
	const { service, random } = world;
	const struck: NodeKills = { nodes: 0, service: 0 };
	const choices = [...nodes.map((node) => [node]), nodes];
	while (struck.nodes < kills) {
		await pause(random.below(LIFE_MILLISECONDS));
		const dead = random.pick(choices);
		const isAlone = !random.chance(WITH_SERVICE);
		await Promise.all([
			...dead.map((node) => node.kill()),
			...(isAlone ? [] : [service.kill(random.pick(KILLS), random.below(400))]),
		]);
		struck.nodes += dead.length;
		if (!isAlone) {
			struck.service += 1;
			await service.launch();
			await service.untilServing();
		}
		await pause(random.below(DEAD_MILLISECONDS));
		for (const node of dead) await node.start();
		await replaySpent(world, REPLAYS);
		console.log(`${struck.nodes} kills of nodes, ${world.journal.orders.length} orders`);
	}
	return struck;
}
