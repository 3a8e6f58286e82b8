/**
 * A passkey in software: what a browser and an authenticator make of a challenge, so that a test can bend each field.
 * Attestation `none` (WebAuthn Level 3).
 */
import {
	createECDH,
	createHash,
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type KeyObject,
	randomBytes,
	sign,
} from 'node:crypto';

export interface Bent {
	readonly origin?: string;
	readonly host?: string;
	readonly challenge?: string;
	readonly counter?: number;
	/** False: the device did not verify its owner. */
	readonly verified?: boolean;
	readonly userHandle?: string;
	/** As if it was asked for the other ceremony. */
	readonly type?: string;
	readonly crossOrigin?: boolean;
	/** Bits that are set beside the usual ones. */
	readonly flags?: number;
}

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

interface Options {
	readonly challenge: string;
	readonly user?: { readonly id: string };
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const text64 = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** CBOR of a byte string that is shorter than 64 KiB. */
const cborBytes = (bytes: Buffer): Buffer => {
	const { length } = bytes;
	return Buffer.concat([Buffer.from(length < 24 ? [0x40 + length] : [0x59, length >> 8, length & 0xff]), bytes]);
};
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

interface Pair {
	readonly publicKey: KeyObject;
	readonly privateKey: KeyObject;
}

const PAIRS: Readonly<Record<Algorithm, () => Pair>> = {
	ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
	RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
	EdDSA: () => generateKeyPairSync('ed25519'),
};

function pairOf(secret: Buffer): Pair {
	const ecdh = createECDH('prime256v1');
	ecdh.setPrivateKey(secret);
	const [x, y] = [ecdh.getPublicKey().subarray(1, 33), ecdh.getPublicKey().subarray(33)].map(text64);
	const privateKey = createPrivateKey({
		format: 'jwk',
		key: { kty: 'EC', crv: 'P-256', x, y, d: text64(secret) } as never,
	});
	return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** COSE (RFC 9053): key type, algorithm, and what the type has. */
function coseKey(key: KeyObject): Buffer {
	const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
	const coordinate = (label: number, value: string) =>
		Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]);
	if (kty === 'OKP')
		return Buffer.concat([Buffer.from([0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06]), coordinate(0x21, x)]);
	if (kty === 'RSA')
		return Buffer.concat([
			Buffer.from([0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20]),
			cborBytes(Buffer.from(n, 'base64url')),
			Buffer.from([0x21]),
			cborBytes(Buffer.from(e, 'base64url')),
		]);
	return Buffer.concat([
		Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
		coordinate(0x21, x),
		coordinate(0x22, y),
	]);
}

export class Authenticator {
	readonly #keys: Pair;
	readonly #algorithm: Algorithm;
	readonly #id: Buffer;
	readonly #origin: string;
	#handle = '';
	#counter = 0;

	/** `secret`: a P-256 key of 32 bytes, where the passkey is to be the same at each run. */
	constructor(origin: string, algorithm: Algorithm = 'ES256', secret: Buffer | null = null) {
		this.#origin = origin;
		this.#algorithm = algorithm;
		this.#keys = secret ? pairOf(secret) : PAIRS[algorithm]();
		this.#id = secret ? secret.subarray(0, 16) : randomBytes(16);
	}

	get id(): string {
		return text64(this.#id);
	}

	/** SubjectPublicKeyInfo, base64url. */
	get publicKey(): string {
		return text64(this.#keys.publicKey.export({ format: 'der', type: 'spki' }));
	}

	/** COSE. */
	get coseKey(): Uint8Array<ArrayBuffer> {
		return new Uint8Array(coseKey(this.#keys.publicKey));
	}

	/** The answer of `navigator.credentials.create`, as JSON. */
	create({ challenge, user }: Options, bent: Bent = {}): string {
		this.#handle = user?.id ?? '';
		const authData = Buffer.concat([
			this.#authData(ATTESTED, bent),
			Buffer.alloc(16),
			Buffer.from([0, this.#id.length]),
			this.#id,
			coseKey(this.#keys.publicKey),
		]);
		const attestationObject = Buffer.concat([
			Buffer.from([0xa3]),
			cborText('fmt'),
			cborText('none'),
			cborText('attStmt'),
			Buffer.from([0xa0]),
			cborText('authData'),
			cborBytes(authData),
		]);
		return this.#answer({
			clientDataJSON: text64(this.#clientData('webauthn.create', challenge, bent)),
			attestationObject: text64(attestationObject),
			authenticatorData: text64(authData),
			publicKey: this.publicKey,
			transports: ['internal'],
		});
	}

	/** The answer of `navigator.credentials.get`, as JSON. */
	get({ challenge }: Options, bent: Bent = {}): string {
		this.#counter += 1;
		const clientData = this.#clientData('webauthn.get', challenge, bent);
		const authenticatorData = this.#authData(0, bent);
		const digest = this.#algorithm === 'EdDSA' ? null : 'sha256';
		const signature = sign(digest, Buffer.concat([authenticatorData, sha256(clientData)]), this.#keys.privateKey);
		return this.#answer({
			clientDataJSON: text64(clientData),
			authenticatorData: text64(authenticatorData),
			signature: text64(signature),
			userHandle: bent.userHandle ?? this.#handle,
		});
	}

	#answer(response: object): string {
		return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response });
	}

	#clientData(type: string, challenge: string, bent: Bent): Buffer {
		const { origin = this.#origin, crossOrigin = false } = bent;
		const told = { type: bent.type ?? type, challenge: bent.challenge ?? challenge, origin, crossOrigin };
		return Buffer.from(JSON.stringify(told));
	}

	#authData(usual: number, { host, verified = true, counter = this.#counter, flags = 0 }: Bent): Buffer {
		const counted = Buffer.alloc(4);
		counted.writeUInt32BE(counter);
		return Buffer.concat([
			sha256(host ?? new URL(this.#origin).hostname),
			Buffer.from([usual | flags | PRESENT | (verified ? VERIFIED : 0)]),
			counted,
		]);
	}
}
