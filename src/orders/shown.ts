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
import { pick } from '../platform/pick.ts';
import { objectNamed } from '../platform/region.ts';
import { within } from '../platform/within.ts';
import type { Call } from '../ports/endpoint.ts';
import type { Env } from '../ports/env.ts';
import type { PromisedOrder, SignedStatement } from '../ports/promises.ts';
import { type Progress, progressOf, type WaitingDeposit } from './progress.ts';
import { ORDER_TERMS } from './seal.ts';
import { statusTokenOf } from './status-token.ts';
import { type StrayView, straysView } from './strays.ts';
import type { OrderRow } from './table.ts';
import { type OrderView, orderView } from './view.ts';

/** An agent that takes longer has nothing to say: the order is shown all the same. */
const AGENT_MILLISECONDS = 3_000;
/** Without an answer until then the order is shown without its promise. */
const SIGNER_MILLISECONDS = 10_000;

const BEYOND = ['progress', 'strays', 'links', 'payment'] as const;
const WITH_TEXT = 'What the answer has beyond its usual fields; another name returns code 1.';

export const withSchema = z.lazy(() => optional(z.array(z.enum(BEYOND))).check(z.describe(WITH_TEXT)));

/** The same of a call for one order: each promise is a signature. */
export const withPromiseSchema = z.lazy(() =>
	optional(z.array(z.enum([...BEYOND, 'promise']))).check(z.describe(WITH_TEXT)),
);

export type With = z.output<typeof withPromiseSchema>;

export type ShownOrder = OrderView & {
	readonly progress?: Progress | null;
	readonly strays?: StrayView[];
	readonly links?: Links;
	readonly payment?: ReturnType<typeof paymentView>;
	readonly promise?: SignedStatement | null;
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
	const promises = wanted?.includes('promise') ? await Promise.all(orders.map((order) => promiseOf(env, order))) : [];
	const viewOf = (order: OrderRow, i: number) => ({
		...orderView(order, now),
		...(wanted?.includes('strays') && { strays: straysView(order) }),
		...(links[i] && { links: links[i] }),
		...(wanted?.includes('payment') && { payment: paymentView(order) }),
		...(wanted?.includes('promise') && { promise: promises[i] ?? null }),
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

/** Null where the signer refuses, or does not answer: its log says why it refuses. */
export async function promiseOf({ SIGNER }: Pick<Env, 'SIGNER'>, order: OrderRow): Promise<SignedStatement | null> {
	try {
		const promised = await within(SIGNER.promise(promisedOf(order)), SIGNER_MILLISECONDS, () => {
			throw new Error('no answer in time');
		});
		return 'statement' in promised ? promised : null;
	} catch (error) {
		logError('promise_not_signed', error, { orderId: order.id });
		return null;
	}
}

/** No more of its row than the signer needs. */
const promisedOf = (order: OrderRow): PromisedOrder => pick(order, ...ORDER_TERMS, 'createdAt', 'seal');

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
