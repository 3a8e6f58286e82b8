/** The cabinet over HTTP, as a browser would use it: cookies, forms, and a passkey in software. */
import { randomInt } from 'node:crypto';
import { Authenticator, type Bent } from './authenticator.ts';
import type { TestService } from './service.ts';

/** Passkeys belong to a host name, which an IP address has not. */
export const cabinetUrl = ({ url }: Pick<TestService, 'url'>): string => url.replace('127.0.0.1', 'localhost');

export interface Page {
	readonly status: number;
	readonly text: string;
	readonly headers: Headers;
	/** Where it leads, without the host. */
	readonly location: string | null;
}

/** Of a /48 that was drawn: several files use one service at once. */
function freshAddress(): string {
	const group = (): string => randomInt(0x10000).toString(16);
	return `2001:${group()}:${group()}::1`;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

export class CabinetVisitor {
	readonly #service: Pick<TestService, 'url' | 'operator'>;
	readonly passkey: Authenticator;
	cookie = '';
	/** Of a network of their own: each can sign in so often in a minute. */
	address = freshAddress();
	/** As the newest page with a form had it. */
	formToken = '';

	constructor(service: Pick<TestService, 'url' | 'operator'>, passkey?: Authenticator) {
		this.#service = service;
		this.passkey = passkey ?? new Authenticator(cabinetUrl(service));
	}

	async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
		return this.#page(await fetch(cabinetUrl(this.#service) + path, this.#init({ headers })));
	}

	/** `headers`: instead of those that a browser sends from a page of the site. */
	async post(path: string, fields: Fields = {}, headers?: Readonly<Record<string, string>>): Promise<Page> {
		const body = new URLSearchParams();
		for (const [name, values] of Object.entries({ form: this.formToken, ...fields }))
			for (const value of [values].flat()) body.append(name, value);
		const sent = headers ?? { 'sec-fetch-site': 'same-origin', origin: 'null' };
		return this.#page(
			await fetch(cabinetUrl(this.#service) + path, this.#init({ method: 'POST', body, headers: sent })),
		);
	}

	/** As `post`, of a form that sends a file in its field `file`. */
	async upload(path: string, fields: Readonly<Record<string, string>>, file: Uint8Array<ArrayBuffer>): Promise<Page> {
		const body = new FormData();
		for (const [name, value] of Object.entries({ form: this.formToken, ...fields })) body.append(name, value);
		body.append('file', new File([file], 'logo.png', { type: 'image/png' }));
		const headers = { 'sec-fetch-site': 'same-origin', origin: 'null' };
		return this.#page(await fetch(cabinetUrl(this.#service) + path, this.#init({ method: 'POST', body, headers })));
	}

	/** What a passkey is asked to do. */
	async options(path: string, fields: Fields = {}): Promise<{ challenge: string; user?: { id: string } }> {
		const { status, text } = await this.post(`${path}/options`, fields);
		if (status !== 200) throw new Error(`${path}/options: ${status} ${text}`);
		return JSON.parse(text);
	}

	/** The token of a new invitation. */
	async invited(partnerId: string, more: object = {}): Promise<string> {
		const { link } = await this.#service.operator<{ link: string }>('partner/invite', { id: partnerId, ...more });
		return link.slice(link.indexOf('#') + 1);
	}

	async accept(token: string, bent: Bent = {}, label = 'Phone'): Promise<Page> {
		const answer = this.passkey.create(await this.options('/cabinet/invitation', { token }), bent);
		return this.post('/cabinet/invitation', { token, label, answer });
	}

	async signIn(bent: Bent = {}): Promise<Page> {
		const answer = this.passkey.get(await this.options('/cabinet/sign-in'), bent);
		return this.post('/cabinet/sign-in', { answer });
	}

	/** A form that is confirmed by the passkey. */
	async confirmed(path: string, confirms: string, fields: Fields = {}): Promise<Page> {
		const answer = this.passkey.get(await this.options('/cabinet/confirm', { ...fields, confirms }));
		return this.post(path, { ...fields, confirms, answer });
	}

	/** By an invitation, and with the token of its forms. */
	async enter(partnerId: string): Promise<this> {
		const { status, text } = await this.accept(await this.invited(partnerId));
		if (status !== 303) throw new Error(`invitation: ${status} ${text}`);
		await this.get('/cabinet');
		return this;
	}

	#init(init: RequestInit): RequestInit {
		const headers = { 'cf-connecting-ip': this.address, ...init.headers, ...(this.cookie && { cookie: this.cookie }) };
		return { ...init, headers, redirect: 'manual' };
	}

	async #page(response: Response): Promise<Page> {
		const text = await response.text();
		const [cookie] = response.headers.getSetCookie();
		if (cookie) this.cookie = cookie.split(';')[0] ?? '';
		const form = /name="form" value="([0-9a-f]{64})"/.exec(text)?.[1];
		if (form) this.formToken = form;
		return { status: response.status, text, headers: response.headers, location: response.headers.get('location') };
	}
}
