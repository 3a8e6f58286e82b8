/**
 * An endpoint is one value: method, path, auth, weight, schema, and the handler. Beside it stands its documentation, which
 * no Worker has (`endpoint-docs.ts`). `api/app.ts` lists all endpoints.
 */
import type { z } from 'zod/mini';
import type { Asset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { queryIn } from '../http/address.ts';
import { parseJson } from '../http/body.ts';
import { isRefusal } from '../http/refusal.ts';
import type { Refusal } from '../http/refusals.ts';
import type { KeyKind } from '../partners/partner.ts';
import { firstIssue } from '../platform/issue.ts';
import type { Market } from '../pricing/market.ts';
import type { DeclaredEndpoint, RequestBody } from './endpoint-docs.ts';
import type { Env } from './env.ts';
import type { AdmittedPartner } from './gates.ts';
import type { Sandbox } from './operator.ts';

/** `optional`: anonymous callers too. */
export type Auth = 'required' | 'optional';

/** The reason why an agent is told of a call: a new order, or a quote by figures that are not new. */
export type Attention = 'order' | 'quote';

export interface Call {
	readonly env: Env;
	/** The bytes that were signed. */
	readonly body: Uint8Array;
	readonly headers: Headers;
	/** The address that was called. */
	readonly url: string;
	/** Null for an anonymous call. */
	readonly partner: AdmittedPartner | null;
	readonly now: number;
	/** May payouts and refunds on this network go to this address? */
	readonly isAddress: (network: NetworkName, text: string) => boolean;
	/** Do two such addresses name the same recipient, however they are written? */
	readonly isSameAddress: (network: NetworkName, one: string, other: string) => boolean;
	/**
	 * Why a recipient could not use the asset; null where nothing is known against it. Without a promise where no node can
	 * tell. @throws where none answers
	 */
	readonly recipientProblem: (asset: Asset, to: string) => Promise<string | null> | null;
	/** The market snapshot; null when there is none: answer 11. Without a promise where this isolate has it. */
	readonly market: () => Market | null | Promise<Market | null>;
	/** As `ChainAgentRpc.attend`, in the background; most calls find that it was told already. */
	readonly attend: (network: NetworkName, why: Attention) => void;
	/** Makes the network's agent poll now instead of at its next alarm. */
	readonly wakeAgent: (network: NetworkName) => void;
	/** Null where this is no public sandbox. */
	readonly sandbox: Sandbox | null;
	/** Work that goes on after the answer. */
	readonly background: (work: Promise<unknown>) => void;
}

/** A call to an endpoint that requires a signature. */
export type SignedCall = Call & { readonly partner: AdmittedPartner };

/** A call without admission: credentials are ignored, no body is read, and no weight is spent. */
export type OpenCall = Pick<Call, 'env' | 'headers' | 'url' | 'now' | 'background'>;

/** `data` as JSON text, or why there is none. */
export type Answer = { readonly dataJson: string } | Refusal;

export const answer = (data: unknown): Answer => ({ dataJson: JSON.stringify(data) });

/** Answers in the envelope. */
export interface AdmittedEndpoint extends DeclaredEndpoint {
	readonly auth: Auth;
	readonly admits: readonly KeyKind[];
	/** Parses the body of an admitted call and handles it. */
	readonly answer: (call: Call) => Promise<Answer>;
}

/** Answers with a document instead of the envelope. HEAD is answered as GET without the body. */
export interface OpenEndpoint extends DeclaredEndpoint {
	readonly method: 'GET';
	readonly auth: 'none';
	readonly weight: 0;
	readonly request: null;
	/** Without a promise where nothing has to be waited for. */
	readonly respond: (call: OpenCall) => SentDocument | Promise<SentDocument>;
}

/** A document as it is sent. */
export interface SentDocument {
	readonly status: 200 | 304;
	/** Made once for many answers, and copied by the runtime. */
	readonly headers: Headers;
	readonly body: Uint8Array<ArrayBuffer> | string | null;
}

export type Endpoint = AdmittedEndpoint | OpenEndpoint;

type CallOf<A extends Auth> = A extends 'required' ? SignedCall : Call;
/** The output of the request's schema; null where the endpoint takes no body. */
type InputOf<Request extends RequestBody | null> = Request extends RequestBody ? z.output<Request['schema']> : null;

interface Declaration<A extends Auth, Request extends RequestBody | null> extends Omit<AdmittedEndpoint, 'answer'> {
	readonly auth: A;
	readonly request: Request;
	readonly handle: (call: CallOf<A>, input: InputOf<Request>) => Promise<Answer>;
}

/** `auth` decides the type of the handler's call, and the request's schema the type of its input. */
export function endpoint<A extends Auth, Request extends RequestBody | null>({
	handle,
	...declared
}: Declaration<A, Request>): AdmittedEndpoint {
	return {
		...declared,
		async answer(call) {
			if (declared.auth === 'required' && !call.partner) {
				throw new TypeError(`an anonymous call reached ${declared.path}`);
			}
			const input = inputOf(declared.request, call);
			return isRefusal(input) ? input : handle(call as CallOf<A>, input.of as InputOf<Request>);
		},
	};
}

function inputOf(request: RequestBody | null, { body, url }: Call): { readonly of: unknown } | Refusal {
	if (request === null) return { of: null };
	if (request.isEmpty && isEmptyObject(body)) return { of: {} };
	const given = request.inQuery ? Object.fromEntries(queryIn(url)) : parseJson(body);
	const parsed = request.schema.safeParse(given);
	if (request.isEmpty && !(parsed.success && asksForMore(parsed.data))) return { kind: 'body-not-empty' };
	return parsed.success ? { of: parsed.data } : { kind: 'body-invalid', issue: firstIssue(parsed.error.issues) };
}

/** Any other spelling of the empty object stays refused. */
const asksForMore = (body: unknown): boolean => Object.keys(body ?? {}).length > 0;

/** `{}` or zero bytes. */
const isEmptyObject = (body: Uint8Array): boolean =>
	body.length === 0 || (body.length === 2 && body[0] === 0x7b && body[1] === 0x7d);
