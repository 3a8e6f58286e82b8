/** Orders from one real chain to the other, paid over their nodes. */
import { assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import { createBody } from '../../support/orders.ts';
import type { Payers } from '../load.ts';
import type { ChaosNode } from './node.ts';

/** Of the amount that is asked for, where another one is paid. */
const OTHER_SHARE = 3n;

export function nodePayers(nodes: readonly ChaosNode[]): Payers {
	const nodeOf = (asset: string): ChaosNode => {
		const found = nodes.find((node) => node.asset === asset);
		if (!found) throw new Error(`no node has ${asset}`);
		return found;
	};
	return {
		async newOrder(random) {
			const from = random.pick(nodes);
			const to = random.pick(nodes.filter((node) => node !== from));
			const [toAddress, refundAddress] = [await to.newAddress(), await from.newAddress()];
			return createBody({ fromCcy: from.asset, toCcy: to.asset, amount: from.orderCoins, toAddress, refundAddress });
		},
		async pay({ from }, isWhole) {
			const asked = toBaseUnits(from.amount, assetOf(nodeOf(from.code).asset).decimals);
			await nodeOf(from.code).pay(from.address, isWhole ? asked : asked / OTHER_SHARE);
			return true;
		},
	};
}
