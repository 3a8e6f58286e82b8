/**
 * The keys of promises: Ed25519, derived from the SEED under a label of their own and the deployment's name, so that no
 * other deployment has them. They have numbers. `PROMISE_KEYS_CHANGED_AT` has the times at which a key gave way to the
 * next one; each pair of neighbours signs the link between them, so who trusts one key can follow to the others. Pure.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64, hex } from '@scure/base';
import { ConfigurationError } from '../../crypto/key-ring.ts';
import type { PromiseKey, PublishedKeys, SignedStatement } from '../../ports/promises.ts';
import type { SignerEnv } from '../env.ts';

/** Hexadecimal digits of a key's id: the first ones of its SHA-256. */
const ID_DIGITS = 16;
/** The bytes before an Ed25519 key in SPKI (RFC 8410). */
const SPKI = hex.decode('302a300506032b6570032100');

interface Key extends Omit<PromiseKey, 'link'> {
	/** Unix seconds; the first has been there always. */
	readonly from: number;
	readonly secret: Uint8Array;
}

export interface PromiseKeys {
	/** With the key of this time, Unix seconds. */
	sign(statement: string, at: number): SignedStatement;
	published(): PublishedKeys;
}

/** @throws ConfigurationError where the times are malformed */
export function promiseKeysOf(
	{ DEPLOYMENT = '', PROMISE_KEYS_CHANGED_AT }: Pick<SignerEnv, 'DEPLOYMENT' | 'PROMISE_KEYS_CHANGED_AT'>,
	seed: Uint8Array,
): PromiseKeys {
	const [first, ...later] = [0, ...changesIn(PROMISE_KEYS_CHANGED_AT)].map((from, i): Key => {
		const label = JSON.stringify(['promise', DEPLOYMENT.trim(), i + 1]);
		const secret = hmac(sha256, seed, bytesOf(label));
		return { from, secret, ...publicForms(ed25519.getPublicKey(secret)) };
	}) as [Key, ...Key[]];
	return {
		sign(statement, at) {
			const key = later.findLast(({ from }) => from <= at) ?? first;
			return { key: key.id, statement, signature: signatureOf(key, statement) };
		},
		published: () => ({
			type: 'partner-exchange/keys/1',
			keys: [publishedKey(first, null), ...later.map((key, i) => publishedKey(key, later[i - 1] ?? first))],
		}),
	};
}

function changesIn(text: string | undefined): number[] {
	const changes = text?.trim()
		? text.split(',').map((each) => (/^\d{1,11}$/.test(each.trim()) ? Number(each) : 0))
		: [];
	if (changes.some((at, i) => at <= (changes[i - 1] ?? 0)))
		throw new ConfigurationError('PROMISE_KEYS_CHANGED_AT must be rising Unix seconds with commas between them');
	return changes;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const publicForms = (bytes: Uint8Array) => ({
	id: hex.encode(sha256(bytes)).slice(0, ID_DIGITS),
	publicKey: base64.encode(bytes),
	pem: `-----BEGIN PUBLIC KEY-----\n${base64.encode(new Uint8Array([...SPKI, ...bytes]))}\n-----END PUBLIC KEY-----\n`,
});

const signatureOf = ({ secret }: Key, statement: string): string =>
	base64.encode(ed25519.sign(bytesOf(statement), secret));

function publishedKey(key: Key, older: Key | null): PromiseKey {
	const { id, publicKey, pem, from } = key;
	if (!older) return { id, publicKey, pem, link: null };
	const statement = JSON.stringify({ after: older.id, from, key: id, publicKey, type: 'partner-exchange/key/1' });
	const link = { statement, byOlder: signatureOf(older, statement), byNewer: signatureOf(key, statement) };
	return { id, publicKey, pem, link };
}
