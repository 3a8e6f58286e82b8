/**
 * A passkey in software: what a browser and an authenticator make of a challenge, so that a test can bend each field.
 * ES256, attestation `none` (WebAuthn Level 3).
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Bent {
	readonly origin?: string;
	readonly host?: string;
	readonly challenge?: string;
	readonly counter?: number;
	/** False: the device did not verify its owner. */
	readonly verified?: boolean;
	readonly userHandle?: string;
}

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
const cborBytes = (bytes: Buffer): Buffer =>
	Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** EC2, ES256, P-256, x, y. */
function coseKey(key: KeyObject): Buffer {
	const { x = '', y = '' } = key.export({ format: 'jwk' });
	const coordinate = (label: number, value: string) =>
		Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]);
	return Buffer.concat([
		Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
		coordinate(0x21, x),
		coordinate(0x22, y),
	]);
}

export class Authenticator {
	readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	readonly #id = randomBytes(16);
	readonly #origin: string;
	#handle = '';
	#counter = 0;

	constructor(origin: string) {
		this.#origin = origin;
	}

	get id(): string {
		return text64(this.#id);
	}

	/** COSE, base64url. */
	get publicKey(): string {
		return text64(coseKey(this.#keys.publicKey));
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
			...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
			...[cborText('authData'), cborBytes(authData)],
		]);
		return this.#answer({
			clientDataJSON: text64(this.#clientData('webauthn.create', challenge, bent)),
			attestationObject: text64(attestationObject),
			transports: ['internal'],
		});
	}

	/** The answer of `navigator.credentials.get`, as JSON. */
	get({ challenge }: Options, bent: Bent = {}): string {
		this.#counter += 1;
		const clientData = this.#clientData('webauthn.get', challenge, bent);
		const authenticatorData = this.#authData(0, bent);
		const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#keys.privateKey);
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
		const origin = bent.origin ?? this.#origin;
		return Buffer.from(JSON.stringify({ type, challenge: bent.challenge ?? challenge, origin, crossOrigin: false }));
	}

	#authData(flags: number, { host, verified = true, counter = this.#counter }: Bent): Buffer {
		const counted = Buffer.alloc(4);
		counted.writeUInt32BE(counter);
		return Buffer.concat([
			sha256(host ?? new URL(this.#origin).hostname),
			Buffer.from([flags | PRESENT | (verified ? VERIFIED : 0)]),
			counted,
		]);
	}
}
