/** What callers of the two gates see: the methods of `PartnerGate` and `AnonymousGate`, and what they carry. */
import type { Refusal } from '../../http/refusals.ts';
import type { SecretName } from '../partner.ts';
import type { SignedCall, Verdict } from './verdict.ts';

export interface PartnerGateRpc extends Rpc.DurableObjectBranded {
	/** Decides about a signed call in one turn: signature, nonce, timestamp, reference code, enabled, weight. */
	admit(partnerId: string, call: SignedCall): Promise<Verdict>;
	/** The same of calls that came together, in their order: each is judged by itself, and one commit stores their nonces. */
	admitAll(partnerId: string, calls: readonly SignedCall[]): Promise<Verdict[]>;
	/**
	 * `rotation-conflict`: the secrets that the call was verified by are no longer the current ones. `rotation-replayed`: a
	 * rotation under this signature was carried out. @throws when D1 cannot be written
	 */
	rotate(partnerId: string, request: RotationRequest): Promise<IssuedSecrets | RotationRefusal>;
	/** Weight of the signed calls in the last 60 seconds. */
	weightUsed(partnerId: string): Promise<number>;
	/** The partner's record has changed: the gate reads it again before it answers. */
	changed(partnerId: string): Promise<void>;
}

export interface AnonymousGateRpc extends Rpc.DurableObjectBranded {
	/** Of each call, in their order: seconds to wait, or null when it is admitted. */
	admitAll(calls: readonly AnonymousCall[]): (number | null)[];
	/** For Workers of an older version, which ask an object for each network. */
	admit(spent?: AnonymousSpend): number | null;
}

export interface AnonymousCall {
	/** As `clientNetwork` names it. */
	readonly network: string;
	/** One call of the 60 where nothing is said. */
	readonly spent?: AnonymousSpend | undefined;
	/** Would it be admitted? It spends nothing. */
	readonly isQuestion?: boolean;
}

export interface AnonymousSpend {
	readonly weight: number;
	readonly perMinute: number;
}

export interface RotationRequest {
	/** `secretsVersion` of the secrets that the call was verified by. */
	readonly verifiedBy: string;
	/** At least one, each once. */
	readonly names: readonly SecretName[];
	/** Keyed hash of the caller's network, for the audit log. */
	readonly clientNetworkHash: string;
	/** Of the call; null where a passkey confirmed it instead. */
	readonly signature: string | null;
}

export type RotationRefusal = Extract<Refusal, { readonly kind: 'rotation-conflict' | 'rotation-replayed' }>;

export type IssuedSecrets = Partial<Record<SecretName, string>>;
