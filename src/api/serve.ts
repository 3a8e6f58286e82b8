/**
 * Answers a call to an endpoint: reads the body's bytes once, admits the call, runs the endpoint, and puts its answer
 * into the envelope.
 */
import { TrieRouter } from 'hono/router/trie-router';
import { Hono } from 'hono/tiny';
import type { NetworkName } from '../catalog/networks.ts';
import { isAddressOn, isSameAddressOn } from '../chains/addresses.ts';
import { networkMode, sandboxVisitors } from '../chains/configuration.ts';
import { ConfigurationError, keyRing } from '../crypto/key-ring.ts';
import { readBody } from '../http/body.ts';
import {
	codeOf,
	isRefusal,
	logRefusal,
	reasonHeader,
	refusalResponse,
	successHeaders,
	successResponse,
} from '../http/refusal.ts';
import { budgetHeaders, type HeaderFields, type Refusal } from '../http/refusals.ts';
import { REQUEST_ID, requestIdOf } from '../http/request-id.ts';
import { apiKeyKeys } from '../partners/api-key.ts';
import { admit, type Gates, isSigned } from '../partners/gate/admission.ts';
import { readApiSecret } from '../partners/secrets.ts';
import { askedAnswer } from '../partners/visitors.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { log, logError } from '../platform/log.ts';
import { areMetricsOn, metric } from '../platform/metrics/metric.ts';
import { objectNamed } from '../platform/region.ts';
import { inSpan } from '../platform/span.ts';
import type {
	AdmittedEndpoint,
	Answer,
	Attention,
	Call,
	Endpoint,
	OpenEndpoint,
	SentDocument,
} from '../ports/endpoint.ts';
import type { ApiEnv, Env } from '../ports/env.ts';
import type { AdmittedPartner } from '../ports/gates.ts';
import { readMarket } from '../pricing/market-reader.ts';
import { visitUsedUp } from './visits.ts';

export type HonoEnv = { Bindings: ApiEnv };

/** With one router of Hono's three: calls as the contract has them need none, and the others are a KiB of the bundle. */
export function newApp(): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.router = new TrieRouter();
	return app;
}

/** The request, its environment and its address: a part of Hono's context. */
export interface Asked {
	readonly req: { readonly raw: Request; readonly path: string };
	readonly env: ApiEnv;
	readonly executionCtx: Pick<ExecutionContext, 'waitUntil'>;
}

/** The headers of every answer of a path, beside its own headers. */
export interface PathHeaders {
	readonly always: HeaderFields;
	readonly ofSuccess: Headers;
}

export const pathHeaders = (always: HeaderFields): PathHeaders => ({ always, ofSuccess: successHeaders(always) });

/** Without a promise where nothing has to be waited for. @throws what the endpoint throws */
export function serveDocument(c: Asked, endpoint: OpenEndpoint): Response | Promise<Response> {
	const now = Date.now();
	const background = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
	const sent = ({ status, headers, body }: SentDocument) => {
		measure(endpoint, String(status), now);
		const response = new Response(body, { status, headers });
		response.headers.set(REQUEST_ID, crypto.randomUUID());
		return response;
	};
	const document = endpoint.respond({ env: c.env, headers: c.req.raw.headers, url: c.req.raw.url, now, background });
	return document instanceof Promise ? document.then(sent) : sent(document);
}

/** @throws what the endpoint throws */
export async function serve(c: Asked, endpoint: AdmittedEndpoint, { always, ofSuccess }: PathHeaders) {
	const startedAt = Date.now();
	const { env, executionCtx: ctx } = c;
	const { headers } = c.req.raw;
	const background = (work: Promise<unknown>) => ctx.waitUntil(work);
	try {
		const reading = readBody(c.req.raw, isSigned(headers));
		const gates = importedApiKeyKeys ? gatesWith(importedApiKeyKeys, env, background) : await gatesOf(env, background);
		const partner = isRefusal(gates) ? gates : await admit(gates, endpoint, headers, reading);
		// We read the whole body before we answer.
		const { bytes: body, refusal } = await reading;
		const stopped = env.SANDBOX_VISITORS && partner ? await ofSandbox(env, endpoint, headers, partner) : null;
		const given: Answer = isRefusal(partner)
			? partner
			: (refusal ??
				stopped ??
				(await endpoint.answer(callOf({ env, headers, ctx, url: c.req.raw.url }, body, partner))));
		measure(endpoint, isRefusal(given) ? String(codeOf(given)) : '0', startedAt);
		// The gate has told the budget with its verdict: it costs no call of its own.
		const budget = !isRefusal(partner) && partner?.budget ? budgetHeaders(partner.budget) : {};
		if (isRefusal(given)) return refused(c, given, { ...always, ...budget });
		const response = successResponse(given.dataJson, ofSuccess);
		response.headers.set(REQUEST_ID, crypto.randomUUID());
		for (const [name, value] of Object.entries(budget)) response.headers.set(name, value);
		return response;
	} catch (error) {
		measure(endpoint, '99', startedAt);
		throw error;
	}
}

/** A public sandbox answers what is asked for, and no more than a visitor may have. */
async function ofSandbox(
	env: ApiEnv,
	endpoint: AdmittedEndpoint,
	headers: Headers,
	partner: AdmittedPartner | Refusal,
): Promise<Refusal | null> {
	if (isRefusal(partner) || sandboxVisitors(env) === 0) return null;
	return askedAnswer(headers) ?? visitUsedUp(databaseOf(env), endpoint, partner.id);
}

/** `code`: the contract's, of a document its HTTP status. */
function measure({ id }: Endpoint, code: string, startedAt: number): void {
	if (areMetricsOn()) metric('call', { endpoint: id, code }, { milliseconds: Date.now() - startedAt });
}

interface Caller {
	readonly env: ApiEnv;
	readonly headers: Headers;
	readonly url: string;
	readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
}

/** `partner`: admitted, or null for an anonymous caller. */
export function callOf({ env, headers, url, ctx }: Caller, body: Uint8Array, partner: Call['partner']): Call {
	const now = Date.now();
	const background = (work: Promise<unknown>) => ctx.waitUntil(work);
	return {
		env,
		body,
		headers,
		url,
		partner,
		now,
		background,
		isAddress: (network, text) => isAddressOn(env, network, text),
		isSameAddress: isSameAddressOn,
		recipientProblem: ({ code, network }, to) =>
			networkMode(env, network)?.on === 'nodes'
				? objectNamed(env, env.CHAIN_AGENT, network).recipientProblem(code, to)
				: null,
		market: () => inSpan('quote', () => readMarket(env, now, background)),
		attend: (network, why) => attend(env, { network, why, now }, background),
		sandbox: env.SANDBOX_VISITORS && sandboxVisitors(env) > 0 ? env.OPERATOR : null,
		wakeAgent: (network) => background(objectNamed(env, env.CHAIN_AGENT, network).wake(network)),
	};
}

const TOLD_MILLISECONDS = 10_000;
/** So long the agent keeps the pace, whatever becomes of the order of which it was told: it is not told of the next ones. */
const KEPT_MILLISECONDS = { order: 2 * TOLD_MILLISECONDS, quote: 0 } as const satisfies Record<Attention, number>;
/** When this isolate told an agent last. */
const toldAt = new Map<`${Attention} ${NetworkName}`, number>();

interface Wanted {
	readonly network: NetworkName;
	readonly why: Attention;
	readonly now: number;
}

/** Tells an agent now and then, not with each call. Where it cannot be told, its next poll finds the order, at the latest after a minute. */
function attend(env: Env, { network, why, now }: Wanted, background: Call['background']): void {
	const key = `${why} ${network}` as const;
	if (now - (toldAt.get(key) ?? 0) < TOLD_MILLISECONDS) return;
	toldAt.set(key, now);
	const told = objectNamed(env, env.CHAIN_AGENT, network).attend(network, KEPT_MILLISECONDS[why]);
	background(
		told.catch((error) => {
			toldAt.delete(key);
			logError('agent_not_woken', error, { network });
		}),
	);
}

/** `headers`: beside those of the refusal. */
export function refused(c: Asked, refusal: Refusal, headers: HeaderFields = {}): Response {
	const requestId = requestIdOf(c.req.raw);
	logRefusal(refusal, { requestId, path: c.req.path });
	const { env } = c;
	const said = env.SANDBOX_VISITORS && sandboxVisitors(env) > 0 ? reasonHeader(refusal) : {};
	return refusalResponse(refusal, { ...headers, ...said, [REQUEST_ID]: requestId });
}

/**
 * The resolved keys, kept for the isolate's life. Their promise is not kept: if the request that created it is
 * cancelled, it may never settle for the others.
 */
let importedApiKeyKeys: readonly CryptoKey[] | null = null;

/**
 * `GET /healthz`, for monitors: `ok`, or 503 while every call is refused because a key is wrong or the agents Worker is not
 * there. It reads no storage and says no more; `exchange doctor` says which it is.
 */
export async function health(env: Env): Promise<Response> {
	return isRefusal(await gatesOf(env, () => undefined))
		? unhealthy()
		: new Response('ok\n', { status: 200, headers: OF_HEALTH });
}

export const unhealthy = () => new Response('configuration wrong\n', { status: 503, headers: OF_HEALTH });

const OF_HEALTH = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

/** A key that is missing or malformed stops every call that needs admission, because none could be completed. */
async function gatesOf(env: Env, background: Gates['background']): Promise<Gates | Refusal> {
	try {
		importedApiKeyKeys ??= await importKeys(env);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		log('configuration_wrong', { problem: error.message });
		return { kind: 'configuration-wrong', problem: error.message };
	}
	return gatesWith(importedApiKeyKeys, env, background);
}

const gatesWith = (apiKeyKeys: readonly CryptoKey[], env: Env, background: Gates['background']): Gates => ({
	apiKeyKeys,
	partners: env.PARTNER_GATE,
	anonymous: env.ANONYMOUS_GATE,
	readSecret: (named) => readApiSecret(databaseOf(env), keyRing(env, 'SECRETS_KEY'), named),
	background,
	REGION: env.REGION,
});

/** @throws ConfigurationError where one of the keys is wrong */
function importKeys(env: Env): Promise<CryptoKey[]> {
	keyRing(env, 'SEAL_KEY');
	keyRing(env, 'SECRETS_KEY');
	return apiKeyKeys(keyRing(env, 'API_KEY_KEY'));
}
