/**
 * What a page may ask of the API Worker. The API Worker hands its desk over with each request (`src/desk.ts`), so the
 * pages Worker needs no binding to the API, no key and no token. Who may ask for what is the page's to decide: the
 * cabinet calls only for the partner of its session, the console only for an operator.
 */
export interface Desk {
	/**
	 * An endpoint of the partner API, as that partner would call it with a signature: the same checks, the same answer. It
	 * spends none of the partner's weight. `input`: the body as a value.
	 */
	callAs(partnerId: string, path: string, input: unknown): Promise<EndpointAnswer>;
	/** A command of the operator API, `order/list` say. `by`: who runs it, for the audit log; no caller from outside can name themselves so. */
	operate(command: string, input: unknown, by: string): Promise<CommandAnswer>;
	/** Is it the operator's token? */
	admitsOperator(token: string): Promise<boolean>;
	/**
	 * Marks of the operator's tokens that admit now, so that a session ends when its token does. `salt`: the session's own
	 * secret; the same salt and token have the same mark.
	 */
	operatorMarks(salt: string): Promise<string[]>;
	/** The OpenAPI document, JSON text. */
	openApi(): Promise<string>;
}

/** The contract's envelope. */
export interface EndpointAnswer {
	readonly code: number;
	readonly msg: string;
	readonly data: unknown;
}

export type CommandAnswer =
	| { readonly ok: true; readonly data: unknown }
	| { readonly ok: false; readonly error: string };

export interface PagesState {
	/** What is wrong with its variables; values are never shown. */
	readonly problems: readonly { readonly variable: string; readonly problem: string; readonly todo: string }[];
	/** Who gets into the console, in one line. */
	readonly console: string;
}

/** The pages Worker, as the API Worker calls it. */
export interface PagesService {
	/** `desk`: a stub, which ends with the call. */
	show(request: Request, desk: Desk): Promise<Response>;
	/** For `doctor`. */
	examine(): Promise<PagesState>;
}
