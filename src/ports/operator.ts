/** The operator Worker as the API Worker calls it. */
import type { Role } from '../partners/partner.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { CommandAnswer, CommandInput, OwnChange, PagesAnswer } from './desk.ts';

/** The facts of a call of the operator API, beside its HTTP request. */
export interface CallFacts {
	/** As the answer and the log have it. */
	readonly requestId: string;
	/** Who runs it from the console, for the audit log; null for a caller from outside, who may name themselves. */
	readonly by: string | null;
	/** The role of who runs it; a caller with the operator's token is an admin. */
	readonly role: Role;
	/** The API Worker's version, for `doctor`. */
	readonly version: CodeVersion;
}

/** An order's deposits come, become final, or disappear. */
export const SANDBOX_EVENTS = ['paid', 'confirmed', 'dropped'] as const;

export interface SandboxEvent {
	readonly id: string;
	readonly event: (typeof SANDBOX_EVENTS)[number];
	/** Coins; absent: what the order asks for. */
	readonly amount: string | undefined;
	/** Absent: final at once. */
	readonly confirmations: 0 | undefined;
}

/** The credentials of a new visitor. */
export interface Visit {
	readonly apiKey: string;
	readonly apiSecret: string;
	readonly webhookSecret: string;
}

/** The public sandbox (`partners/visitors.ts`). */
export interface Sandbox {
	/** Makes a partner for a stranger of this client network; null where as many came as may. */
	openVisit(network: string): Promise<Visit | null>;
	/** Makes it happen to an order of the partner's. `txId`: of the deposit that came. `problem`: one line for the partner. */
	playSandbox(partnerId: string, event: SandboxEvent): Promise<Played>;
}

export type Played =
	| { readonly isFound: true; readonly txId: string | null }
	| { readonly isFound: false }
	| { readonly problem: string };

export interface OperatorService extends Sandbox {
	/** A call of the operator API. The API Worker has checked the token. */
	answer(request: Request, facts: CallFacts): Promise<Response>;
	/** The first pages of a command's answer, from the one that `input` names. `url`: as of its request. */
	answerPages(url: string, input: CommandInput, facts: CallFacts): Promise<PagesAnswer>;
	/** For the cabinet: a change that a partner makes themselves. */
	changeOwn(partnerId: string, change: OwnChange): Promise<CommandAnswer>;
	/** For the cabinet: sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string): Promise<CommandAnswer>;
}
