/**
 * Who is calling? Header facts are checked here, everything that needs the partner's record by its gate in one RPC.
 * The order of the checks is the contract's: 2, 3, 4, 5, and only then the body (book: contract, "Signed calls").
 */
import type { Body } from '../../http/body.ts';
import type { Refusal } from '../../http/refusals.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { JoinedCalls } from '../../platform/joined.ts';
import { objectOf, type Regional } from '../../platform/region.ts';
import { inSpan } from '../../platform/span.ts';
import type { Auth } from '../../ports/endpoint.ts';
import type { AdmittedPartner, PartnerGateRpc, SignedCall, Verdict } from '../../ports/gates.ts';
import { keyNamed, type NamedKey } from '../api-key.ts';
import { CODE_PATTERN, type KeyKind } from '../partner.ts';
import { type AnonymousGates, spendAnonymous } from './anonymous.ts';
import { FloodGuard } from './flood.ts';
import { ScopedWaits } from './known-waits.ts';
import type { Secret } from './verdict.ts';

export interface Gates extends Regional, AnonymousGates {
	readonly apiKeyKeys: readonly CryptoKey[];
	readonly partners: DurableObjectNamespace<PartnerGateRpc>;
	/** For `flood.ts`: called only during a flood of forged calls under a partner's apiKey. */
	readonly readSecret: (named: NamedKey) => Promise<Secret | null>;
}

/** The parts of an endpoint that decide whether a signed call is admitted. */
interface Admitting {
	readonly path: string;
	readonly weight: number;
	/** The kinds of scoped keys that may call it; the first key may call everything. */
	readonly admits: readonly KeyKind[];
	/**
	 * In timestamp mode alone, as is every call of a scoped key. A body-only signature is one for every path, for ever, so anyone who saw a call of the contract
	 * could send it to what the contract does not have.
	 */
	readonly isAddition?: true;
}

const SIGNATURE = /^[0-9a-f]{64}$/;
const NONCE = /^[\x21-\x7e]{16,64}$/;
const TIMESTAMP = /^\d{1,15}$/;

/** Has it both headers that a signed call has? */
export const isSigned = (headers: Headers): boolean => headers.has('x-api-key') && headers.has('x-api-sign');

/**
 * The partner, null for an admitted anonymous call, or the refusal. `reading`: the body, which an anonymous call need not
 * wait for. One that could not be read whole has no signature that can be checked, and its call is never carried out. It
 * spends an anonymous call's budget: apiKeys are public, and a stranger must not spend a partner's weight.
 */
export function admit(
	gates: Gates,
	endpoint: Admitting & { readonly auth: Auth },
	headers: Headers,
	reading: Promise<Body>,
): Promise<AdmittedPartner | null | Refusal> {
	const apiKey = headers.get('x-api-key');
	const signature = headers.get('x-api-sign');
	if (endpoint.auth === 'optional' && apiKey === null && signature === null) {
		return admitAnonymous(gates, endpoint.path, headers.get('cf-connecting-ip'));
	}
	if (!apiKey || !signature) {
		return Promise.resolve({ kind: endpoint.auth === 'optional' ? 'one-auth-header' : 'auth-header-missing' });
	}
	return admitSigned(gates, endpoint, { headers, reading, apiKey, signature });
}

async function admitSigned(
	gates: Gates,
	{ path, weight, admits, isAddition }: Admitting,
	{
		headers,
		reading,
		apiKey,
		signature,
	}: {
		readonly headers: Headers;
		readonly reading: Promise<Body>;
		readonly apiKey: string;
		readonly signature: string;
	},
): Promise<AdmittedPartner | null | Refusal> {
	const dot = apiKey.indexOf('.');
	const code = dot < 0 ? null : apiKey.slice(dot + 1);
	const nonce = headers.get('x-api-nonce') ?? '';
	const timestamp = headers.get('x-api-timestamp');
	if (!SIGNATURE.test(signature)) return { kind: 'signature-malformed' };
	if (!NONCE.test(nonce)) return { kind: 'nonce-malformed' };
	if (timestamp !== null && !TIMESTAMP.test(timestamp)) return { kind: 'timestamp-malformed' };
	if (timestamp === null && isAddition) return { kind: 'timestamp-required' };
	if (code !== null && !CODE_PATTERN.test(code)) return { kind: 'code-malformed' };
	const partnerKey = dot < 0 ? apiKey : apiKey.slice(0, dot);
	const named = known.get(partnerKey) ?? (await partnerNamed(gates, partnerKey));
	if (!named) return { kind: 'api-key-unknown' };
	const { partnerId, keyId, name } = named;
	if (timestamp === null && keyId !== null) return { kind: 'timestamp-required' };
	const { bytes: body } = await reading;
	if (body === null) return admitAnonymous(gates, path, headers.get('cf-connecting-ip'));

	const key = keyId === null ? undefined : { id: keyId, admits, address: headers.get('cf-connecting-ip') };
	const call = { body, signature, nonce, timestamp, code, weight, key };
	const now = Date.now();
	const wait = key && waits.of(`${weight} ${name}`, now);
	if (wait) return wait;
	const read = { readSecret: () => gates.readSecret(named), background: gates.background };
	if (guard.verifies(name, now) && (await guard.isForged(name, call, read, now))) {
		return { kind: 'signature-wrong-in-flood' };
	}
	const trip = {
		send: (calls: readonly SignedCall[]) => objectOf(gates, gates.partners, named.gateId).admitAll(partnerId, calls),
		background: gates.background,
	};
	const verdict = await inSpan('gate', () => joined.ask(partnerId, call, trip));
	if (verdict.admitted) return verdict.partner;
	const { refusal } = verdict;
	if (refusal.kind === 'signature-wrong' || refusal.kind === 'key-refused') guard.forged(name, Date.now());
	if (key && refusal.kind === 'budget-exhausted') waits.remember(`${weight} ${name}`, Date.now(), refusal);
	return refusal;
}

/** These are this isolate's own, like `known`. */
const guard = new FloodGuard();
const joined = new JoinedCalls<SignedCall, Verdict>();
/** Anyone who took a key out of an app signs calls without end: those that must wait do not reach the partner's gate. */
const waits = new ScopedWaits();

interface Named extends NamedKey {
	/** The key's own: no other key has it. */
	readonly name: string;
	readonly gateId: DurableObjectId;
}

/** apiKeys whose checksum held: what an apiKey names never changes. */
const known = new BoundedMap<string, Named>(1_000);

/** Null where the checksum does not hold. */
async function partnerNamed({ apiKeyKeys, partners }: Gates, apiKey: string): Promise<Named | null> {
	const key = await keyNamed(apiKeyKeys, apiKey);
	if (key === null) return null;
	const { partnerId, keyId } = key;
	const name = keyId === null ? partnerId : `${partnerId} ${keyId}`;
	const named = { ...key, name, gateId: partners.idFromName(partnerId) };
	known.set(apiKey, named);
	return named;
}

async function admitAnonymous(gates: Gates, path: string, address: string | null): Promise<null | Refusal> {
	const retryAfterSeconds = await spendAnonymous(gates, path, address);
	return retryAfterSeconds === null ? null : { kind: 'anonymous-budget-exhausted', retryAfterSeconds };
}
