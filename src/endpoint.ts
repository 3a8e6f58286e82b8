/** One endpoint of the surface, and what its handler is given. The table that lists them all is `app.ts`. */
import type { NetworkName } from './catalog/networks.ts';
import type { EndpointDocs } from './docs/endpoint-docs.ts';
import type { Env } from './env.ts';
import { isRefusal } from './http/refusal.ts';
import type { Refusal } from './http/refusals.ts';
import type { Auth } from './partners/gate/admission.ts';
import type { AdmittedPartner } from './partners/partner.ts';
import type { Market } from './pricing/market.ts';

export interface Call {
	readonly env: Env;
	readonly body: Uint8Array;
	readonly headers: Headers;
	/** Null for an anonymous call. */
	readonly partner: AdmittedPartner | null;
	/** Unix milliseconds. */
	readonly now: number;
	/** May payouts and refunds on this network go to this address? */
	readonly isAddress: (network: NetworkName, text: string) => boolean;
	/** Do two such addresses name the same recipient, however they are written? */
	readonly isSameAddress: (network: NetworkName, one: string, other: string) => boolean;
	/** The market snapshot; null when there is none: answer 11. */
	readonly market: () => Promise<Market | null>;
	/** Makes the network's agent look at its orders now instead of at its next tick. */
	readonly kick: (network: NetworkName) => void;
	readonly background: (work: Promise<unknown>) => void;
}

/** A signed call: the surface's table says that the endpoint requires it. */
export type SignedCall = Call & { readonly partner: AdmittedPartner };

/** A call that nobody is admitted for: it carries no credentials that count, no body, and no weight. */
export type OpenCall = Pick<Call, 'env' | 'headers' | 'now' | 'background'>;

/** `data` as JSON text, or why there is none. */
export type Answer = { readonly dataJson: string } | Refusal;

export const answer = (data: unknown): Answer => (isRefusal(data) ? data : { dataJson: JSON.stringify(data) });

interface Common {
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	readonly weight: number;
	/** What the reference says of it: no endpoint goes undocumented. */
	readonly docs: EndpointDocs;
}

export type Endpoint =
	/** A document, not the envelope: the handler makes the whole response. HEAD is answered as GET without the body. */
	| {
			readonly method: 'GET';
			readonly path: string;
			readonly weight: 0;
			readonly auth: 'none';
			readonly docs: EndpointDocs;
			readonly handle: (call: OpenCall) => Promise<Response>;
	  }
	| AdmittedEndpoint;

/** Answers in the envelope. */
export type AdmittedEndpoint =
	| (Common & { readonly auth: Extract<Auth, 'optional'>; readonly handle: (call: Call) => Promise<Answer> })
	| (Common & { readonly auth: Extract<Auth, 'required'>; readonly handle: (call: SignedCall) => Promise<Answer> });
