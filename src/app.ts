/**
 * The surface: one table of endpoints, mounted on Hono. What is the same for all of them happens here, once: the
 * body's bytes, admission, envelope, request id, CORS, and the answers to unknown paths and methods.
 */
import { drizzle } from 'drizzle-orm/d1';
import { type Context, Hono } from 'hono';
import { currenciesDocs, pairsDocs } from './catalog/docs.ts';
import { currencies, pairs } from './catalog/routes.ts';
import { isAddressOn, isSameAddressOn } from './chains/registry.ts';
import { ConfigurationError, keyRing } from './crypto/key-ring.ts';
import { publishDocs } from './docs/routes.ts';
import type { AdmittedEndpoint, Answer, Call, Endpoint } from './endpoint.ts';
import type { Env } from './env.ts';
import { readBody } from './http/body.ts';
import { isRefusal, type Refusal, refusalResponse, refuse, successResponse } from './http/refusal.ts';
import { requestIdOf } from './http/request-id.ts';
import { log, logError } from './log.ts';
import { operatorApi } from './operator/api.ts';
import { createDocs, emergencyDocs, orderDocs, qrDocs } from './orders/docs.ts';
import { create, emergency, order, qr } from './orders/routes.ts';
import { apiKeyKeys } from './partners/api-key.ts';
import { createCodeDocs, disableCodeDocs, enableCodeDocs, listCodesDocs, rotateKeysDocs } from './partners/docs.ts';
import { admit, type Gates, isSigned } from './partners/gate/admission.ts';
import { createCode, disableCode, enableCode, listCodes, rotateKeys } from './partners/routes.ts';
import { readApiSecret } from './partners/secrets.ts';
import { floatRatesDocs, priceDocs, ratesDocs } from './pricing/docs.ts';
import { readMarket } from './pricing/market-reader.ts';
import { price, rates } from './pricing/routes.ts';

export const SURFACE: readonly Endpoint[] = [
	{ method: 'POST', path: '/api/v1/currencies', auth: 'optional', weight: 1, handle: currencies, docs: currenciesDocs },
	{ method: 'POST', path: '/api/v1/pairs', auth: 'optional', weight: 1, handle: pairs, docs: pairsDocs },
	{ method: 'POST', path: '/api/v1/price', auth: 'optional', weight: 1, handle: price, docs: priceDocs },
	{ method: 'POST', path: '/api/v1/create', auth: 'required', weight: 50, handle: create, docs: createDocs },
	{ method: 'POST', path: '/api/v1/order', auth: 'required', weight: 1, handle: order, docs: orderDocs },
	{ method: 'POST', path: '/api/v1/emergency', auth: 'required', weight: 1, handle: emergency, docs: emergencyDocs },
	{ method: 'POST', path: '/api/v1/qr', auth: 'required', weight: 5, handle: qr, docs: qrDocs },
	{ method: 'POST', path: '/api/v1/codes', auth: 'required', weight: 1, handle: createCode, docs: createCodeDocs },
	{ method: 'GET', path: '/api/v1/codes', auth: 'required', weight: 1, handle: listCodes, docs: listCodesDocs },
	{ method: 'DELETE', path: '/api/v1/codes', auth: 'required', weight: 1, handle: disableCode, docs: disableCodeDocs },
	{
		method: 'POST',
		path: '/api/v1/codes/enable',
		auth: 'required',
		weight: 1,
		handle: enableCode,
		docs: enableCodeDocs,
	},
	{
		method: 'POST',
		path: '/api/v1/keys/rotate',
		auth: 'required',
		weight: 1,
		handle: rotateKeys,
		docs: rotateKeysDocs,
	},
	{ method: 'GET', path: '/api/rates.xml', auth: 'none', weight: 0, handle: rates, docs: ratesDocs },
	{ method: 'GET', path: '/rates/float.xml', auth: 'none', weight: 0, handle: rates, docs: floatRatesDocs },
];

type HonoEnv = { Bindings: Env };

/**
 * The resolved keys, the same for as long as the isolate lives. Not its promise: one that a caller left behind who went
 * away might never settle for the others.
 */
let importedApiKeyKeys: readonly CryptoKey[] | null = null;

/** A key that is missing or malformed stops every admitted call: none could be answered to the end. */
async function gatesOf(env: Env): Promise<Gates | Refusal> {
	try {
		importedApiKeyKeys ??= await importKeys(env);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		log('configuration_wrong', { problem: error.message });
		return refuse('UPSTREAM_ERROR', error.message);
	}
	const readSecret = (partnerId: string) => readApiSecret(drizzle(env.DB), keyRing(env, 'SECRETS_KEY'), partnerId);
	return { apiKeyKeys: importedApiKeyKeys, partners: env.PARTNER_GATE, anonymous: env.ANONYMOUS_GATE, readSecret };
}

/** @throws ConfigurationError, whichever of the keys is wrong */
function importKeys(env: Env): Promise<CryptoKey[]> {
	keyRing(env, 'SEAL_KEY');
	keyRing(env, 'SECRETS_KEY');
	return apiKeyKeys(keyRing(env, 'API_KEY_KEY'));
}

async function serve(c: Context<HonoEnv>, endpoint: Endpoint): Promise<Response> {
	const { env } = c;
	const headers = c.req.raw.headers;
	const background = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
	if (endpoint.auth === 'none') return endpoint.handle({ env, headers, now: Date.now(), background });
	const { bytes: body, refusal } = await readBody(c.req.raw, isSigned(headers));
	const gates = await gatesOf(env);
	if (isRefusal(gates)) return refused(c, gates);
	const partner = await admit(gates, endpoint, headers, body);
	if (isRefusal(partner)) return refused(c, partner);
	if (body === null || refusal) return refused(c, refusal ?? refuse('INTERNAL', 'a body that was not read'));
	const now = Date.now();
	const market = () => readMarket(env, now, background);
	const isAddress: Call['isAddress'] = (network, text) => isAddressOn(env, network, text);
	const kick: Call['kick'] = (network) => background(env.CHAIN_AGENT.getByName(network).wake(network));
	const call: Call = {
		...{ env, body, headers, partner, now, isAddress, market, kick, background },
		isSameAddress: isSameAddressOn,
	};
	const given = await answerOf(endpoint, call);
	return isRefusal(given) ? refused(c, given) : successResponse(given.dataJson);
}

function answerOf(endpoint: AdmittedEndpoint, call: Call): Promise<Answer> {
	if (endpoint.auth === 'optional') return endpoint.handle(call);
	if (!call.partner) throw new TypeError(`an anonymous call reached ${endpoint.path}`);
	return endpoint.handle({ ...call, partner: call.partner });
}

function refused(c: Context<HonoEnv>, refusal: Refusal): Response {
	log('refused', {
		requestId: requestIdOf(c.req.raw),
		path: c.req.path,
		refused: refusal.refused,
		reason: refusal.reason,
	});
	return refusalResponse(refusal);
}

const CORS = { 'access-control-allow-origin': '*' };
/** Without this a page's script reads neither when to come back nor what to quote to the operator. */
const EXPOSED = 'Retry-After, X-Request-Id, ETag';

const preflight = (methods: readonly string[]): Record<string, string> => ({
	...CORS,
	'access-control-allow-methods': methods.join(', '),
	'access-control-allow-headers': 'content-type, if-none-match',
});

/** What browsers may call from any page: the unsigned endpoints and the feeds, their refusals included. */
function forBrowsers(response: Response): Response {
	response.headers.set('access-control-allow-origin', CORS['access-control-allow-origin']);
	response.headers.set('access-control-expose-headers', EXPOSED);
	return response;
}

/**
 * No middleware anywhere on the surface: Hono then calls the one handler of a path directly, and an answer's headers
 * are written once, where it is made.
 */
export function createApp(): (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response> {
	const app = createRouter();
	return async (request, env, ctx) => {
		const response = await app.fetch(request, env, ctx);
		response.headers.set('x-request-id', requestIdOf(request));
		return response;
	};
}

function createRouter(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	for (const path of new Set(SURFACE.map((endpoint) => endpoint.path))) mountPath(app, path);
	publishDocs(app, SURFACE);
	app.route('/operator/v1', operatorApi());
	app.notFound((c) => refused(c, refuse('NOT_FOUND', 'unknown path')));
	app.onError((error, c) => {
		logError('request_failed', error, { requestId: requestIdOf(c.req.raw), path: c.req.path });
		return refusalResponse(refuse('INTERNAL', 'unexpected'));
	});
	return app;
}

/**
 * All methods of one path in one handler, so that Hono has nothing to compose: its endpoints, the preflight where
 * browsers may call it, and 405 for the rest.
 */
function mountPath(app: Hono<HonoEnv>, path: string): void {
	const endpoints = SURFACE.filter((endpoint) => endpoint.path === path);
	// Hono answers HEAD as GET without the body.
	const methodsOf = ({ method }: Endpoint): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method]);
	const byMethod = new Map(
		endpoints.flatMap((endpoint) => methodsOf(endpoint).map((method): [string, Endpoint] => [method, endpoint])),
	);
	const methods = [...byMethod.keys()];
	const open = endpoints.some(({ auth }) => auth !== 'required');
	const shown = open ? forBrowsers : (response: Response) => response;
	const allow = [...methods, ...(open ? ['OPTIONS'] : [])].join(', ');
	app.all(path, async (c) => {
		const endpoint = byMethod.get(c.req.method);
		if (endpoint) return shown(await serve(c, endpoint));
		if (open && c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight(methods) });
		return shown(refused(c, refuse('INVALID_REQUEST', 'wrong method', { status: 405, headers: { allow } })));
	});
}
