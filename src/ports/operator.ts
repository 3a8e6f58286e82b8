/**
 * The operator Worker as the API Worker calls it, and what the API Worker lends it with each call. For some minutes of a
 * deployment one of the two is older. So a method or a fact is only added, never renamed or taken away, and who asks for
 * a new one goes on without it.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { ConfigurationProblem } from '../configuration/check.ts';
import type { KeyName, KeyNumbers } from '../crypto/key-ring.ts';
import type { SecretName } from '../partners/partner.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { AgentState } from './chain-agent.ts';
import type { CommandAnswer, CommandInput, OwnChange, PagesAnswer } from './desk.ts';

/** The objects and the services that the API Worker lends, by the names of its bindings. */
export const LOAN_OBJECTS = ['PARTNER_GATE', 'RATE_BOOK', 'CHAIN_AGENT', 'SANDBOX_LEDGER', 'SANDBOX_PRICES'] as const;
export const LOAN_SERVICES = ['SIGNER', 'PAGES', 'WEBHOOKS'] as const;

/** Of the API Worker, for `doctor`. */
export interface ApiFacts {
	readonly version: CodeVersion;
	/** Does it have the bucket `ARCHIVE`? */
	readonly hasArchive: boolean;
	/** Unix milliseconds by its clock, when it asked. An older version does not say it. */
	readonly at?: number;
}

/**
 * What the operator Worker is given with a call: the API Worker's variables, secrets included but for those of `HeldKeys`, and
 * a way to its objects and services, which ends with the call. So each secret is set once.
 */
export interface Loan {
	readonly variables: Readonly<Record<string, string>>;
	readonly keys: HeldKeys;
	/** Which of `LOAN_SERVICES` the API Worker has. */
	readonly services: readonly string[];
	readonly api: ApiFacts;
	/** Calls a method. `object`: the name of one of `binding`'s objects; null where `binding` is a service. */
	ask(binding: string, object: string | null, method: string, args: readonly unknown[]): Promise<unknown>;
	/** Does the API Worker find this object in its bucket `ARCHIVE`? Orders leave D1 only where it does. */
	findsArchived(object: string): Promise<boolean>;
}

/** A partner's secret as it is stored. */
export interface StoredSecret {
	readonly partnerId: string;
	readonly name: SecretName;
	readonly stored: string;
}

/**
 * What the API Worker does with the secrets that it lends to nobody: the operator's token, SECRETS_KEY and API_KEY_KEY. Who
 * controls the operator Worker opens no partner's secret that exists, and keeps nothing that admits from outside.
 */
export interface HeldKeys {
	/** Of each key its numbers, or what is wrong with its variables. */
	readonly rings: Readonly<Record<KeyName, HeldRing | { readonly wrong: string }>>;
	/** Two while one is replaced. */
	readonly operatorTokens: number;
	/** What is wrong with the API Worker's variables, those that are not lent too. */
	problems(): Promise<readonly ConfigurationProblem[]>;
	/** A new partner's id, and the apiKey that names it. */
	newApiKey(): Promise<{ readonly id: string; readonly apiKey: string }>;
	/** A new secret, and what of it is stored. It is later than `replaced`, which is stored now. */
	newSecret(
		partnerId: string,
		name: SecretName,
		replaced?: string,
	): Promise<{ readonly secret: string; readonly sealed: string }>;
	/** What is to be stored of each, under the key that seals now; null where it does not open. */
	sealAgain(secrets: readonly StoredSecret[]): Promise<readonly (string | null)[]>;
	/** The first is that of the key that seals now. They say nothing of a key but that it is the same one. */
	fingerprints(name: 'SECRETS_KEY' | 'API_KEY_KEY'): Promise<readonly string[]>;
}

export interface HeldRing extends KeyNumbers {
	/** Is NAME_NEXT set? */
	readonly hasNext: boolean;
}

/** Of a call of the operator API, beside its HTTP request. */
export interface CallFacts {
	/** As the answer and the log have it. */
	readonly requestId: string;
	/** Who runs it from the console, for the audit log; null for a caller from outside, who may name themselves. */
	readonly by: string | null;
}

export interface OperatorService {
	/** A call of the operator API. The API Worker has checked the token. */
	answer(request: Request, facts: CallFacts, loan: Loan): Promise<Response>;
	/** The first pages of a command's answer, from the one that `input` names. `url`: as of its request. */
	answerPages(url: string, input: CommandInput, facts: CallFacts, loan: Loan): Promise<PagesAnswer>;
	/** The cron's part for the operator: what waits, alerts, metrics, and each hour the books. `agents`: those that answered. */
	minute(agents: ReadonlyMap<NetworkName, AgentState>, now: number, loan: Loan): Promise<void>;
	/** Pays the partners whose automatic payout is due. */
	payPartners(now: number, loan: Loan): Promise<void>;
	/** Moves orders that are finished for long to the archive, where the deployment has one. */
	archive(now: number, loan: Loan): Promise<void>;
	/** For the cabinet: a change that a partner makes themselves. */
	changeOwn(partnerId: string, change: OwnChange, loan: Loan): Promise<CommandAnswer>;
	/** For the cabinet: sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string, loan: Loan): Promise<CommandAnswer>;
}
