/**
 * The desk: what a page may ask of this Worker (`pages/desk.ts`). It goes to the pages Worker with a request and ends with
 * it. It has no state.
 */
import { RpcTarget } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { sameDigest, sha256Hex } from './crypto/tokens.ts';
import type { Endpoint } from './endpoint.ts';
import type { Env } from './env.ts';
import { codeOf, isRefusal, logRefusal, messageOf } from './http/refusal.ts';
import type { Refusal } from './http/refusals.ts';
import { requestIdOf } from './http/request-id.ts';
import type { CommandAnswer, Desk, EndpointAnswer, PayerAnswer, PayerFrame } from './pages/desk.ts';
import type { AdmittedPartner } from './partners/partner.ts';
import { secretsVersion } from './partners/secrets.ts';
import { findPartner } from './partners/store.ts';
import { answerPayer, frameOf } from './payer/desk.ts';
import type { Reader } from './payer/read.ts';
import { callOf } from './serve.ts';

/** What the Worker serves, as the desk reaches it. */
export interface Served {
	readonly surface: readonly Endpoint[];
	/** Answers a request as if it came from outside. */
	readonly fetch: (request: Request) => Promise<Response>;
	readonly openApi: () => string;
}

export class PagesDesk extends RpcTarget implements Desk {
	readonly #env: Env;
	readonly #request: Request;
	readonly #ctx: ExecutionContext;
	readonly #served: Served;

	constructor(env: Env, request: Request, ctx: ExecutionContext, served: Served) {
		super();
		this.#env = env;
		this.#request = request;
		this.#ctx = ctx;
		this.#served = served;
	}

	async callAs(partnerId: string, path: string, input: unknown): Promise<EndpointAnswer> {
		const endpoint = this.#served.surface.find((one) => one.path === path);
		if (!endpoint || endpoint.auth === 'none') throw new TypeError(`no endpoint ${path} that a partner calls`);
		const partner = await this.#partner(partnerId);
		const body = new TextEncoder().encode(JSON.stringify(input));
		const caller = { env: this.#env, headers: this.#request.headers, ctx: this.#ctx };
		const given = isRefusal(partner) ? partner : await endpoint.answer(callOf(caller, body, partner));
		if (!isRefusal(given)) return { code: 0, msg: '', data: JSON.parse(given.dataJson) };
		logRefusal(given, { requestId: requestIdOf(this.#request), path });
		return { code: codeOf(given), msg: messageOf(given), data: null };
	}

	async operate(command: string, input: unknown, by: string): Promise<CommandAnswer> {
		const { OPERATOR_TOKEN: token } = this.#env;
		if (!token) return { ok: false, error: 'the operator API is off: OPERATOR_TOKEN is not set' };
		const response = await this.#served.fetch(
			new Request(new URL(`/operator/v1/${command}`, this.#request.url), {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'x-operator': encodeURIComponent(by) },
				body: JSON.stringify(input),
			}),
		);
		return response.json();
	}

	/** Compares digests in constant time, so the time says nothing about the token. */
	async admitsOperator(given: string): Promise<boolean> {
		const { OPERATOR_TOKEN: token, OPERATOR_TOKEN_NEXT: newer } = this.#env;
		if (!token) return false;
		const [digest = '', ...digests] = await Promise.all([given, token, newer || token].map(sha256Hex));
		return digests.map((of) => sameDigest(digest, of)).includes(true);
	}

	async openApi(): Promise<string> {
		return this.#served.openApi();
	}

	async payerFrame(orderId: string): Promise<PayerFrame> {
		return frameOf(this.#reader(), this.#request.headers, orderId);
	}

	async payerOrder(id: string, token: string): Promise<PayerAnswer> {
		return answerPayer(this.#reader(), this.#request.headers, { id, token, exchange: false });
	}

	async payerExchange(id: string, token: string): Promise<PayerAnswer> {
		return answerPayer(this.#reader(), this.#request.headers, { id, token, exchange: true });
	}

	#reader(): Reader {
		return { env: this.#env, background: (work) => this.#ctx.waitUntil(work) };
	}

	async #partner(partnerId: string): Promise<AdmittedPartner | Refusal> {
		const record = await findPartner(drizzle(this.#env.DB), partnerId);
		if (!record) return { kind: 'partner-unknown' };
		if (!record.enabled) return { kind: 'partner-disabled' };
		const { id, afftaxBps: defaultAfftaxBps } = record;
		return { id, defaultAfftaxBps, referenceCode: null, secretsVersion: await secretsVersion(record) };
	}
}
