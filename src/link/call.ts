/**
 * Who asks: each call is one batch of Cap'n Web in one POST. A call that fails on the way is not sent again here. It was
 * executed once or not at all, as with a service binding whose other end died, and who asked repeats it under a new nonce
 * where the call is safe to repeat (`ports/signer.ts`).
 */
import { RpcSession, type RpcTransport } from 'capnweb';
import { within } from '../platform/within.ts';
import { LinkError, type Other, post } from './post.ts';

/** The longest call asks nodes that hang; the signer's own limits are below it. */
const CALL_MILLISECONDS = 120_000;

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
