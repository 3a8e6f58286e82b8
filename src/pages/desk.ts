/**
 * What a page may ask of the API Worker. The API Worker hands its desk over with each request (`src/desk.ts`), so the
 * pages Worker needs no binding to the API, no key and no token. Who may ask for what is the page's to decide: the
 * cabinet calls only for the partner of its session, the console only for an operator.
 */

import type { CodeVersion } from '../d1/code-version.ts';
import type { PayerOrder } from '../payer/order.ts';

export interface Desk {
	/**
	 * An endpoint of the partner API, as that partner would call it with a signature: the same checks, the same answer. It
	 * spends none of the partner's weight. `input`: the body as a value.
	 */
	callAs(partnerId: string, path: string, input: unknown): Promise<EndpointAnswer>;
	/** A command of the operator API, `order/list` say. `by`: who runs it, for the audit log. */
	operate(command: string, input: unknown, by: string): Promise<CommandAnswer>;
	/** Is it the operator's token? */
	admitsOperator(token: string): Promise<boolean>;
	/** The OpenAPI document, JSON text. */
	openApi(): Promise<string>;
	/** Which origins may frame the page of an order. It costs the reader's network some of its budget, like the next two. */
	payerFrame(orderId: string): Promise<PayerFrame>;
	/** An order for the caller who has its token. */
	payerOrder(orderId: string, token: string): Promise<PayerAnswer>;
	/** Chooses EXCHANGE, where the payer may, and answers with the order as it then is. */
	payerExchange(orderId: string, token: string): Promise<PayerAnswer>;
}

export interface PayerFrame {
	readonly origins: readonly string[];
	/** Not null where the reader's network has asked too often. */
	readonly retryAfterSeconds: number | null;
}

/** `unknown`: there is no such order, or the token is not its token. */
export type PayerAnswer =
	| { readonly is: 'shown'; readonly shown: PayerOrder; readonly frameOrigins: readonly string[] }
	| { readonly is: 'unknown'; readonly frameOrigins: readonly string[] }
	| { readonly is: 'too many'; readonly retryAfterSeconds: number };

/** The contract's envelope. */
export interface EndpointAnswer {
	readonly code: number;
	readonly msg: string;
	readonly data: unknown;
}

export type CommandAnswer =
	| { readonly ok: true; readonly data: unknown }
	| { readonly ok: false; readonly error: string };

/** The pages Worker, as the API Worker calls it. */
export interface PagesService {
	/** `desk`: a stub, which ends with the call. */
	show(request: Request, desk: Desk): Promise<Response>;
	version(): Promise<CodeVersion>;
}
