/**
 * The answers of passkeys, checked as WebAuthn Level 3 says: a new passkey by section 7.1, a signature by section 7.2. Which
 * device it is, nobody asks (attestation `none`), so there is no certificate to read: the key is taken as the browser gives
 * it, in SubjectPublicKeyInfo. Signatures are WebCrypto's to verify.
 */
import { DER } from '@noble/curves/abstract/der.js';
import { base64urlnopad, hex } from '@scure/base';
import * as z from 'zod/mini';

type Bytes = Uint8Array<ArrayBuffer>;
const PRESENT = 0x01;
const VERIFIED = 0x04;
const MAY_BE_COPIED = 0x08;
const IS_COPIED = 0x10;
const HAS_KEY = 0x40;
/** SHA-256 of the host, flags, the counter. */
const LENGTH = 37;
/** In a new passkey's data the device's kind (16 bytes) and the id's length and bytes follow. */
const ID_LENGTH_AT = LENGTH + 16;

/**
 * The algorithms of devices, the preferred ones first. `cose`: its number in COSE. `spki`: how a key of it begins in
 * SubjectPublicKeyInfo, in hex (RFC 8410, RFC 5480, RFC 8017): not every runtime refuses to read one kind as another.
 */
export const ALGORITHMS = [
	{ cose: -8, spki: /^302a300506032b6570032100/, key: { name: 'Ed25519' }, how: { name: 'Ed25519' } },
	{
		cose: -7,
		spki: /^3059301306072a8648ce3d020106082a8648ce3d03010703420004/,
		key: { name: 'ECDSA', namedCurve: 'P-256' },
		how: { name: 'ECDSA', hash: 'SHA-256' },
	},
	{
		cose: -257,
		spki: /^3082[0-9a-f]{4}300d06092a864886f70d0101010500/,
		key: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
		how: { name: 'RSASSA-PKCS1-v1_5' },
	},
] as const;

export interface Expected {
	/** Base64url, as it was asked. */
	readonly challenge: string;
	readonly origin: string;
	readonly host: string;
}

/** All base64url. */
export interface Made {
	readonly id: string;
	readonly clientDataJSON: string;
	readonly authenticatorData: string;
	readonly publicKey: string;
}

export interface Signed {
	readonly clientDataJSON: string;
	readonly authenticatorData: string;
	readonly signature: string;
}

/** The stored facts of the passkey that signed. */
export interface Known {
	/** SubjectPublicKeyInfo, base64url. */
	readonly publicKey: string;
	readonly counter: number;
}

/** The new passkey's counter; null where the answer does not hold. @throws where it is no base64url, no JSON, or no key */
export async function counterOfMade(made: Made, expected: Expected): Promise<number | null> {
	if (!isOfUs(clientOf(made.clientDataJSON), 'webauthn.create', expected)) return null;
	const data = bytesOf(made.authenticatorData);
	const flags = (await isOfHost(data, expected.host)) ? flagsFor(data) : null;
	if (flags === null || !(flags & HAS_KEY) || data.length < ID_LENGTH_AT + 2) return null;
	const length = viewOf(data).getUint16(ID_LENGTH_AT);
	const id = data.slice(ID_LENGTH_AT + 2, ID_LENGTH_AT + 2 + length);
	if (id.length !== length || base64urlnopad.encode(id) !== made.id) return null;
	await readKey(made.publicKey);
	return counterOf(data);
}

/** Why a signature does not hold. `other-request`: another challenge; `not-verified`: the device did not verify its owner. */
export type SignatureFault = 'other-request' | 'other-origin' | 'not-verified' | 'wrong-signature' | 'counted-before';

/** The counter after the signature, or why the answer does not hold. @throws where it is no base64url, no JSON, or no key */
export async function counterOfSigned(
	signed: Signed,
	known: Known,
	expected: Expected,
): Promise<number | SignatureFault> {
	const client = clientOf(signed.clientDataJSON);
	if (client.challenge !== expected.challenge) return 'other-request';
	if (!isOfUs(client, 'webauthn.get', expected)) return 'other-origin';
	const data = bytesOf(signed.authenticatorData);
	if (!(await isOfHost(data, expected.host))) return 'other-origin';
	if (flagsFor(data) === null) return 'not-verified';
	const { key, how } = await readKey(known.publicKey);
	const given = bytesOf(signed.signature);
	const signature = how.name === 'ECDSA' ? compact(given) : given;
	const text = new Uint8Array([...data, ...(await sha256(bytesOf(signed.clientDataJSON)))]);
	if (!(await crypto.subtle.verify(how, key, signature, text))) return 'wrong-signature';
	// A device that counts has signed since; one that does not, says zero.
	const counter = counterOf(data);
	return counter > known.counter || (counter === 0 && known.counter === 0) ? counter : 'counted-before';
}

const clientData = /* @__PURE__ */ z.lazy(() =>
	z.object({ type: z.string(), challenge: z.string(), origin: z.string(), crossOrigin: z.optional(z.boolean()) }),
);

const clientOf = (json: string) => clientData.parse(JSON.parse(new TextDecoder().decode(bytesOf(json))));

/** Was it asked by this site, for this, just now? Never in a frame of another one. */
const isOfUs = (client: z.output<typeof clientData>, type: string, { challenge, origin }: Expected): boolean =>
	client.type === type && client.challenge === challenge && client.origin === origin && client.crossOrigin !== true;

async function isOfHost(data: Bytes, host: string): Promise<boolean> {
	const expected = await sha256(new TextEncoder().encode(host) as Bytes);
	return data.length >= LENGTH && expected.every((byte, i) => data[i] === byte);
}

/** Null where the device did not verify its owner. */
function flagsFor(data: Bytes): number | null {
	const flags = data[32] ?? 0;
	if (!(flags & PRESENT) || !(flags & VERIFIED)) return null;
	return flags & IS_COPIED && !(flags & MAY_BE_COPIED) ? null : flags;
}

/** With how its signatures are verified. @throws where it is no key of these algorithms */
async function readKey(publicKey: string) {
	const bytes = bytesOf(publicKey);
	const text = hex.encode(bytes);
	const algorithm = ALGORITHMS.find(({ spki }) => spki.test(text));
	if (!algorithm) throw new Error('no key of a kind that passkeys have');
	const key = await crypto.subtle.importKey('spki', bytes, algorithm.key, false, ['verify']);
	return { key, how: algorithm.how };
}

/** ECDSA's two numbers side by side, 32 bytes each, as WebCrypto takes them. @throws where it is no DER of two */
function compact(der: Bytes): Bytes {
	const { r, s } = DER.toSig(der);
	return hex.decode([r, s].map((number) => number.toString(16).padStart(64, '0')).join('')) as Bytes;
}

const bytesOf = (text: string): Bytes => base64urlnopad.decode(text) as Bytes;
const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const viewOf = (bytes: Bytes): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const counterOf = (data: Bytes): number => viewOf(data).getUint32(33);
