/**
 * The keys of one purpose, read from a Worker's variables: the current one, and while the operator rotates it, the one
 * before. A key has a number, which everything that is made with it names:
 *
 *   NAME              32 bytes in base64 or base64url, with or without padding
 *   NAME_NUMBER       its number, a whole number; 1 where it is not set
 *   NAME_NEXT         the key whose number is one more
 *   NAME_PREVIOUS     the key whose number is one less
 *   NAME_CHANGED_AT   Unix seconds of the change; the older key is valid for what is older
 *   NAME_LEAKED       older keys that leaked, the newest first, with commas between them: nothing that they made counts.
 *                     They only tell `keys reseal --leaked` what was made with them and what not even that
 *
 * DEPLOYMENT names the deployment: each key that is used is derived from the key and this name, so that two deployments that
 * were given one key share no seal, no secret and no backup. Without a name the key is used as it is.
 *
 * Either NAME_NEXT or NAME_PREVIOUS is set while a key is replaced. Until the change the older key goes on sealing, so
 * nothing fails while one Worker or object knows the new key and another one does not yet.
 *
 * Pure, but for a memory of what it has read: the same text gives the same ring.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

const KEY_BYTES = 32;
const MAX_NUMBER = 9_999;

export type KeyName = 'SEAL_KEY' | 'SECRETS_KEY' | 'API_KEY_KEY';

/** The variables beside a key. */
const OF_KEY = ['NUMBER', 'NEXT', 'PREVIOUS', 'CHANGED_AT', 'LEAKED'] as const;

export type KeyVariables = {
	readonly [name in 'DEPLOYMENT' | KeyName | `${KeyName}_${(typeof OF_KEY)[number]}`]?: string;
};

export const DEPLOYMENT_WORDS = 'small letters, digits and hyphens, 32 at most';
export const DEPLOYMENT_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/;

export interface Key {
	readonly number: number;
	/** 32 bytes, of this deployment. */
	readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface KeyRing {
	readonly name: KeyName;
	/** Empty where it has no name. */
	readonly deployment: string;
	readonly current: Key;
	/** `until`: Unix milliseconds; only what is older was made with it. */
	readonly previous: (Key & { readonly until: number }) | null;
	/** The newest first. Only `asIfValid` asks them. */
	readonly leaked: readonly Key[];
}

/** The numbers of a ring, which are no secret. */
export interface KeyNumbers {
	readonly name: KeyName;
	readonly current: Pick<Key, 'number'>;
	readonly previous: { readonly number: number; readonly until: number } | null;
	readonly leaked: readonly Pick<Key, 'number'>[];
}

const numberOf = ({ number }: Pick<Key, 'number'>) => ({ number });

export const numbersIn = ({ name, current, previous, leaked }: KeyRing): KeyNumbers => ({
	name,
	current: numberOf(current),
	previous: previous && { number: previous.number, until: previous.until },
	leaked: leaked.map(numberOf),
});

/** A variable or secret is missing or malformed. The message names it and never shows its value. */
export class ConfigurationError extends Error {
	override readonly name = 'ConfigurationError';
}

const rings = new Map<string, KeyRing>();
/** One for each purpose; more only in tests. */
const MAX_RINGS = 50;

/** @throws ConfigurationError */
export function keyRing(variables: KeyVariables, name: KeyName): KeyRing {
	const deployment = variables.DEPLOYMENT?.trim() ?? '';
	const texts = [variables[name], ...OF_KEY.map((of) => variables[`${name}_${of}`])];
	const memory = JSON.stringify([name, deployment, ...texts]);
	const known = rings.get(memory);
	if (known) return known;
	const [text, number, next, previous, changedAt, leaked] = texts;
	if (deployment !== '' && !DEPLOYMENT_PATTERN.test(deployment))
		throw new ConfigurationError(`DEPLOYMENT must be ${DEPLOYMENT_WORDS}`);
	const ring = ofDeployment(deployment, name, { text, number, next: next || undefined, previous, changedAt, leaked });
	if (rings.size < MAX_RINGS) rings.set(memory, ring);
	return ring;
}

/** The key that made what names this number and was made at `at`, Unix milliseconds; null where no key here did. */
export function keyNumbered({ current, previous }: KeyRing, number: number, at: number): Key | null {
	if (number === current.number) return current;
	return previous && number === previous.number && at < previous.until ? previous : null;
}

/** The key that seals at `now`, Unix milliseconds: the older one until the change. */
export const sealingKey = <K extends Pick<Key, 'number'>>(
	{ current, previous }: { readonly current: K; readonly previous: (K & { readonly until: number }) | null },
	now: number,
): K => (previous && now < previous.until ? previous : current);

/** The leaked keys as if they had not leaked, each in a ring of its own: what they made may be looked at, and no more. */
export const asIfValid = ({ name, deployment, leaked }: KeyRing): KeyRing[] =>
	leaked.map((current) => ({ name, deployment, current, previous: null, leaked: [] }));

type Ring = Pick<KeyRing, 'current' | 'previous' | 'leaked'>;

type Texts = Readonly<Record<'text' | 'number' | 'next' | 'previous' | 'changedAt' | 'leaked', string | undefined>>;

function ofDeployment(deployment: string, name: KeyName, texts: Texts): KeyRing {
	const { current, previous, leaked } = readRing(name, texts);
	if (deployment === '') return { name, deployment, current, previous, leaked };
	const info = new TextEncoder().encode(JSON.stringify(['deployment', deployment]));
	const own = <K extends Key>(key: K): K => ({ ...key, bytes: hmac(sha256, key.bytes, info) });
	return { name, deployment, current: own(current), previous: previous && own(previous), leaked: leaked.map(own) };
}

function readRing(name: KeyName, { text, number: numberText, next, previous, changedAt, leaked }: Texts): Ring {
	const number = numberText === undefined ? 1 : wholeNumber(`${name}_NUMBER`, numberText, MAX_NUMBER);
	const named = keyOf(name, number, text);
	if (leaked) {
		if (next !== undefined || previous !== undefined)
			throw new ConfigurationError(
				`${name}_LEAKED excludes ${name}_NEXT and ${name}_PREVIOUS: nothing of a leaked key counts`,
			);
		return { current: named, previous: null, leaked: leakedKeys(name, number, leaked) };
	}
	if (next === undefined && previous === undefined) return { current: named, previous: null, leaked: [] };
	if (next !== undefined && previous !== undefined)
		throw new ConfigurationError(`${name}_PREVIOUS must be removed before ${name}_NEXT is set`);
	if (previous !== undefined && number < 2)
		throw new ConfigurationError(`${name}_NUMBER must be 2 or more while ${name}_PREVIOUS is set`);
	if (changedAt === undefined)
		throw new ConfigurationError(`${name}_CHANGED_AT is missing: Unix seconds since when the new key is used`);
	const until = wholeNumber(`${name}_CHANGED_AT`, changedAt, 99_999_999_999) * 1000;
	const [current, older] =
		next === undefined
			? [named, keyOf(`${name}_PREVIOUS`, number - 1, previous)]
			: [keyOf(`${name}_NEXT`, number + 1, next), named];
	return { current, previous: { ...older, until }, leaked: [] };
}

function leakedKeys(name: KeyName, number: number, text: string): Key[] {
	const texts = text.split(',');
	if (number <= texts.length)
		throw new ConfigurationError(`${name}_NUMBER must be more than the number of keys in ${name}_LEAKED`);
	return texts.map((each, i) => keyOf(`${name}_LEAKED`, number - 1 - i, each));
}

const keyOf = (variable: string, number: number, text: string | undefined): Key => ({
	number,
	bytes: keyBytes(variable, text),
});

function keyBytes(variable: string, text: string | undefined): Uint8Array<ArrayBuffer> {
	if (!text) throw new ConfigurationError(`${variable} is missing`);
	const bytes = decodedBytes(text.trim().replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'));
	if (!bytes) throw new ConfigurationError(`${variable} is neither base64 nor base64url`);
	if (bytes.length !== KEY_BYTES)
		throw new ConfigurationError(`${variable} holds ${bytes.length} bytes instead of ${KEY_BYTES}`);
	return bytes;
}

/** The bytes of base64url without padding; null where the text is none. */
export function decodedBytes(text: string): Uint8Array<ArrayBuffer> | null {
	try {
		return base64urlnopad.decode(text) as Uint8Array<ArrayBuffer>;
	} catch {
		return null;
	}
}

function wholeNumber(variable: string, text: string, max: number): number {
	const number = /^\d{1,11}$/.test(text) ? Number(text) : 0;
	if (number < 1 || number > max) throw new ConfigurationError(`${variable} is no whole number between 1 and ${max}`);
	return number;
}
