/** The two gates as their callers see them: the methods of `PartnerGate` and `AnonymousGate`, and what they carry. */
import type { Budget, Refusal } from '../http/refusals.ts';
import type { KeyKind, SecretName } from '../partners/partner.ts';

/** Who a signed call comes from, as the gate admitted it. */
export interface AdmittedPartner {
	readonly id: string;
	/** The afftax of a body that names none: the code's, or where that is 0 or absent the partner's. */
	readonly defaultAfftaxBps: number;
	/** The reference code that the call carried; null without one. Orders are counted by it. */
	readonly referenceCode: string | null;
	/** Names the secrets of the moment at which the call was verified: `keys/rotate` replaces those and no others. */
	readonly secretsVersion: string;
	/** The scoped key that signed; absent for the first key, and for the partner in the cabinet. */
	readonly key?: { readonly id: string; readonly kind: KeyKind };
	/** Absent where a passkey confirmed the call, not a signature: no gate counted it. */
	readonly budget?: Budget;
}

export interface SignedCall {
	readonly body: Uint8Array;
	/** 64 lowercase hex characters. */
	readonly signature: string;
	/** 16 to 64 characters. */
	readonly nonce: string;
	/** Decimal digits; null in body-only mode. */
	readonly timestamp: string | null;
	/** The code segment of X-API-KEY, well-formed; null when there is none. */
	readonly code: string | null;
	readonly weight: number;
	/** The scoped key that it names; absent for the partner's first key. */
	readonly key?: ScopedCaller | undefined;
}

export interface ScopedCaller {
	/** 16 hex characters. */
	readonly id: string;
	/** The kinds of keys that the endpoint admits. */
	readonly admits: readonly KeyKind[];
	/** The client's, as Cloudflare names it; null where it did not. */
	readonly address: string | null;
}

/** `admitted` says it in a word of its own: what a caller does not know must never read as admitted. */
export type Verdict =
	| { readonly admitted: true; readonly partner: AdmittedPartner }
	| { readonly admitted: false; readonly refusal: Refusal };

/** As they are stored. */
export interface SealedSecrets {
	readonly apiSecretSealed: string;
	readonly webhookSecretSealed: string;
}

export interface PartnerGateRpc extends Rpc.DurableObjectBranded {
	/**
	 * Decides about signed calls that came together, in their order and in one turn: signature, nonce, timestamp, reference
	 * code, enabled, weight. Each is judged by itself, and one commit stores their nonces.
	 */
	admitAll(partnerId: string, calls: readonly SignedCall[]): Promise<Verdict[]>;
	/**
	 * `rotation-conflict`: the secrets that the call was verified by are no longer the current ones. `rotation-replayed`: a
	 * rotation under this signature was carried out. @throws when D1 cannot be written
	 */
	rotate(partnerId: string, request: RotationRequest): Promise<IssuedSecrets | RotationRefusal>;
	/** Both as they are stored, of the secrets that count now; null where there is no such partner. */
	secrets(partnerId: string): Promise<SealedSecrets | null>;
	/** An access that has ended stays ended, whatever the database is set back to. False: nothing has ended. */
	endAccess(ending: Ending): Promise<boolean>;
	/** Has each ended? In their order. */
	hasEnded(asked: readonly Access[]): Promise<boolean[]>;
	/** Weight of the signed calls in the last 60 seconds. */
	weightUsed(partnerId: string): Promise<number>;
	/**
	 * The partner's record has changed: the gate reads it again before it answers. `code`: the partner has just switched it,
	 * and one that they disabled stays so, whatever the database is set back to.
	 */
	changed(partnerId: string, code?: SwitchedCode): Promise<void>;
}

export interface SwitchedCode {
	readonly code: string;
	readonly enabled: boolean;
}

export type AccessKind = 'invitation' | 'passkey' | 'session' | 'key';

/** A session or an invitation, by what its seal names, or a scoped key. */
export interface Access {
	readonly kind: AccessKind;
	/** SHA-256 of the token of a link or a session, or of a passkey's id; a scoped key's own id. */
	readonly hash: string;
	readonly createdAt: number;
}

export interface Ending {
	readonly one?: Access;
	/** `one` can be used once: where it has ended, nothing ends. */
	readonly isOnce?: boolean;
	/** Where all of these have ended, `one` is the last, and nothing ends. */
	readonly unlessLast?: readonly Access[];
	/** All of these kinds that began before `at`, but for the one with this hash. */
	readonly earlier?: { readonly kinds: readonly AccessKind[]; readonly at: number; readonly except: string };
}

export interface AnonymousGateRpc extends Rpc.DurableObjectBranded {
	/** Each call's seconds to wait, or null when it is admitted; in their order. */
	admitAll(calls: readonly AnonymousCall[]): (number | null)[];
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
	/** The scoped key that signed, whose own secret is replaced; absent for the partner's. */
	readonly keyId?: string | undefined;
	/** At least one, each once; of a scoped key its apiSecret alone. */
	readonly names: readonly SecretName[];
	/** Keyed hash of the caller's network, for the audit log. */
	readonly clientNetworkHash: string;
	/** The call's signature; null where a passkey confirmed it instead. */
	readonly signature: string | null;
}

export type RotationRefusal = Extract<Refusal, { readonly kind: 'rotation-conflict' | 'rotation-replayed' }>;

export type IssuedSecrets = Partial<Record<SecretName, string>>;
