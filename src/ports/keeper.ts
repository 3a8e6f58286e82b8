/**
 * Answers of the API Worker to the operator Worker, and work that it does for it with the keys that it gives to nobody.
 * An object: a request may call other Workers some thirty times, and objects as often as it needs.
 */
import type { Header } from '../backup/sealed.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { Told } from '../crypto/key-proof.ts';
import type { KeyName, KeyNumbers } from '../crypto/key-ring.ts';
import type { SealClaim } from '../crypto/seals.ts';
import type { Chosen, NewScoped } from '../partners/scoped.ts';

/** The object's name: there is one. */
export const KEEPER = 'keeper';

/** A mistake in a Worker's variables. */
export interface ConfigurationProblem {
	readonly variable: string;
	/** A sentence that begins with the variable's name. */
	readonly problem: string;
	/** The command or the step that corrects it. */
	readonly todo: string;
}

export interface HeldRing extends KeyNumbers {
	/** Is NAME_NEXT set? */
	readonly hasNext: boolean;
	/** Empty where it has no name. */
	readonly deployment: string;
}

export interface HeldKeys {
	/** Each key's numbers, or what is wrong with its variables. */
	readonly rings: Readonly<Record<KeyName, HeldRing | { readonly wrong: string }>>;
	/** Two while one is replaced. */
	readonly operatorTokens: number;
}

export interface ToldByApi {
	/** Those that a command reads (`configuration/told.ts`), and what the agents Worker tells of its own. */
	readonly variables: Readonly<Record<string, string>>;
	/** Does the agents Worker have the bucket `ARCHIVE`? Null where it does not answer. */
	readonly agents: { readonly hasArchive: boolean } | null;
	readonly keys: HeldKeys;
	/** Does the API Worker have the bucket `ARCHIVE`? */
	readonly hasArchive: boolean;
	/** Unix milliseconds by its clock. */
	readonly at: number;
	/** When the operator Worker's cron last ran; null where it never did. */
	readonly cronAt: number | null;
}

/** A partner's secret as it is stored. */
export interface StoredSecret {
	readonly partnerId: string;
	/** A `SecretName`, or `nameOfScoped`. */
	readonly name: string;
	readonly stored: string;
}

export interface KeeperRpc extends Rpc.DurableObjectBranded {
	told(): Promise<ToldByApi>;
	/** The same, for the operator Worker's cron: notes that it ran. */
	minute(): Promise<ToldByApi>;
	/** The problems of the API Worker's variables. */
	problems(): ConfigurationProblem[];
	/**
	 * Which of these variables, by their names, are wrong in the operator Worker. Asked of the API Worker, which has the table of
	 * all variables: it was 3 KiB of the operator Worker.
	 */
	foreignToOperator(names: readonly string[]): ConfigurationProblem[];
	/** A new partner's id, and the apiKey that names it. */
	newApiKey(): Promise<{ readonly id: string; readonly apiKey: string }>;
	/** A new secret, and what of it is stored. It is later than `replaced`, which is stored now. */
	newSecret(
		partnerId: string,
		name: string,
		replaced?: string,
	): Promise<{ readonly secret: string; readonly sealed: string }>;
	/** A scoped key, which is not stored yet. */
	newScoped(partnerId: string, chosen: Chosen): Promise<NewScoped>;
	/** Each secret as it is to be stored, under the key that seals now; null where it does not open. */
	sealAgain(secrets: readonly StoredSecret[]): Promise<(string | null)[]>;
	/** `secretFingerprint` of each one that is valid, the one in use first. */
	fingerprints(name: KeyName | 'OPERATOR_TOKEN'): Promise<string[]>;
	/**
	 * New seals, of the kinds that an operator decides about. Not of an order, an address of the stock, a passkey or a session:
	 * those are only sealed again. @throws where one is of another kind
	 */
	seal(texts: readonly string[]): Promise<string[]>;
	/** Which of these seals hold? */
	hold(claims: readonly SealClaim[]): Promise<boolean[]>;
	/** The same sealed with the key that seals now; null where the seal does not hold. */
	reseal(claims: readonly SealClaim[]): Promise<(string | null)[]>;
	/** `place`: as for `backup/sealed.ts`. */
	sealPiece(header: Header, place: number | 'end', text: string): Promise<string>;
	/** Null where it was not sealed by this deployment for this backup and place. */
	openPiece(header: Header, place: number | 'end', line: string): Promise<string | null>;
	/** Is SEAL_KEY the signer's, and the name of the deployment? */
	identify(challenge: string): Promise<{ readonly sealKey: Told; readonly deployment: Told }>;
	/**
	 * The normal form of an address (`chains/addresses.ts`); null for a text to which nothing may be paid on this network.
	 * Asked of the API Worker, which has all families' addresses: they were 13 KiB of the operator Worker.
	 */
	plainAddress(network: NetworkName, text: string): Promise<string | null>;
	/** Does the API Worker find this object in its bucket `ARCHIVE`? Orders leave D1 only where it does. */
	findsArchived(object: string): Promise<boolean>;
}
