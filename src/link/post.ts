/** One signed POST to the other end, and its answer, which is believed only where the other end signed it for this question. */
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

const OK = 200;
const SAYS: Readonly<Record<Side, string>> = {
	signer: HOUSE_SAYS,
	rows: "the link to the signer's house: ",
	cosigner: 'the co-signer: ',
};

/** `kind`: why it was refused; `unreachable`: no answer came; `not-authentic`: one that the other side did not sign. */
export class LinkError extends Error {
	override readonly name = 'LinkError';
	readonly kind: Refusal | 'unreachable' | 'not-authentic';
	constructor(kind: LinkError['kind'], side: Side, detail: string) {
		super(`${SAYS[side]}${kind}: ${detail}`);
		this.kind = kind;
	}
}

/** @throws LinkError where the answer is not the other side's own to this very question */
export async function post({ url, key, deployment, side }: Other, body: string): Promise<string> {
	const [nonce, time, path] = [crypto.randomUUID(), String(Date.now()), new URL(url).pathname];
	const signature = await signQuestion(key, { side, deployment, nonce, path, time, body });
	const headers = {
		[HEADERS.version]: LINK_VERSION,
		[HEADERS.deployment]: deployment,
		[HEADERS.time]: time,
		[HEADERS.nonce]: nonce,
		[HEADERS.signature]: signature,
	};
	const unreachable = (error: unknown) => {
		throw new LinkError('unreachable', side, String(error));
	};
	const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' }).catch(unreachable);
	const text = await response.text().catch(unreachable);
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
