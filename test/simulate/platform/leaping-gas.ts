/** What the price of gas and the node's moods do to payments: the price leaps by a factor of a hundred, and sometimes nothing is taken. */
import type { World } from '../world.ts';
import { GWEI } from './evm-chain.ts';
import type { EvmNode } from './evm-node.ts';

const CHANGES = 6;
const OUTAGES = 5;
const OUTAGE_MILLISECONDS = 600_000;
const CHEAP = GWEI;
const DEAR = 100n * GWEI;

/** `span`: milliseconds. */
export function startLeaps(world: World, node: EvmNode, span: number): void {
	const { random } = world;
	for (let i = 0; i < CHANGES; i++) {
		world.after(random.next() * span, () => {
			node.baseFee = random.chance(0.5) ? DEAR : CHEAP;
		});
	}
	for (let i = 0; i < OUTAGES; i++) {
		world.after(random.next() * span, () => {
			// What is signed meanwhile pays what gas cost before.
			Object.assign(node, { takesNothing: true, baseFee: CHEAP });
			world.after(random.next() * OUTAGE_MILLISECONDS, () =>
				Object.assign(node, { takesNothing: false, baseFee: DEAR }),
			);
		});
	}
}

/** The node takes what pays enough, and gas stays dear: what was signed while it was cheap must not wait for that to end. */
export function endLeaps(node: EvmNode): void {
	node.takesNothing = false;
	node.baseFee = DEAR;
}
