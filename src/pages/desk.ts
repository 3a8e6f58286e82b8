/** What a page may ask of the API Worker: the desk, and what it answers. */

/**
 * What a page may ask of the API Worker. The API Worker hands its desk over with each request (`src/desk.ts`), so the
 * pages Worker needs no binding to the API, no key and no token. Who may ask for what is the page's to decide: the
 * cabinet calls only for the partner of its session, the console only for an operator.
 */
import type { CodeVersion } from '../d1/code-version.ts';
import type { PasskeyTerms } from '../partners/sign-in/seal.ts';
import type { InvitationRow, PasskeyRow } from '../partners/sign-in/table.ts';
import type { ServiceStatus } from '../status/status.ts';

export interface Desk {
	/**
	 * An endpoint of the partner API, as that partner would call it with a signature: the same checks, the same answer. It
	 * spends none of the partner's weight. `input`: the body as a value. `method`: where the path has several.
	 */
	callAs(partnerId: string, path: string, input: unknown, method?: string): Promise<EndpointAnswer>;
	/** Changes the partner's webhook URL, events, payout asset or payout address, with the operator's checks. */
	changeOwn(partnerId: string, change: OwnChange): Promise<CommandAnswer>;
	/** Sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string): Promise<CommandAnswer>;
	/** The weight of the partner's signed calls in the last 60 seconds. */
	weightUsed(partnerId: string): Promise<number>;
	/** The page of a transaction in an explorer, by network, with `{}` for its id; a network without one is left out. */
	explorers(): Promise<Readonly<Record<string, string>>>;
	/** Seconds that this reader's network has to wait before it may ask for `path` again; null for none. */
	waitOf(path: string): Promise<number | null>;
	/** Made by the operator, and not by who writes the database? */
	isInvitation(row: InvitationRow): Promise<boolean>;
	/** The seal of a new passkey, and whether one holds. */
	sealPasskey(terms: PasskeyTerms): Promise<string>;
	isPasskey(row: PasskeyRow): Promise<boolean>;
	/** A command of the operator API, `order/list` say. `by`: who runs it, for the audit log. */
	operate(command: string, input: unknown, by: string): Promise<CommandAnswer>;
	/** Is it the operator's token? */
	admitsOperator(token: string): Promise<boolean>;
	/** The OpenAPI document, JSON text. */
	openApi(): Promise<string>;
	/** Whether the networks and the prices work now; null where that cannot be read. */
	status(): Promise<ServiceStatus | null>;
	/** Where weaknesses are reported, for security.txt; null where the operator named none. */
	securityContact(): Promise<string | null>;
}

/** A field that is left out stays. */
export interface OwnChange {
	readonly webhookUrl?: string | null;
	readonly events?: readonly string[];
	readonly payoutAsset?: string;
	readonly payoutAddress?: string;
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

/** The pages Worker, as the API Worker calls it. */
export interface PagesService {
	/** `desk`: a stub, which ends with the call. */
	show(request: Request, desk: Desk): Promise<Response>;
	version(): Promise<CodeVersion>;
}
