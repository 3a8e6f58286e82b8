/**
 * A piece of a backup, sealed: gzip, then AES-256-GCM under a key that HKDF derives from SEAL_KEY and the salt of this
 * backup. The place of the piece is bound as additional data, so a piece of another backup, or at another place, does
 * not open. SEAL_KEY is the right secret for it: the Workers have it, and without it the rows of the backup are worth
 * nothing, because no seal in them holds.
 */
import { base64urlnopad } from '@scure/base';
import { type KeyNumbers, type KeyRing, sealingKey } from '../crypto/key-ring.ts';

const IV_BYTES = 12;
const SALT_BYTES = 32;
const LINE = /^[A-Za-z0-9_-]{38,}$/;
const encoder = new TextEncoder();

/** The first line of a backup, in the clear: how to open the others. */
export interface Header {
	readonly id: string;
	/** The number of the SEAL_KEY. */
	readonly keyNumber: number;
	/** 32 bytes in base64url. */
	readonly salt: string;
	/** The deployment that made it; empty where that had no name. A restore into another one needs its name. */
	readonly deployment: string;
}

const HEADER = /^partner-exchange-backup 1 ([0-9a-f-]{36}) (\d{1,4}) ([A-Za-z0-9_-]{43})(?: ([a-z0-9-]{1,32}))?$/;

/** `ring`: the numbers of SEAL_KEY. */
export const newHeader = (ring: KeyNumbers & { readonly deployment: string }): Header => ({
	id: crypto.randomUUID(),
	keyNumber: sealingKey(ring, Date.now()).number,
	salt: base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(SALT_BYTES))),
	deployment: ring.deployment,
});

export const headerLine = ({ id, keyNumber, salt, deployment }: Header): string =>
	['partner-exchange-backup 1', id, keyNumber, salt, deployment].join(' ').trimEnd();

/** Null for anything else. */
export function readHeader(line: string): Header | null {
	const [, id, keyNumber, salt, deployment = ''] = HEADER.exec(line) ?? [];
	return id && salt ? { id, keyNumber: Number(keyNumber), salt, deployment } : null;
}

/** `place`: the number of the piece, from 1 on, or what else it is. @throws where this deployment has no such SEAL_KEY */
export async function sealPiece(ring: KeyRing, header: Header, place: number | 'end', text: string): Promise<string> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
	const packed = await piped(encoder.encode(text) as Uint8Array<ArrayBuffer>, new CompressionStream('gzip'));
	const sealed = new Uint8Array(
		await crypto.subtle.encrypt(parameters(iv, header, place), await keyOf(ring, header), packed),
	);
	const bytes = new Uint8Array(IV_BYTES + sealed.length);
	bytes.set(iv);
	bytes.set(sealed, IV_BYTES);
	return base64urlnopad.encode(bytes);
}

/** Null where it was not sealed by this deployment for this backup and place. */
export async function openPiece(
	ring: KeyRing,
	header: Header,
	place: number | 'end',
	line: string,
): Promise<string | null> {
	if (!LINE.test(line) || !keyNumbered(ring, header)) return null;
	try {
		const bytes = base64urlnopad.decode(line) as Uint8Array<ArrayBuffer>;
		const opened = await crypto.subtle.decrypt(
			parameters(bytes.slice(0, IV_BYTES), header, place),
			await keyOf(ring, header),
			bytes.slice(IV_BYTES),
		);
		return new TextDecoder().decode(await piped(new Uint8Array(opened), new DecompressionStream('gzip')));
	} catch {
		return null;
	}
}

const keyNumbered = ({ current, previous }: KeyRing, { keyNumber }: Header) =>
	[current, previous].find((key) => key?.number === keyNumber);

async function keyOf(ring: KeyRing, header: Header): Promise<CryptoKey> {
	const key = keyNumbered(ring, header);
	if (!key) throw new Error(`SEAL_KEY ${header.keyNumber} is not set`);
	const material = await crypto.subtle.importKey('raw', key.bytes, 'HKDF', false, ['deriveKey']);
	const salt = base64urlnopad.decode(header.salt) as Uint8Array<ArrayBuffer>;
	const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode('partner-exchange backup') };
	return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

const parameters = (iv: Uint8Array<ArrayBuffer>, { id }: Header, place: number | 'end') => ({
	name: 'AES-GCM',
	iv,
	additionalData: encoder.encode(JSON.stringify([id, place])),
});

async function piped(bytes: Uint8Array<ArrayBuffer>, through: CompressionStream): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
}
