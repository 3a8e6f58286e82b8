/**
 * A partner's widget (book: run, "The widget"): strangers quote and order in the partner's name, at the margin that the partner set. The
 * orders count as those of an app key of its own. What a stranger can take is bounded three times: by their network's
 * budget, by the orders of the widget in a minute, and by what its unpaid orders are worth together. The last is read
 * before the order is written, so orders of the same moment may exceed it together.
 */
import { and, eq, sql } from 'drizzle-orm';
import { type Asset, allAssets } from '../catalog/assets.ts';
import { isSent, receivedAssets } from '../catalog/settings.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { isRefusal, logRefusal } from '../http/refusal.ts';
import type { Refusal } from '../http/refusals.ts';
import { requestIdOf } from '../http/request-id.ts';
import { decimal } from '../money/decimal.ts';
import { orders } from '../orders/table.ts';
import { spendAnonymous } from '../partners/gate/anonymous.ts';
import { type OrderPageSettings, openedOrderPage } from '../partners/order-page.ts';
import { WIDGET_KEY } from '../partners/partner.ts';
import { findPartner } from '../partners/store.ts';
import { brandOf } from '../payer/order.ts';
import { databaseOf } from '../platform/d1/database.ts';
import type { Endpoint } from '../ports/endpoint.ts';
import type { ApiEnv } from '../ports/env.ts';
import type { AdmittedPartner } from '../ports/gates.ts';
import type { WidgetAnswer, WidgetAsked, WidgetProblem, WidgetQuote } from '../ports/widget.ts';
import { readMarket } from '../pricing/market-reader.ts';
import { callOf } from './serve.ts';

/** The weight that a view and an order cost a client network, of its budget in a minute. */
const NETWORK = 'widget';
const PER_MINUTE = 600;
const VIEW = { weight: 1, perMinute: PER_MINUTE };
const ORDER = { weight: 100, perMinute: PER_MINUTE };
/** Orders of one widget in a minute, from all networks together. */
const ORDERS = { weight: 1, perMinute: 30 };

/** As the desk has it of one request. */
export interface Visited {
	readonly env: ApiEnv;
	readonly request: Request;
	readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
	readonly surface: readonly Endpoint[];
}

/** The widget; with a quote where one is asked for, and an order where addresses are given too. */
export async function showWidget(visited: Visited, partnerId: string, asked: WidgetAsked): Promise<WidgetAnswer> {
	const { env, request, ctx } = visited;
	const gates = { anonymous: env.ANONYMOUS_GATE, background: (work: Promise<unknown>) => ctx.waitUntil(work) };
	const spend = (bucket: string, address: string | null, spent: typeof VIEW) =>
		spendAnonymous(gates, bucket, address, { spent });
	const address = request.headers.get('cf-connecting-ip');
	const wait = await spend(NETWORK, address, asked.order ? ORDER : VIEW);
	if (wait !== null) return { is: 'too many', retryAfterSeconds: wait };
	const settings = await settingsOf(env, partnerId);
	if (!settings || settings.widgetBps === null) return { is: 'none' };
	const market = await readMarket(env, Date.now(), gates.background);
	const shown = {
		is: 'shown',
		brand: brandOf(settings, env.SUPPORT_CONTACT || null),
		frameOrigins: settings.frameOrigins,
		receives: market ? receivedAssets(market.settings).map(codeOf) : [],
		sends: market
			? allAssets()
					.filter((asset) => isSent(market.settings, asset))
					.map(codeOf)
			: [],
		...NOTHING,
	} as const;
	if (!asked.amount) return shown;
	const caller = callerOf(partnerId, settings.widgetBps);
	const quote = await call<WidgetQuote>(visited, '/api/v1/price', caller, swapIn(asked));
	if (isRefusal(quote)) return { ...shown, problem: problemOf(quote) };
	const priced = { ...shown, quote, problem: boundProblem(quote) };
	if (!asked.order || priced.problem) return priced;
	const isFull = await holdsMore(env, partnerId, settings, quote);
	if (isFull || (await spend(`${NETWORK} ${partnerId}`, null, ORDERS)) !== null) return { ...priced, problem: 'busy' };
	const order = await call<{ id: string; token: string }>(visited, '/api/v1/create', caller, {
		...swapIn(asked),
		...asked.order,
	});
	return isRefusal(order) ? { ...priced, problem: problemOf(order) } : { ...priced, order };
}

const NOTHING = { quote: null, problem: null, order: null } as const;
const codeOf = ({ code }: Asset) => code;
const swapIn = ({ from: fromCcy, to: toCcy, amount }: WidgetAsked) => {
	return { type: 'float', direction: 'from', fromCcy, toCcy, amount };
};

/** Null where there is no such partner, or the operator has switched them off. */
async function settingsOf(env: ApiEnv, partnerId: string): Promise<OrderPageSettings | null> {
	const partner = await findPartner(databaseOf(env), partnerId);
	if (!partner?.enabled) return null;
	const stored = { ...partner, partnerId };
	return openedOrderPage(keyRing(env, 'SEAL_KEY'), stored, env.WEBHOOK_LOOPBACK === 'allowed');
}

/** `secretsVersion`: nothing that it may call reads it. */
const callerOf = (id: string, defaultAfftaxBps: number): AdmittedPartner => ({
	id,
	defaultAfftaxBps,
	referenceCode: null,
	secretsVersion: '',
	key: { id: WIDGET_KEY, kind: 'app' },
});

/** An endpoint, with none of the headers that the reader's browser sent. */
async function call<Data>(
	{ env, request, ctx, surface }: Visited,
	path: '/api/v1/price' | '/api/v1/create',
	partner: AdmittedPartner,
	body: object,
): Promise<Data | Refusal> {
	const endpoint = surface.find((one) => one.path === path);
	if (!endpoint || endpoint.auth === 'none') throw new TypeError(`no endpoint ${path} that a partner calls`);
	const caller = { env, headers: new Headers(), url: new URL(path, request.url).href, ctx };
	const given = await endpoint.answer(callOf(caller, new TextEncoder().encode(JSON.stringify(body)), partner));
	if (!isRefusal(given)) return JSON.parse(given.dataJson);
	logRefusal(given, { requestId: requestIdOf(request), path: `widget ${path}` });
	return given;
}

/** Would this order take the widget's unpaid ones above what the partner set? */
async function holdsMore(env: ApiEnv, partnerId: string, { widgetUsd }: OrderPageSettings, { from }: WidgetQuote) {
	const [held] = await databaseOf(env)
		.select({ cents: sql<number>`coalesce(sum(${orders.usdCents}), 0)` })
		.from(orders)
		// Literal, because SQLite uses a partial index only for its own words.
		.where(and(eq(orders.partnerId, partnerId), sql`status = 'NEW' and app_key = 'widget'`));
	return decimal(from.usd)
		.times('100')
		.plus(String(held?.cents ?? 0))
		.gt(String(widgetUsd * 100));
}

function boundProblem({ from }: WidgetQuote): WidgetProblem | null {
	if (decimal(from.amount).lt(from.min)) return 'below';
	return decimal(from.amount).gt(from.max) ? 'above' : null;
}

function problemOf(refusal: Refusal): WidgetProblem {
	if ('field' in refusal && (refusal.field === 'toAddress' || refusal.field === 'refundAddress')) return refusal.field;
	switch (refusal.kind) {
		case 'address-pay-in':
			return 'toAddress';
		case 'amount-below-minimum':
		case 'payout-not-positive':
			return 'below';
		case 'amount-above-maximum':
			return 'above';
		case 'daily-cap':
		case 'unpaid-share':
			return 'busy';
		case 'amount-invalid':
		case 'body-invalid':
			return 'amount';
		default:
			return 'closed';
	}
}
