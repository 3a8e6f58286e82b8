/** The operator Worker as the API Worker calls it, and what the API Worker lends it with each call. */
import type { NetworkName } from '../catalog/networks.ts';
import type { CodeVersion } from '../d1/code-version.ts';
import type { CommandAnswer, OwnChange } from '../pages/desk.ts';
import type { AgentState } from '../treasury/agent-rpc.ts';

/** The objects and the services that the API Worker lends, by the names of its bindings. */
export const LENT_OBJECTS = ['PARTNER_GATE', 'RATE_BOOK', 'CHAIN_AGENT', 'SANDBOX_LEDGER', 'SANDBOX_PRICES'] as const;
export const LENT_SERVICES = ['SIGNER', 'PAGES', 'WEBHOOKS'] as const;

/** Of the API Worker, for `doctor`. */
export interface ApiFacts {
	readonly version: CodeVersion;
	/** Does it have the bucket `ARCHIVE`? */
	readonly hasArchive: boolean;
}

/**
 * What the operator Worker has for the time of one call: the API Worker's variables, secrets included, and a way to its
 * objects and services. So each secret is set once, and the operator Worker by itself can do nothing.
 */
export interface Lent {
	readonly variables: Readonly<Record<string, string>>;
	/** Which of `LENT_SERVICES` the API Worker has. */
	readonly services: readonly string[];
	readonly api: ApiFacts;
	/** Calls a method. `object`: the name of one of `binding`'s objects; null where `binding` is a service. */
	ask(binding: string, object: string | null, method: string, given: readonly unknown[]): Promise<unknown>;
}

/** Of a call of the operator API, beside its HTTP request. */
export interface Asked {
	/** As the answer and the log have it. */
	readonly requestId: string;
	/** Who runs it from the console, for the audit log; null for a caller from outside, who may name themselves. */
	readonly by: string | null;
}

export interface OperatorService {
	/** A call of the operator API. The API Worker has checked the token. */
	answer(request: Request, asked: Asked, lent: Lent): Promise<Response>;
	/** The cron's part for the operator: what waits, alerts, metrics, and each hour the books. `agents`: those that answered. */
	minute(agents: ReadonlyMap<NetworkName, AgentState>, now: number, lent: Lent): Promise<void>;
	/** Pays the partners whose automatic payout is due. */
	payPartners(now: number, lent: Lent): Promise<void>;
	/** Moves orders that are finished for long to the archive, where the deployment has one. */
	archive(now: number, lent: Lent): Promise<void>;
	/** For the cabinet: a change that a partner makes themselves. */
	changeOwn(partnerId: string, change: OwnChange, lent: Lent): Promise<CommandAnswer>;
	/** For the cabinet: sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string, lent: Lent): Promise<CommandAnswer>;
	/** The page of a transaction in an explorer, by network, with `{}` for its id. */
	explorers(lent: Lent): Promise<Readonly<Record<string, string>>>;
}
