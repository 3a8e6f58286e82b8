/** A partner's side of the contract, in the simulated world: signing, and calls whose answers can be lost. */
import type { AskedPersons } from '../../../src/ports/persons.ts';
import { signedHeaders } from '../../cast/signing.ts';
import type { Service } from '../service.ts';
import { OPERATOR_TOKEN } from '../settings.ts';
import type { Owner } from '../world.ts';
import { confirmedBy } from './persons.ts';

/** Nobody outside dies with the service. */
const OUTSIDE: Owner = { alive: true, durableAt: 0, crash: () => undefined };

export interface Answer {
	readonly code: number;
	readonly msg: string;
	readonly data: unknown;
}

export interface Secrets {
	readonly id: string;
	readonly apiKey: string;
	apiSecret: string;
	readonly webhookSecret: string;
}

/** A signed call as it was sent, to be sent again. */
export interface Sent {
	readonly path: string;
	readonly body: string;
	readonly method?: string;
	readonly headers: Readonly<Record<string, string>>;
}

interface Operated<T> {
	readonly ok: boolean;
	readonly data: T;
	readonly error?: string;
	readonly asks?: AskedPersons;
}

interface Fetched {
	readonly text: string;
	readonly retryAfter: string | null;
}

/** Of all signed calls. */
const REPLAYED = 0.03;

export class Client {
	readonly #service: Service;

	constructor(service: Service) {
		this.#service = service;
	}

	sign(secrets: Secrets, path: string, value: unknown, more: Readonly<Record<string, string>> = {}): Sent {
		const { random, now } = this.#service.world;
		const body = JSON.stringify(value);
		const raw = new Uint8Array(12);
		random.bytes(raw);
		const nonce = Buffer.from(raw).toString('hex');
		const headers = signedHeaders(secrets, body, { nonce, timestamp: String(Math.floor(now / 1000)) });
		return { path, body, headers: { ...headers, 'cf-connecting-ip': '203.0.113.7', ...more } };
	}

	/** Some calls come twice, whatever became of the first; the gate must not admit both. @throws where no answer came */
	async send(sent: Sent): Promise<Answer> {
		const isReplayed = this.#service.world.random.chance(REPLAYED);
		try {
			return await this.#sendOnce(sent);
		} finally {
			if (isReplayed) await this.#sendOnce(sent).catch(() => undefined);
		}
	}

	async #sendOnce({ path, body, headers, method = 'POST' }: Sent): Promise<Answer> {
		const { text } = await this.#fetch(method, path, body, headers);
		return JSON.parse(text) as Answer;
	}

	/** Without a signature, and without what the endpoint needs: code 1 says that the call was admitted. */
	async look(address: string): Promise<{ readonly code: number; readonly retryAfterSeconds: number }> {
		const { text, retryAfter } = await this.#fetch('POST', '/api/v1/price', '{}', { 'cf-connecting-ip': address });
		return { code: (JSON.parse(text) as Answer).code, retryAfterSeconds: Number(retryAfter ?? 0) };
	}

	/** As the order's page asks for its payer. @throws where no answer came */
	async askRefund(id: string, token: string, address: string): Promise<string> {
		const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': address };
		return (await this.#fetch('POST', `/o/${id}`, 'action=refund', headers)).text;
	}

	/** With a person's passkey where the signer asks for it. @throws where no answer came, or the command failed */
	async operate<T = unknown>(command: string, input: object = {}): Promise<T> {
		const asked = await this.operateUnconfirmed<T>(command, input);
		const answer = asked.asks
			? await this.operateUnconfirmed<T>(command, { ...input, _confirmation: confirmedBy(asked.asks) })
			: asked;
		if (!answer.ok) throw new Error(answer.error);
		return answer.data;
	}

	/** With the operator's token alone. @throws where no answer came */
	async operateUnconfirmed<T = unknown>(command: string, input: object): Promise<Operated<T>> {
		const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
		const { text } = await this.#fetch('POST', `/operator/v1/${command}`, JSON.stringify(input), headers);
		return JSON.parse(text) as Operated<T>;
	}

	#fetch(method: string, path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Fetched> {
		const { world } = this.#service;
		// One name for all orders.
		const named = path.replace(/^\/o\/.*/, '/o/{id}');
		return world.effect(OUTSIDE, `call ${method} ${named}`, async () => {
			const sent =
				method === 'GET' ? { headers } : { headers: { ...headers, 'content-length': String(body.length) }, body };
			const request = new Request(`https://exchange.example${path}`, { method, ...sent });
			const response = await this.#service.fetch(request);
			return { text: await response.text(), retryAfter: response.headers.get('retry-after') };
		});
	}
}
