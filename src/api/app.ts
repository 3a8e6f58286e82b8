/**
 * The surface: the list of endpoints, mounted on Hono. Here is also what all paths share: the preflight for browsers,
 * the request id, and the answers to unknown paths and methods.
 */
import type { Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { assets } from '../catalog/endpoints/assets.ts';
import { currencies } from '../catalog/endpoints/currencies.ts';
import { pairs } from '../catalog/endpoints/pairs.ts';
import { validateAddress } from '../catalog/endpoints/validate-address.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { publishDocument } from '../docs/routes.ts';
import { FOR_BROWSERS, ORIGIN } from '../http/for-browsers.ts';
import { refusalResponse } from '../http/refusal.ts';
import { REQUEST_ID, requestIdOf } from '../http/request-id.ts';
import { noteIncident } from '../incidents/store.ts';
import { create } from '../orders/endpoints/create.ts';
import { emergency } from '../orders/endpoints/emergency.ts';
import { order } from '../orders/endpoints/order.ts';
import { listOrders } from '../orders/endpoints/orders.ts';
import { qr } from '../orders/endpoints/qr.ts';
import { playSandbox } from '../orders/endpoints/sandbox-deposit.ts';
import { status } from '../orders/endpoints/status.ts';
import { createCode, disableCode, enableCode, listCodes } from '../partners/endpoints/codes.ts';
import { createKey, listKeys, revokeKey } from '../partners/endpoints/keys.ts';
import { rotateKeys } from '../partners/endpoints/rotate-keys.ts';
import { openVisit } from '../partners/endpoints/sandbox-keys.ts';
import { answerUnchanged } from '../payer/poll.ts';
import { log, logError } from '../platform/log.ts';
import type { Desk } from '../ports/desk.ts';
import type { Endpoint } from '../ports/endpoint.ts';
import type { ApiEnv, OwnApiEnv } from '../ports/env.ts';
import { bestChangeRates, fixedFloatRates, plainRates } from '../pricing/endpoints/dialects.ts';
import { limits } from '../pricing/endpoints/limits.ts';
import { price } from '../pricing/endpoints/price.ts';
import { floatRates, rates } from '../pricing/endpoints/rates.ts';
import { earnings } from '../treasury/endpoints/earnings.ts';
import { listDeliveries } from '../webhooks/endpoints/deliveries.ts';
import { endpointCalls } from '../webhooks/endpoints/endpoints.ts';
import { redeliverWebhook } from '../webhooks/endpoints/redeliver.ts';
import { testWebhook } from '../webhooks/endpoints/test-webhook.ts';
import type { Served } from './desk.ts';
import { type Answering, knowingNetworks } from './knowing-networks.ts';
import { operatorApi } from './operate.ts';
import { promiseKeys } from './promise-keys.ts';
import { type Asked, type HonoEnv, health, newApp, pathHeaders, refused, serve, serveDocument } from './serve.ts';
import { overHttps, PAGE_PATHS, SHARED_PATHS, showShared, withService } from './shown-pages.ts';

/** Every endpoint, in the reference's order. */
export const SURFACE: readonly Endpoint[] = [
	currencies,
	pairs,
	assets,
	price,
	limits,
	create,
	order,
	status,
	listOrders,
	emergency,
	qr,
	validateAddress,
	createCode,
	listCodes,
	disableCode,
	enableCode,
	earnings,
	rotateKeys,
	createKey,
	listKeys,
	revokeKey,
	...endpointCalls,
	testWebhook,
	listDeliveries,
	redeliverWebhook,
	rates,
	floatRates,
	bestChangeRates,
	fixedFloatRates,
	plainRates,
	openVisit,
	playSandbox,
];

/** Answers preflights. Each list is one text: the middleware would join its parts without the blank that is documented. */
const preflight = (methods: readonly string[]) =>
	cors({ origin: ORIGIN, allowMethods: [methods.join(', ')], allowHeaders: ['content-type, if-none-match'] });

/** Makes a request's desk. It is given: what a stub is made of exists only inside a Worker, and this file is read outside. */
type OpenDesk = (env: ApiEnv, request: Request, ctx: ExecutionContext, served: Served) => Desk;

/** Every answer has its request's id, whichever way it was made. Endpoints come first, and make theirs with it. */
export function createApp(
	openDesk: OpenDesk,
): (request: Request, own: OwnApiEnv, ctx: ExecutionContext) => Response | Promise<Response> {
	const app = newApp();
	const exact = new Map<string, Answering>();
	for (const path of new Set(SURFACE.map((endpoint) => endpoint.path))) mountPath(app, exact, path);
	// Made for the first that asks: calls of partners and payers need none of it.
	let rest: Hono<HonoEnv> | null = null;
	app.notFound(async ({ req: { raw }, env, executionCtx }) => {
		rest ??= createRest(openDesk);
		return identified(raw, await rest.fetch(raw, env, executionCtx));
	});
	app.onError(failed);
	const answer: Answering = (asked) => {
		const { req, env, executionCtx } = asked;
		const answering = exact.get(`${req.raw.method} ${req.path}`);
		return answering ? sendExact(asked, answering) : app.fetch(req.raw, env, executionCtx as ExecutionContext);
	};
	return (request, own, ctx) => {
		const req = { raw: request, path: request.url.slice(request.url.indexOf('/', SCHEME.length)) };
		return knowingNetworks({ req, env: own, executionCtx: ctx }, answer, failed);
	};
}

/** The path begins behind it and the host; also behind `http://`, because a host has a letter. */
const SCHEME = 'https://';

/**
 * A call that is written as the contract has it comes before the router, which takes a seventh of what a feed needs beside
 * the runtime. One with a query, another method or another spelling of the path goes through the router.
 */
function sendExact(asked: Asked, answering: Answering): Response | Promise<Response> {
	try {
		const sent = answering(asked);
		return sent instanceof Promise ? sent.catch((error: unknown) => failed(error, asked)) : sent;
	} catch (error) {
		return failed(error, asked);
	}
}

/** Answers for all that is no endpoint. */
function createRest(openDesk: OpenDesk): Hono<HonoEnv> {
	const app = newApp();
	publishDocument(app);
	app.route('/operator/v1', operatorApi());
	app.on(['GET', 'HEAD'], '/healthz', (c) => health(c.env));
	app.get('/.well-known/partner-exchange-keys.json', (c) => promiseKeys(c.env, readerOf(c).background));
	app.get('/o/:id/state', async (c, next) => {
		const id = c.req.param('id').toLowerCase();
		return (await answerUnchanged(readerOf(c), c.req.raw.headers, id)) ?? next();
	});
	app.on(['GET', 'HEAD'], SHARED_PATHS, showShared);
	for (const path of PAGE_PATHS) app.all(path, (c) => showPage(c, openDesk));
	app.notFound((c) => (isForPerson(c) ? showShared(c) : refused(c, { kind: 'unknown-path' })));
	app.onError(failed);
	return app;
}

/** A browser that goes to an address; calls of the API's paths are answered as calls. */
const isForPerson = ({ req }: Context<HonoEnv>): boolean =>
	(req.method === 'GET' || req.method === 'HEAD') &&
	!req.path.startsWith('/api/') &&
	(req.header('accept') ?? '').includes('text/html');

function failed(error: unknown, c: Asked): Response {
	if (error instanceof ConfigurationError) {
		log('configuration_wrong', { problem: error.message });
		return refused(c, { kind: 'configuration-wrong', problem: error.message });
	}
	const requestId = requestIdOf(c.req.raw);
	logError('request_failed', error, { requestId, path: c.req.path });
	c.executionCtx.waitUntil(noteIncident(c.env.DB, 'call-failed', c.req.path, String(error)));
	return refusalResponse({ kind: 'unexpected' }, { [REQUEST_ID]: requestId });
}

function identified(request: Request, response: Response): Response {
	response.headers.set(REQUEST_ID, requestIdOf(request));
	return response;
}

const readerOf = ({ env, executionCtx }: Context<HonoEnv>) => ({
	env,
	background: (work: Promise<unknown>) => executionCtx.waitUntil(work),
});

/** Hands the request to the pages Worker, with a desk for what the page has to ask. */
async function showPage(c: Context<HonoEnv>, openDesk: OpenDesk): Promise<Response> {
	const { env, req } = c;
	const ctx = c.executionCtx as ExecutionContext;
	if (!env.PAGES) return refused(c, { kind: 'unknown-path' });
	return overHttps(
		c,
		await withService(c, await env.PAGES.show(req.raw, openDesk(env, req.raw, ctx, { surface: SURFACE }))),
	);
}

/** All methods of one path: its endpoints, the preflight where browsers may call it, and 405 for the rest. */
function mountPath(app: Hono<HonoEnv>, exact: Map<string, Answering>, path: string): void {
	const endpoints = SURFACE.filter((endpoint) => endpoint.path === path);
	// Hono answers HEAD as GET without the body.
	const methodsOf = ({ method }: Endpoint): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);
	const byMethod = new Map(
		endpoints.flatMap((endpoint) => methodsOf(endpoint).map((method): [string, Endpoint] => [method, endpoint])),
	);
	const methods = [...byMethod.keys()];
	const open = endpoints.some(({ auth }) => auth !== 'required');
	if (open) {
		const answer = preflight(methods);
		app.options(path, async (c, next) => identified(c.req.raw, (await answer(c, next)) ?? c.res));
	}
	const headers = pathHeaders(open ? FOR_BROWSERS : {});
	const allow = [...methods, ...(open ? ['OPTIONS'] : [])].join(', ');
	const answering =
		(endpoint: Endpoint): Answering =>
		(asked) =>
			endpoint.auth === 'none' ? serveDocument(asked, endpoint) : serve(asked, endpoint, headers);
	for (const endpoint of endpoints) exact.set(`${endpoint.method} ${path}`, answering(endpoint));
	app.all(path, (c) => {
		const endpoint = byMethod.get(c.req.method);
		return endpoint ? answering(endpoint)(c) : refused(c, { kind: 'wrong-method', allow }, headers.always);
	});
}
