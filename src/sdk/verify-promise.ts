/**
 * Is a signed promise the service's, and does it promise what was agreed? The signature of the signer, which alone has the
 * wallets, over the exact statement; the key against those that you trust; the terms against yours (book: verify).
 */
import { PromiseError } from './errors.ts';
import { bytesOf } from './sign.ts';

/** As the order's field `promise` and the files of the order page have it. */
export interface SignedPromise {
	readonly key: string;
	readonly statement: string;
	readonly signature: string;
}

interface Side {
	readonly address: string;
	readonly code: string;
	readonly network: string;
}

/** The signed text, parsed. */
export interface PromiseStatement {
	readonly type: 'partner-exchange/promise/1';
	/** Unix seconds when it was signed. */
	readonly at: number;
	/** The order's id. */
	readonly id: string;
	readonly from: Side;
	readonly to: Side;
	readonly back: { readonly address: string };
	/** Absent where the order has none: the least that it brings for this amount, else its deposit goes back. */
	readonly floor?: { readonly fromAmount: string; readonly minToAmount: string };
	/** Basis points of the rate: the service's margin and its partner's. */
	readonly marginBps: number;
	/** The payments that were signed for the deposits until then; amounts are null where they are not on record. */
	readonly payments: readonly {
		readonly kind: 'payout' | 'refund';
		readonly code: string | null;
		readonly amount: string | null;
		readonly txId: string;
		readonly deposits: readonly { readonly amount: string; readonly txId: string }[];
	}[];
}

/** `/.well-known/partner-exchange-keys.json`: it is believed as far as its links lead to a key that you trust. */
export interface PromiseKeys {
	readonly keys: readonly {
		readonly publicKey: string;
		readonly link: { readonly statement: string; readonly byOlder: string; readonly byNewer: string } | null;
	}[];
}

/** A term that is left out is not compared. */
export interface PromiseExpected {
	readonly id?: string | undefined;
	readonly from?: Partial<Side> | undefined;
	readonly to?: Partial<Side> | undefined;
	readonly back?: { readonly address?: string | undefined } | undefined;
	readonly floor?: { readonly fromAmount?: string | undefined; readonly minToAmount?: string | undefined } | undefined;
	readonly maxMarginBps?: number | undefined;
}

export interface VerifyPromiseOptions {
	/** The public keys that you trust, base64. */
	readonly trusted: string | readonly string[];
	/** Leads from them to newer and older ones. */
	readonly published?: PromiseKeys | null | undefined;
	readonly expected?: PromiseExpected | undefined;
	/** So many seconds from now it was signed at most, either way; any time without it. */
	readonly maxAgeSeconds?: number | undefined;
	/** Unix milliseconds; the clock's without it. */
	readonly now?: number | undefined;
}

interface Key {
	readonly publicKey: string;
	/** Unix seconds. */
	from: number;
	until: number;
}

const ID_DIGITS = 16;

/** The statement. @throws PromiseError where anything of it is not as it should be */
export async function verifyPromise(
	promise: SignedPromise | null | undefined,
	{ trusted, published, expected = {}, maxAgeSeconds, now = Date.now() }: VerifyPromiseOptions,
): Promise<PromiseStatement> {
	const statement = await verifyStatement<PromiseStatement>(promise, 'partner-exchange/promise/1', {
		trusted,
		published,
	});
	const age = Math.abs(now / 1000 - statement.at);
	if (maxAgeSeconds !== undefined && age > maxAgeSeconds) throw new PromiseError('not-of-now');
	const { maxMarginBps = statement.marginBps, ...terms } = expected;
	const other = differing(terms, statement) ?? (statement.marginBps > maxMarginBps ? 'marginBps' : null);
	if (other !== null) throw new PromiseError('other-terms', other);
	return statement;
}

/** Whatever the signer says, parsed: its key, the signature over exactly this text, its type. @throws PromiseError as above */
export async function verifyStatement<Statement extends { readonly type: string; readonly at: number }>(
	signed: SignedPromise | null | undefined,
	type: Statement['type'],
	{ trusted, published }: Pick<VerifyPromiseOptions, 'trusted' | 'published'>,
): Promise<Statement> {
	if (!signed) throw new PromiseError('missing');
	const { key: id, statement: text, signature } = signed;
	if ([id, text, signature].some((each) => typeof each !== 'string')) throw new PromiseError('malformed');
	const key = (await keysFrom([trusted].flat(), published)).get(id);
	if (!key) throw new PromiseError('key-unknown');
	if (!(await isSigned(key.publicKey, signature, text))) throw new PromiseError('signature-wrong');
	const statement = jsonIn(text) as Statement | null;
	if (statement?.type !== type || !Number.isFinite(statement.at)) throw new PromiseError('malformed');
	if (statement.at < key.from || statement.at >= key.until) throw new PromiseError('key-old');
	return statement;
}

/** The trusted keys by their ids, and those that signed links lead to. */
async function keysFrom(trusted: readonly string[], published: PromiseKeys | null | undefined) {
	const keys = new Map<string, Key>();
	const add = async (publicKey: string): Promise<Key> => {
		const id = await idOf(publicKey);
		const key = keys.get(id) ?? { publicKey, from: 0, until: Number.POSITIVE_INFINITY };
		keys.set(id, key);
		return key;
	};
	await Promise.all(trusted.map(add));
	const offered = published?.keys ?? [];
	// A link may be reached only by another one: each pass goes one further, in either direction.
	for (let pass = 0; pass < offered.length; pass++) {
		for (const [i, { publicKey, link }] of offered.entries()) {
			const older = offered[i - 1]?.publicKey;
			if (!link || older === undefined) continue;
			const { statement, byOlder, byNewer } = link;
			const { after, key, publicKey: named, from, type } = Object(jsonIn(statement)) as Record<string, unknown>;
			const [olderId, newerId] = [await idOf(older), await idOf(publicKey)];
			const isOf = type === 'partner-exchange/key/1' && after === olderId && key === newerId && named === publicKey;
			if (!isOf || typeof from !== 'number' || !(keys.has(olderId) || keys.has(newerId))) continue;
			const signed = await Promise.all([isSigned(older, byOlder, statement), isSigned(publicKey, byNewer, statement)]);
			if (signed.includes(false)) continue;
			(await add(older)).until = from;
			(await add(publicKey)).from = from;
		}
	}
	return keys;
}

async function idOf(publicKey: string): Promise<string> {
	const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', fromBase64(publicKey)));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
		.join('')
		.slice(0, ID_DIGITS);
}

/** False also for a key or a signature that is none. */
async function isSigned(publicKey: string, signature: string, text: string): Promise<boolean> {
	try {
		const key = await crypto.subtle.importKey('raw', fromBase64(publicKey), 'Ed25519', false, ['verify']);
		return await crypto.subtle.verify('Ed25519', key, fromBase64(signature), bytesOf(text));
	} catch {
		return false;
	}
}

/** Nothing for what is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
	return Uint8Array.from(isBase64 ? atob(text) : '', (letter) => letter.charCodeAt(0));
}

function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** The name of the first term that differs; null where none does. */
function differing(expected: object, found: unknown, path = ''): string | null {
	for (const [name, value] of Object.entries(expected)) {
		const [at, other] = [path + name, Object(found)[name]];
		const differs =
			typeof value === 'object'
				? differing(value, other, `${at}.`)
				: value !== undefined && value !== other
					? at
					: null;
		if (differs !== null) return differs;
	}
	return null;
}
