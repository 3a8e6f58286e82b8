/**
 * Orders as a call shows them: the fields of the contract, and what its `with` asks for beyond them (book: contract,
 * "Beyond the contract"). Without `with` nothing is asked of anybody.
 */
import * as z from 'zod/mini';
import type { NetworkName } from '../catalog/networks.ts';
import { optional } from '../http/optional.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import { within } from '../platform/within.ts';
import type { Call } from '../ports/endpoint.ts';
import { type Progress, progressOf, type WaitingDeposit } from './progress.ts';
import { type StrayView, straysView } from './strays.ts';
import type { OrderRow } from './table.ts';
import { type OrderView, orderView } from './view.ts';

/** An agent that takes longer has nothing to say: the order is shown all the same. */
const AGENT_MILLISECONDS = 3_000;

export const withSchema = z.lazy(() =>
	optional(z.array(z.enum(['progress', 'strays']))).check(
		z.describe('What the answer has beyond its usual fields; another name returns code 1.'),
	),
);

export type With = z.output<typeof withSchema>;

export type ShownOrder = OrderView & { readonly progress?: Progress | null; readonly strays?: StrayView[] };

/** In the order of the rows. */
export async function shownOrders(
	{ env, now }: Pick<Call, 'env' | 'now'>,
	orders: readonly OrderRow[],
	wanted: With,
): Promise<ShownOrder[]> {
	const viewOf = (order: OrderRow) => ({
		...orderView(order, now),
		...(wanted?.includes('strays') && { strays: straysView(order) }),
	});
	if (!wanted?.includes('progress')) return orders.map(viewOf);
	const pending = orders.filter(({ status }) => status === 'PENDING');
	const byNetwork = Map.groupBy(pending, ({ fromNetwork }) => fromNetwork);
	const found = await Promise.all(
		[...byNetwork].map(([network, own]) => {
			const orderIds = own.map(({ id }) => id);
			return waitingOn(env, network, orderIds);
		}),
	);
	const waiting: Readonly<Record<string, WaitingDeposit>> = Object.assign({}, ...found);
	return orders.map((order) => ({ ...viewOf(order), progress: progressOf(order, waiting[order.id] ?? null) }));
}

/** By order id; nothing where the agent does not answer. */
export async function waitingOn(
	env: Call['env'],
	network: NetworkName,
	orderIds: readonly string[],
): Promise<Readonly<Record<string, WaitingDeposit>>> {
	const agent = objectNamed(env, env.CHAIN_AGENT, network);
	try {
		return await within(agent.waitingDeposits(orderIds), AGENT_MILLISECONDS, () => ({}));
	} catch (error) {
		logError('confirmations_not_read', error, { network });
		return {};
	}
}
