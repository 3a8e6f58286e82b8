/**
 * The desk: what a page may ask of this Worker (`ports/desk.ts`). It goes to the pages Worker with a request and ends with
 * it. It has no state.
 */
import { RpcTarget } from 'cloudflare:workers';
import type { Sought } from '../archive/find.ts';
import { ownArchived, searchOwn } from '../archive/own.ts';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { site } from '../catalog/table.ts';
import { explorersOf } from '../chains/explorer.ts';
import { ConsoleCaller, signInByToken, signOut } from '../console/caller.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { codeOf, isRefusal, logRefusal, messageOf } from '../http/refusal.ts';
import type { Refusal } from '../http/refusals.ts';
import { requestIdOf } from '../http/request-id.ts';
import { noteBroken, type SealedOrder, unsealedAmong } from '../orders/sealed.ts';
import { spendAnonymous } from '../partners/gate/anonymous.ts';
import { findLogo, takeLogo } from '../partners/logos.ts';
import { secretsVersion, showSecrets } from '../partners/secrets.ts';
import { OPERATOR } from '../partners/sign-in/access.ts';
import { gateOf, isOpen } from '../partners/sign-in/open.ts';
import { type AccessTerms, sealAccess } from '../partners/sign-in/seal.ts';
import { findPartner } from '../partners/store.ts';
import { answerPayer, askRefundForPartner, exchangeForPartner, frameOf } from '../payer/desk.ts';
import { type Reader, showToOperator } from '../payer/read.ts';
import { databaseOf } from '../platform/d1/database.ts';
import type { CommandAnswer, CommandInput, Desk, EndpointAnswer, OwnChange, PayerDeed } from '../ports/desk.ts';
import type { Endpoint } from '../ports/endpoint.ts';
import type { ApiEnv } from '../ports/env.ts';
import type { Access, AdmittedPartner, Ending } from '../ports/gates.ts';
import type { WidgetAsked } from '../ports/widget.ts';
import { readMarket } from '../pricing/market-reader.ts';
import { statusOf } from '../status/now.ts';
import { partnerWaits } from '../webhooks/attention.ts';
import { callOf } from './serve.ts';
import { showWidget } from './widget.ts';

/** The parts that the Worker serves, as the desk reaches it. */
export interface Served {
	readonly surface: readonly Endpoint[];
}

/** A page neither begins nor ends what lets an operator in. */
const NOT_A_PARTNER = 'the console is of no partner';

export class PagesDesk extends RpcTarget implements Desk {
	readonly #env: ApiEnv;
	readonly #request: Request;
	readonly #ctx: ExecutionContext;
	readonly #served: Served;
	readonly #caller: ConsoleCaller;

	constructor(env: ApiEnv, request: Request, ctx: ExecutionContext, served: Served) {
		super();
		this.#env = env;
		this.#request = request;
		this.#ctx = ctx;
		this.#served = served;
		this.#caller = new ConsoleCaller(env, request);
	}

	async callAs(partnerId: string, path: string, input: unknown, method?: string): Promise<EndpointAnswer> {
		const endpoint = this.#served.surface.find(
			(one) => one.path === path && (method === undefined || one.method === method),
		);
		if (!endpoint || endpoint.auth === 'none') throw new TypeError(`no endpoint ${path} that a partner calls`);
		const partner = await this.#partner(partnerId);
		const body = new TextEncoder().encode(JSON.stringify(input));
		const { headers, url } = this.#request;
		const caller = { env: this.#env, headers, url, ctx: this.#ctx };
		const given = isRefusal(partner) ? partner : await endpoint.answer(callOf(caller, body, partner));
		if (!isRefusal(given)) return { code: 0, msg: '', data: JSON.parse(given.dataJson) };
		logRefusal(given, { requestId: requestIdOf(this.#request), path });
		return { code: codeOf(given), msg: messageOf(given), data: null };
	}

	operator() {
		return this.#caller.found();
	}

	async signIn(token: string) {
		const { env, background } = this.#reader();
		return signInByToken(env, this.#request, token, { anonymous: env.ANONYMOUS_GATE, background });
	}

	async signOut(): Promise<string> {
		return signOut(this.#env, this.#request);
	}

	async operate(command: string, input: unknown) {
		const facts = await this.#caller.facts();
		if ('error' in facts) return facts;
		const request = new Request(this.#urlOf(command), { method: 'POST', body: JSON.stringify(input) });
		const response = await this.#env.OPERATOR.answer(request, facts);
		return response.json<CommandAnswer>();
	}

	async operatePages(command: string, input: CommandInput) {
		const facts = await this.#caller.facts();
		if ('error' in facts) return facts;
		return this.#env.OPERATOR.answerPages(this.#urlOf(command), input, facts);
	}

	async payerView(orderId: string) {
		const facts = await this.#caller.facts();
		return 'error' in facts ? null : showToOperator(this.#reader(), orderId);
	}

	async changeOwn(partnerId: string, change: OwnChange) {
		return this.#env.OPERATOR.changeOwn(partnerId, change);
	}

	async waits(partnerId: string) {
		return partnerWaits(databaseOf(this.#env), { partnerId, now: Date.now() });
	}

	async exchangeOwn(partnerId: string, orderId: string): Promise<boolean> {
		return exchangeForPartner(this.#reader(), partnerId, orderId);
	}

	async askRefundOwn(partnerId: string, orderId: string) {
		return askRefundForPartner(this.#reader(), partnerId, orderId);
	}

	async sendAgain(partnerId: string, eventId: string) {
		return this.#env.OPERATOR.sendAgain(partnerId, eventId);
	}

	async unsealed(orders: readonly SealedOrder[]): Promise<readonly string[]> {
		const broken = await unsealedAmong(this.#env, orders);
		if (broken.size > 0) this.#ctx.waitUntil(noteBroken(this.#env, broken));
		return [...broken];
	}

	async archivedOrder(partnerId: string, id: string) {
		return ownArchived(this.#env, partnerId, id);
	}

	async searchArchive(partnerId: string, sought: Sought, below: number | null) {
		return searchOwn(this.#env, partnerId, sought, { networks: NETWORK_NAMES, below });
	}

	async ownSecrets(partnerId: string) {
		const [settings] = await databaseOf(this.#env).select({ showsSecrets: site.showsSecrets }).from(site);
		if (!settings?.showsSecrets) return null;
		return showSecrets(this.#env, partnerId, Date.now());
	}

	async weightUsed(partnerId: string): Promise<number> {
		return gateOf(this.#env, partnerId).weightUsed(partnerId);
	}

	async explorers(): Promise<Readonly<Record<string, string>>> {
		return explorersOf(this.#env);
	}

	async waitOf(path: string): Promise<number | null> {
		const { env, background } = this.#reader();
		return spendAnonymous(
			{ anonymous: env.ANONYMOUS_GATE, background },
			path,
			this.#request.headers.get('cf-connecting-ip'),
		);
	}

	async sealAccess<Kind extends keyof AccessTerms>(kind: Kind, terms: AccessTerms[Kind]): Promise<string> {
		if ('recovers' in terms && terms.recovers) throw new TypeError('the operator alone recovers');
		if ('partnerId' in terms && terms.partnerId === OPERATOR) throw new TypeError(NOT_A_PARTNER);
		return sealAccess(keyRing(this.#env, 'SEAL_KEY'), kind, terms);
	}

	async isOpen<Kind extends keyof AccessTerms>(kind: Kind, terms: AccessTerms[Kind], seal: string): Promise<boolean> {
		return isOpen(this.#env, kind, terms, seal);
	}

	async endAccess(partnerId: string, ending: Ending): Promise<boolean> {
		if (partnerId === OPERATOR) throw new TypeError(NOT_A_PARTNER);
		return gateOf(this.#env, partnerId).endAccess(ending);
	}

	async hasEnded(partnerId: string, asked: readonly Access[]): Promise<boolean[]> {
		return gateOf(this.#env, partnerId).hasEnded(asked);
	}

	async status() {
		const now = Date.now();
		const market = await readMarket(this.#env, now, (work) => this.#ctx.waitUntil(work));
		return market && statusOf(market, now);
	}

	async securityContact(): Promise<string | null> {
		return this.#env.SECURITY_CONTACT || null;
	}

	async payerFrame(orderId: string) {
		return frameOf(this.#reader(), this.#request.headers, orderId);
	}

	async takeLogo(partnerId: string, file: Uint8Array) {
		return takeLogo(databaseOf(this.#env), partnerId, file, Date.now());
	}

	async logo(name: string, partnerId?: string): Promise<Uint8Array | null> {
		return findLogo(databaseOf(this.#env), name, partnerId);
	}

	async widget(partnerId: string, asked: WidgetAsked) {
		return showWidget({ env: this.#env, request: this.#request, ctx: this.#ctx, ...this.#served }, partnerId, asked);
	}

	async payerOrder(id: string, token: string, deed?: PayerDeed) {
		return answerPayer(this.#reader(), this.#request.headers, { id, token, deed });
	}

	#urlOf(command: string): string {
		return new URL(`/operator/v1/${command}`, this.#request.url).href;
	}

	#reader(): Reader {
		return { env: this.#env, background: (work) => this.#ctx.waitUntil(work) };
	}

	async #partner(partnerId: string): Promise<AdmittedPartner | Refusal> {
		const record = await findPartner(databaseOf(this.#env), partnerId);
		if (!record) return { kind: 'partner-unknown' };
		if (!record.enabled) return { kind: 'partner-disabled' };
		const { id, afftaxBps: defaultAfftaxBps } = record;
		return { id, defaultAfftaxBps, referenceCode: null, secretsVersion: await secretsVersion(record) };
	}
}
