/**
 * Who asks: each call is one batch of Cap'n Web in one POST. A call that fails on the way is not sent again here. It was
 * executed once or not at all, as with a service binding whose other end died, and who asked repeats it under a new nonce
 * where the call is safe to repeat (`ports/signer.ts`).
 */
import { RpcSession, type RpcTransport } from 'capnweb';
import { within } from '../platform/within.ts';
import { HOUSE_SAYS } from '../ports/house.ts';
import {
	HEADERS,
	isAnswerSigned,
	isRefusal,
	LINK_VERSION,
	REFUSALS,
	type Refusal,
	type Side,
	signQuestion,
} from './signature.ts';

export interface Other {
	readonly url: string;
	readonly key: string;
	readonly deployment: string;
	readonly side: Side;
}

/** The longest call asks nodes that hang; the signer's own limits are below it. */
const CALL_MILLISECONDS = 120_000;
const OK = 200;

/** `kind`: why it was refused; `unreachable`: no answer came; `not-authentic`: one that the other side did not sign. */
export class LinkError extends Error {
	override readonly name = 'LinkError';
	readonly kind: Refusal | 'unreachable' | 'not-authentic';
	constructor(kind: LinkError['kind'], side: Side, detail: string) {
		super(`${side === 'signer' ? HOUSE_SAYS : "the link to the signer's house: "}${kind}: ${detail}`);
		this.kind = kind;
	}
}

/** @throws LinkError, or what the other side threw */
export async function callOver(other: Other, method: string, given: readonly unknown[]): Promise<unknown> {
	const session = new RpcSession(new Batch((body) => post(other, body)));
	const main = session.getRemoteMain() as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
	const call = main[method];
	if (!call) throw new TypeError(`no call ${method}`);
	const late = () => {
		throw new LinkError('unreachable', other.side, `no answer within ${CALL_MILLISECONDS / 1000} s`);
	};
	return within(call(...given), CALL_MILLISECONDS, late);
}

/** The two halves of one batch: all that is said in one turn of the loop, and then all that is answered. */
class Batch implements RpcTransport {
	readonly #said: string[] = [];
	#answers: Promise<string[]> | null = null;
	readonly #post: (body: string) => Promise<string>;

	constructor(post: (body: string) => Promise<string>) {
		this.#post = post;
	}

	send(message: string): void {
		this.#said.push(message);
	}

	async receive(): Promise<string> {
		this.#answers ??= this.#exchange();
		const next = (await this.#answers).shift();
		if (next === undefined) throw new Error('the batch has ended');
		return next;
	}

	async #exchange(): Promise<string[]> {
		await new Promise((wait) => setTimeout(wait, 0));
		const body = await this.#post(this.#said.join('\n'));
		return body === '' ? [] : body.split('\n');
	}
}

/** @throws LinkError where the answer is not the other side's own to this very question */
async function post({ url, key, deployment, side }: Other, body: string): Promise<string> {
	const [nonce, time, path] = [crypto.randomUUID(), String(Date.now()), new URL(url).pathname];
	const signature = await signQuestion(key, { side, deployment, nonce, path, time, body });
	const headers = {
		[HEADERS.version]: LINK_VERSION,
		[HEADERS.deployment]: deployment,
		[HEADERS.time]: time,
		[HEADERS.nonce]: nonce,
		[HEADERS.signature]: signature,
	};
	const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' }).catch((error: unknown) => {
		throw new LinkError('unreachable', side, String(error));
	});
	const text = await response.text().catch((error: unknown) => {
		throw new LinkError('unreachable', side, String(error));
	});
	const said = (name: keyof typeof HEADERS): string => response.headers.get(HEADERS[name]) ?? '';
	const refused = response.status !== OK && isRefusal(text) ? text : null;
	// A refusal that is not signed says that the call failed, and no more.
	if (refused) throw new LinkError(refused, side, REFUSALS[refused]);
	if (said('version') && said('version') !== LINK_VERSION)
		throw new LinkError('other-version', side, REFUSALS['other-version']);
	const answer = { side, deployment, nonce, status: response.status, body: text };
	if (!(await isAnswerSigned(key, answer, said('signature'))))
		throw new LinkError('not-authentic', side, `HTTP ${response.status}, which it did not sign for this call`);
	if (response.status !== OK) throw new LinkError('unreachable', side, `HTTP ${response.status}`);
	return text;
}
