/**
 * The gate's verdict on a signed call, by the partner's record and the window of spent weight. Pure but for the window,
 * which only forgets; reserving nonce and weight is the gate's.
 */
import { isWithin } from '../../http/address-blocks.ts';
import type { Refusal } from '../../http/refusals.ts';
import type { SignedCall, Verdict } from '../../ports/gates.ts';
import type { GateRecord } from '../store.ts';
import type { PartnerKeyRow } from '../table.ts';
import type { SlidingWindow } from './window.ts';

const TIMESTAMP_OLD_SECONDS = 300;
const TIMESTAMP_AHEAD_SECONDS = 60;

/** An apiSecret, ready to verify with; `sealed` tells one from the next. */
export interface Secret {
	readonly sealed: string;
	readonly key: CryptoKey;
}

/** Who can sign: the partner's first key, or a scoped key. */
export interface Signer extends Secret {
	/** Names the secrets of the moment. */
	readonly version: string;
	/** Null for the first key. */
	readonly row: PartnerKeyRow | null;
}

/** The partner's record as the gate holds it, opened. */
export interface Loaded extends Omit<GateRecord, 'keys'> {
	readonly first: Signer;
	/** By id. */
	readonly keys: ReadonlyMap<string, Signer>;
}

/** Null where the call names a key that the partner does not have. */
export const signerOf = ({ first, keys }: Loaded, { key }: Pick<SignedCall, 'key'>): Signer | null =>
	key === undefined ? first : (keys.get(key.id) ?? null);

/** The checks after authenticity of the bytes, in their order (book: contract, "Signed calls"). */
export function judge(
	{ partner, codes }: Loaded,
	{ version: secretsVersion, row: key }: Signer,
	call: SignedCall,
	{ window, now }: { readonly window: SlidingWindow; readonly now: number },
): Verdict {
	if (call.timestamp === null && partner.requireTimestamp) return refuse({ kind: 'timestamp-required' });
	if (call.timestamp !== null && !isRecent(Number(call.timestamp), now))
		return refuse({ kind: 'timestamp-out-of-range' });
	const code = call.code === null ? null : codes.get(call.code);
	if (code === undefined || code?.enabled === false) return refuse({ kind: 'code-refused' });
	const isElsewhere = key && key.addresses.length > 0 && !isWithin(call.key?.address ?? null, key.addresses);
	if (isElsewhere) return refuse({ kind: 'key-address' });
	if (key && key.expiresAt !== null && key.expiresAt <= now) return refuse({ kind: 'key-expired' });
	if (!partner.enabled) return refuse({ kind: 'partner-disabled' });
	if (key && !call.key?.admits.includes(key.kind)) return refuse({ kind: 'key-not-permitted' });
	const limit = partner.weightPerMinute;
	const retryAfterSeconds = window.retryAfterSeconds(now, call.weight, limit);
	// Never below zero, also where the operator has lowered the budget.
	const left = (spent: number) => ({ limit, remaining: Math.max(0, limit - window.used(now) - spent) });
	if (retryAfterSeconds !== null) return refuse({ kind: 'budget-exhausted', retryAfterSeconds, budget: left(0) });
	const defaultAfftaxBps = code?.afftaxBps || partner.afftaxBps;
	const budget = left(call.weight);
	const admitted = { id: partner.id, defaultAfftaxBps, referenceCode: call.code, secretsVersion, budget };
	return { admitted: true, partner: { ...admitted, ...(key && { key: { id: key.id, kind: key.kind } }) } };
}

function isRecent(timestampSeconds: number, now: number): boolean {
	const ageSeconds = Math.floor(now / 1000) - timestampSeconds;
	return ageSeconds <= TIMESTAMP_OLD_SECONDS && ageSeconds >= -TIMESTAMP_AHEAD_SECONDS;
}

export const refuse = (refusal: Refusal): Verdict => ({ admitted: false, refusal });

const encoder = new TextEncoder();

/** Body-only: the body. Timestamp mode: timestamp LF nonce LF body (book: contract, "Signing"). */
export function signedBytes({ body, timestamp, nonce }: SignedCall): Uint8Array {
	if (timestamp === null) return body;
	const head = encoder.encode(`${timestamp}\n${nonce}\n`);
	const bytes = new Uint8Array(head.length + body.length);
	bytes.set(head);
	bytes.set(body, head.length);
	return bytes;
}
