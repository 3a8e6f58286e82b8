/**
 * Answers a call to an endpoint: reads the body's bytes once, admits the call, runs the endpoint, and puts its answer
 * into the envelope.
 */
import { drizzle } from 'drizzle-orm/d1';
import type { Context } from 'hono';
import { isAddressOn, isSameAddressOn } from './chains/registry.ts';
import { ConfigurationError, keyRing } from './crypto/key-ring.ts';
import type { AdmittedEndpoint, Call, Endpoint } from './endpoint.ts';
import type { Env } from './env.ts';
import { readBody } from './http/body.ts';
import { isRefusal, logRefusal, refusalResponse, successResponse } from './http/refusal.ts';
import type { Refusal } from './http/refusals.ts';
import { requestIdOf } from './http/request-id.ts';
import { log } from './log.ts';
import { apiKeyKeys } from './partners/api-key.ts';
import { admit, type Gates, isSigned } from './partners/gate/admission.ts';
import { readApiSecret } from './partners/secrets.ts';
import { readMarket } from './pricing/market-reader.ts';
import { objectNamed } from './region.ts';

export type HonoEnv = { Bindings: Env };

export function serve(c: Context<HonoEnv>, endpoint: Endpoint): Promise<Response> {
	if (endpoint.auth !== 'none') return serveAdmitted(c, endpoint);
	const background = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
	return endpoint.respond({ env: c.env, headers: c.req.raw.headers, now: Date.now(), background });
}

async function serveAdmitted(c: Context<HonoEnv>, endpoint: AdmittedEndpoint): Promise<Response> {
	const headers = c.req.raw.headers;
	const { bytes: body, refusal } = await readBody(c.req.raw, isSigned(headers));
	const gates = await gatesOf(c.env);
	if (isRefusal(gates)) return refused(c, gates);
	const partner = await admit(gates, endpoint, headers, body);
	if (isRefusal(partner)) return refused(c, partner);
	if (refusal) return refused(c, refusal);
	const given = await endpoint.answer(callOf(c, body, partner));
	return isRefusal(given) ? refused(c, given) : successResponse(given.dataJson);
}

function callOf({ env, req, executionCtx }: Context<HonoEnv>, body: Uint8Array, partner: Call['partner']): Call {
	const now = Date.now();
	const background = (work: Promise<unknown>) => executionCtx.waitUntil(work);
	return {
		...{ env, body, headers: req.raw.headers, partner, now, background },
		isAddress: (network, text) => isAddressOn(env, network, text),
		isSameAddress: isSameAddressOn,
		market: () => readMarket(env, now, background),
		wakeAgent: (network) => background(objectNamed(env, env.CHAIN_AGENT, network).wake(network)),
	};
}

export function refused(c: Context<HonoEnv>, refusal: Refusal): Response {
	logRefusal(refusal, { requestId: requestIdOf(c.req.raw), path: c.req.path });
	return refusalResponse(refusal);
}

/**
 * The resolved keys, kept for the isolate's life. Their promise is not kept: if the request that created it is
 * cancelled, it may never settle for the others.
 */
let importedApiKeyKeys: readonly CryptoKey[] | null = null;

/** A key that is missing or malformed stops every call that needs admission, because none could be completed. */
async function gatesOf(env: Env): Promise<Gates | Refusal> {
	try {
		importedApiKeyKeys ??= await importKeys(env);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		log('configuration_wrong', { problem: error.message });
		return { kind: 'configuration-wrong', problem: error.message };
	}
	const readSecret = (partnerId: string) => readApiSecret(drizzle(env.DB), keyRing(env, 'SECRETS_KEY'), partnerId);
	return {
		apiKeyKeys: importedApiKeyKeys,
		partners: env.PARTNER_GATE,
		anonymous: env.ANONYMOUS_GATE,
		readSecret,
		REGION: env.REGION,
	};
}

/** @throws ConfigurationError where one of the keys is wrong */
function importKeys(env: Env): Promise<CryptoKey[]> {
	keyRing(env, 'SEAL_KEY');
	keyRing(env, 'SECRETS_KEY');
	return apiKeyKeys(keyRing(env, 'API_KEY_KEY'));
}
