/**
 * The desk: the questions that a page may ask of the API Worker. The API Worker hands its desk over with each request
 * (`src/api/desk.ts`), so the pages Worker needs no binding to the API, no key and no token. The desk itself judges who
 * is at the console, by the request that it came with. Which partner the cabinet calls for is the page's to decide.
 */
import type { Sought } from '../archive/find.ts';
import type { OwnArchived, OwnFound } from '../archive/own.ts';
import type { AssetId } from '../catalog/assets.ts';
import type { TokenVerdict } from '../crypto/tokens.ts';
import type { RefundAnswer } from '../orders/refund-answer.ts';
import type { SealedOrder } from '../orders/sealed.ts';
import type { Language } from '../partners/languages.ts';
import type { TakenLogo } from '../partners/logos.ts';
import type { AutoPayout, Role } from '../partners/partner.ts';
import type { ShownSecrets } from '../partners/secrets.ts';
import type { AccessTerms } from '../partners/sign-in/seal.ts';
import type { PayerOrder, PayerStatus } from '../payer/order.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { NamedAnswer } from '../treasury/strays/named-answer.ts';
import type { Access, Ending } from './gates.ts';
import type { AskedPersons } from './persons.ts';
import type { SignedStatement } from './promises.ts';
import type { Brand, WidgetAnswer, WidgetAsked } from './widget.ts';

export interface Desk {
	/**
	 * An endpoint of the partner API, as that partner would call it with a signature: the same checks, the same answer. It
	 * spends none of the partner's weight. `input`: the body as a value. `method`: where the path has several.
	 */
	callAs(partnerId: string, path: string, input: unknown, method?: string): Promise<EndpointAnswer>;
	/** Changes what a partner may set for themselves, with the operator's checks and within the operator's bounds. */
	changeOwn(partnerId: string, change: OwnChange): Promise<CommandAnswer>;
	/** Chooses EXCHANGE for an order of the partner's; false where it needs no choice. */
	exchangeOwn(partnerId: string, orderId: string): Promise<boolean>;
	/** Asks the operator for the refund of an order of the partner's; `nothing` for an order that is not theirs. */
	askRefundOwn(partnerId: string, orderId: string): Promise<RefundAnswer>;
	/** The things that wait for the partner. */
	waits(partnerId: string): Promise<readonly PartnerWait[]>;
	/** Sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string): Promise<CommandAnswer>;
	/** The orders of this list that may not be shown, because they do not match their seals. The operator is told. */
	unsealed(orders: readonly SealedOrder[]): Promise<readonly string[]>;
	/** The partner's archived order with this id. */
	archivedOrder(partnerId: string, id: string): Promise<OwnArchived | null>;
	/**
	 * The partner's archived orders with this id, pay-in address, reference or transaction of ours, as far as one call
	 * looks, the newest first. `below`: the batch at which the call before ended.
	 */
	searchArchive(partnerId: string, sought: Sought, below: number | null): Promise<OwnFound>;
	/** Both secrets in the clear, with a row in the audit log; null where the operator has switched that off. */
	ownSecrets(partnerId: string): Promise<ShownSecrets | null>;
	/** The weight of the partner's signed calls in the last 60 seconds. */
	weightUsed(partnerId: string): Promise<number>;
	/** The page of a transaction in an explorer, by network, with `{}` for its id; a network without one is left out. */
	explorers(): Promise<Readonly<Record<string, string>>>;
	/** Seconds that this reader's network has to wait before it may ask for `path` again; null for none. */
	waitOf(path: string): Promise<number | null>;
	/**
	 * The seal of what a passkey is to sign, of a new passkey, of a partner's new session, or of an admin's invitation to the
	 * partner's team. None of the console's, and none that recovers: the operator alone makes that.
	 */
	sealAccess<Kind extends keyof AccessTerms>(kind: Kind, terms: AccessTerms[Kind]): Promise<string>;
	/** Does the seal hold, and has what it lets in not been used or ended, whatever the database says? */
	isOpen<Kind extends keyof AccessTerms>(kind: Kind, terms: AccessTerms[Kind], seal: string): Promise<boolean>;
	/**
	 * Ends what lets people in, where no database that is set back undoes it: before its rows are deleted. False: nothing ended.
	 */
	endAccess(partnerId: string, ending: Ending): Promise<boolean>;
	/** One answer for each access, in their order. */
	hasEnded(partnerId: string, asked: readonly Access[]): Promise<boolean[]>;
	/** Who is at the console, by what this request brought: the API Worker judges it. */
	operator(): Promise<FoundOperator>;
	/** Signs in by the operator's token. */
	signIn(token: string): Promise<SignedIn>;
	/** Ends the session of this request. The answer's cookie. */
	signOut(): Promise<string>;
	/** A command of the operator API, `order/list` say, in the name of who is at the console; nothing where nobody is. */
	operate(command: string, input: unknown): Promise<CommandAnswer>;
	/** The same of a command that answers in pages: the first ones, from the page that `input` names. */
	operatePages(command: string, input: CommandInput): Promise<PagesAnswer>;
	/** An order as its payer reads it, for who is at the console; null where nobody is, or there is no such order. */
	payerView(orderId: string): Promise<PayerOrder | null>;
	/** Whether the networks and the prices work now; null where that cannot be read. */
	status(): Promise<ServiceStatus | null>;
	/** Where weaknesses are reported, for security.txt; null where the operator named none. */
	securityContact(): Promise<string | null>;
	/** Which origins may frame the page of an order, and whose it looks like. It costs the reader's network some of its budget, like the next two. */
	payerFrame(orderId: string): Promise<PayerFrame>;
	/** Makes a logo of a partner's file, and keeps it for their preview. */
	takeLogo(partnerId: string, file: Uint8Array): Promise<TakenLogo>;
	/** The image of a logo that payers are shown, or one of this partner's; null where there is none of this name. */
	logo(name: string, partnerId?: string): Promise<Uint8Array | null>;
	/** A partner's widget for a stranger, who may quote and order with it. It costs the reader's network some of its budget. */
	widget(partnerId: string, asked: WidgetAsked): Promise<WidgetAnswer>;
	/** An order for the caller who has its token, or its status token, as it is after what the payer asks for. */
	payerOrder(orderId: string, token: string, deed?: PayerDeed): Promise<PayerAnswer>;
}

/** The reasons of `partner.attention`. */
export type AttentionReason = 'order_undecided' | 'refund_asked' | 'endpoint_failing' | 'payout_waits' | 'key_expires';

/** One thing that waits for a partner. */
export interface PartnerWait {
	readonly partnerId: string;
	readonly reason: AttentionReason;
	/** The order, the endpoint or the key; of a payout the partner. */
	readonly subject: string;
	readonly since: number;
}

export interface Operator {
	/** As the audit log names them. */
	readonly by: string;
	readonly role: Role;
	/** Every form of theirs has it; nobody else can know it. */
	readonly formKey: string;
	/** With Access that is at Access. */
	readonly canSignOut: boolean;
}

export type FoundOperator =
	| { readonly operator: Operator }
	| { readonly ask: 'token' | 'https' }
	| { readonly closed: string }
	| { readonly refused: string };

/** `cookie`: of the answer. */
export type SignedIn = { readonly cookie: string } | 'closed' | 'in clear' | Exclude<TokenVerdict, 'right'>;

/** A field that is left out stays. */
export interface OwnChange {
	readonly webhookUrl?: string | null;
	readonly events?: readonly string[];
	readonly payoutAsset?: string;
	readonly payoutAddress?: string;
	/** Basis points. */
	readonly afftaxBps?: number;
	readonly autoPayout?: AutoPayout;
	/** Whole US dollars. */
	readonly autoPayoutMinUsd?: number;
	readonly orderPageFrames?: readonly string[] | null;
	readonly orderPageName?: string | null;
	readonly orderPageReturn?: string | null;
	readonly orderPageSupport?: string | null;
	readonly orderPageLanguage?: Language | null;
	readonly payerDecides?: boolean;
	readonly orderPageTerms?: string | null;
	readonly orderPageAccent?: string | null;
	readonly orderPageLogo?: string | null;
	readonly widgetBps?: number | null;
	readonly widgetUsd?: number;
}

export interface PayerFrame {
	readonly origins: readonly string[];
	/** Null for an order that is unknown. */
	readonly brand: Brand | null;
	/** Not null where the reader's network has asked too often. */
	readonly retryAfterSeconds: number | null;
}

/**
 * EXCHANGE is chosen, where the payer may; a refund or the signed promise is asked for; or a transaction is looked up, by its
 * id or the address of a page that has it.
 */
export type PayerDeed = 'exchange' | 'refund' | 'promise' | { readonly named: string };

/** `none`: the signer does not sign it. */
export type PayerPromise = SignedStatement | 'none';

/** `unknown`: there is no such order, or the token is none of its two. */
export type PayerAnswer =
	| {
			readonly is: 'shown';
			readonly shown: PayerOrder;
			/** Null where none was named. */
			readonly named: NamedAnswer | null;
			/** Null where it was not asked for just now. */
			readonly promise: PayerPromise | null;
			/** Null where no refund was asked for just now. */
			readonly refund: RefundAnswer | null;
			readonly frameOrigins: readonly string[];
	  }
	/** The token is the order's status token: nothing was done. */
	| { readonly is: 'status'; readonly status: PayerStatus; readonly frameOrigins: readonly string[] }
	| { readonly is: 'unknown'; readonly support: string | null; readonly frameOrigins: readonly string[] }
	| { readonly is: 'too many'; readonly retryAfterSeconds: number };

/** The contract's envelope. */
export interface EndpointAnswer {
	readonly code: number;
	readonly msg: string;
	readonly data: unknown;
}

export type CommandAnswer =
	| { readonly ok: true; readonly data: unknown }
	/** `asks`: what persons have to sign before the command is carried out. */
	| { readonly ok: false; readonly error: string; readonly asks?: AskedPersons };

export interface PagesState {
	/** The problems of its variables; values are never shown. */
	readonly problems: readonly { readonly variable: string; readonly problem: string; readonly todo: string }[];
}

/** The pages Worker, as the API Worker calls it. */
export interface PagesService {
	/** A page that is the same for everybody. */
	readonly fetch: (request: Request) => Promise<Response>;
	/** `desk`: a stub, which ends with the call. */
	show(request: Request, desk: Desk): Promise<Response>;
	version(): Promise<CodeVersion>;
	/** For `doctor`. */
	examine(): Promise<PagesState>;
}

export type CommandInput = Readonly<Record<string, unknown>>;

/** The pages of a command's answer, in their order. */
export type PagesAnswer =
	| { readonly ok: true; readonly data: readonly unknown[] }
	| { readonly ok: false; readonly error: string };

/**
 * `silent`: its deposits are not seen. `deposits-paused` and the like: the operator switched it off. `stale`: coins
 * without a price that is young enough to deal on.
 */
export type SubjectState = 'ok' | 'silent' | 'paused' | 'deposits-paused' | 'payouts-paused' | 'stale';

export interface SubjectNow {
	/** A network, or `Prices`. */
	readonly subject: string;
	readonly state: SubjectState;
	/** Unix milliseconds: when it last worked, where it is silent and that is known. */
	readonly lastAt: number | null;
	/** Coins without a fresh price, or assets whose deposits are not seen while the rest of the network is. */
	readonly missing: readonly string[];
}

export interface ServiceStatus {
	readonly at: number;
	/** New orders are refused; those that exist go on. */
	readonly maintenance: boolean;
	readonly subjects: readonly SubjectNow[];
	/** Assets that no new order is paid in until the operator sends coins. */
	readonly soldOut: readonly AssetId[];
}
