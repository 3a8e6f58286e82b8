/**
 * Orders as a call shows them: the fields of the contract, and what its `with` asks for beyond them (book: contract,
 * "Beyond the contract"). Without `with` nothing is asked of anybody.
 */
import * as z from 'zod/mini';
import { assetOf } from '../catalog/assets.ts';
import { chainNameOf } from '../catalog/chain-names.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { paymentLink } from '../catalog/payment-link.ts';
import { originIn } from '../http/address.ts';
import { optional } from '../http/optional.ts';
import { toBaseUnits } from '../money/units.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import { within } from '../platform/within.ts';
import type { Call } from '../ports/endpoint.ts';
import { type Progress, progressOf, type WaitingDeposit } from './progress.ts';
import { statusTokenOf } from './status-token.ts';
import { type StrayView, straysView } from './strays.ts';
import type { OrderRow } from './table.ts';
import { type OrderView, orderView } from './view.ts';

/** An agent that takes longer has nothing to say: the order is shown all the same. */
const AGENT_MILLISECONDS = 3_000;

export const withSchema = z.lazy(() =>
	optional(z.array(z.enum(['progress', 'strays', 'links', 'payment']))).check(
		z.describe('What the answer has beyond its usual fields; another name returns code 1.'),
	),
);

export type With = z.output<typeof withSchema>;

export type ShownOrder = OrderView & {
	readonly progress?: Progress | null;
	readonly strays?: StrayView[];
	readonly links?: Links;
	readonly payment?: ReturnType<typeof paymentView>;
};

interface Links {
	/** Null where the order's token is not at hand. */
	readonly page: string | null;
	readonly status: string;
	/** The page that shows what `status` answers. */
	readonly statusPage: string;
}

/** In the order of the rows. `token`: that of the one order, where it is at hand. */
export async function shownOrders(
	{ env, now, url }: Pick<Call, 'env' | 'now' | 'url'>,
	orders: readonly OrderRow[],
	wanted: With,
	token: string | null = null,
): Promise<ShownOrder[]> {
	const links = wanted?.includes('links')
		? await Promise.all(orders.map((order) => linksOf(originIn(url), order, token)))
		: [];
	const viewOf = (order: OrderRow, i: number) => ({
		...orderView(order, now),
		...(wanted?.includes('strays') && { strays: straysView(order) }),
		...(links[i] && { links: links[i] }),
		...(wanted?.includes('payment') && { payment: paymentView(order) }),
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
	return orders.map((order, i) => ({ ...viewOf(order, i), progress: progressOf(order, waiting[order.id] ?? null) }));
}

async function linksOf(origin: string, order: OrderRow, token: string | null): Promise<Links> {
	const statusToken = await statusTokenOf(order);
	const query = new URLSearchParams({ id: order.id, token: statusToken });
	const page = `${origin}/o/${order.id}`;
	return {
		page: token && `${page}#${token}`,
		status: `${origin}/api/v1/status?${query}`,
		statusPage: `${page}#${statusToken}`,
	};
}

/** The payment that the order asks for, for a wallet. */
function paymentView({ fromAsset, fromAmount, payInAddress }: OrderRow) {
	const asset = assetOf(fromAsset);
	return {
		asset: chainNameOf(asset),
		units: toBaseUnits(fromAmount, asset.decimals).toString(),
		link: paymentLink(asset, fromAmount, payInAddress),
	};
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
