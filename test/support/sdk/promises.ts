/** Signed promises for the vectors, made with Node's own Ed25519: of a service that has replaced its key once. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { EXAMPLE_ORDER } from '../../../src/orders/example.ts';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_BYTES = 32;
const AT = 1_795_176_000;
/** When the second key began, Unix seconds. */
const CHANGED_AT = AT - 1_000;

/** `name`: the key is always the same for it. */
function keyNamed(name: string) {
	const seed = createHash('sha256').update(name).digest();
	const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
	const bytes = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
	return {
		id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
		publicKey: bytes.toString('base64'),
		sign: (text: string) => sign(null, Buffer.from(text), secret).toString('base64'),
	};
}

type VectorKey = ReturnType<typeof keyNamed>;

const [FIRST, SECOND, FORGED] = ['first', 'second', 'forged'].map(keyNamed) as [VectorKey, VectorKey, VectorKey];

const { id, from, to, back } = EXAMPLE_ORDER;

const statementAt = (at: number, type = 'partner-exchange/promise/1'): string =>
	JSON.stringify({
		at,
		back: { address: back.address },
		from: { address: from.address, code: from.code, network: from.network },
		id,
		marginBps: 150,
		payments: [],
		to: { address: to.address, code: to.code, network: to.network },
		type,
	});

const STATEMENT = statementAt(AT);

interface Change {
	readonly statement?: string;
	/** What is signed, where that is not what came. */
	readonly signed?: string;
	readonly by?: VectorKey;
	/** The key that is named, where that is not the one that signed. */
	readonly named?: VectorKey;
	readonly trusted?: readonly VectorKey[];
	readonly expected?: object;
}

function promiseVector(name: string, result: string, change: Change = {}) {
	const {
		statement = STATEMENT,
		signed = statement,
		by = SECOND,
		named = by,
		trusted = [SECOND],
		expected = {},
	} = change;
	return {
		name,
		promise: { key: named.id, statement, signature: by.sign(signed) },
		trusted: trusted.map(({ publicKey }) => publicKey),
		expected,
		result,
	};
}

const ATTACKER = '0x000000000000000000000000000000000000bEEF';

export const PROMISES = [
	promiseVector('the terms that were agreed', 'authentic', {
		expected: { id, to: { address: to.address, code: 'ETH' } },
	}),
	promiseVector('with one of two keys', 'authentic', { trusted: [FIRST, SECOND] }),
	promiseVector('another recipient, written into the statement', 'signature-wrong', {
		statement: STATEMENT.replace(to.address, ATTACKER),
		signed: STATEMENT,
	}),
	promiseVector('another pay-in address, written into the statement', 'signature-wrong', {
		statement: STATEMENT.replace(from.address, 'ltc1qattacker'),
		signed: STATEMENT,
	}),
	promiseVector('a blank more', 'signature-wrong', { statement: `${STATEMENT} `, signed: STATEMENT }),
	promiseVector('a forged key', 'key-unknown', { by: FORGED }),
	promiseVector('a forged key under the name of a true one', 'signature-wrong', { by: FORGED, named: SECOND }),
	promiseVector('another instance', 'key-unknown', { by: SECOND, trusted: [FIRST] }),
	promiseVector('another order', 'other-terms', { expected: { id: '00000000-0000-4000-8000-000000000000' } }),
	promiseVector('another recipient than agreed', 'other-terms', { expected: { to: { address: ATTACKER } } }),
	promiseVector('another asset than agreed', 'other-terms', { expected: { to: { code: 'USDT_ERC20' } } }),
	promiseVector('a statement that is no promise', 'malformed', {
		statement: statementAt(AT, 'partner-exchange/key/1'),
	}),
];

function linkOf(older: VectorKey, newer: VectorKey, signers: readonly [VectorKey, VectorKey] = [older, newer]) {
	const { id: key, publicKey } = newer;
	const statement = JSON.stringify({
		after: older.id,
		from: CHANGED_AT,
		key,
		publicKey,
		type: 'partner-exchange/key/1',
	});
	return { statement, byOlder: signers[0].sign(statement), byNewer: signers[1].sign(statement) };
}

const published = (newer: VectorKey, link: ReturnType<typeof linkOf>) => ({
	keys: [
		{ publicKey: FIRST.publicKey, link: null },
		{ publicKey: newer.publicKey, link },
	],
});

const PUBLISHED = published(SECOND, linkOf(FIRST, SECOND));

/** With the document of the keys, which leads from a key to its neighbours. */
export const KEY_LINKS = [
	{
		...promiseVector('the second key, by who trusts the first', 'authentic', { trusted: [FIRST] }),
		published: PUBLISHED,
	},
	{
		...promiseVector('the first key, by who trusts the second, for a promise of its time', 'authentic', {
			by: FIRST,
			statement: statementAt(CHANGED_AT - 1),
		}),
		published: PUBLISHED,
	},
	{ ...promiseVector('an old key', 'key-old', { by: FIRST, trusted: [FIRST] }), published: PUBLISHED },
	{
		...promiseVector('a key before its time', 'key-old', { statement: statementAt(CHANGED_AT - 1) }),
		published: PUBLISHED,
	},
	{
		...promiseVector('a forged key, linked by itself', 'key-unknown', { by: FORGED, trusted: [FIRST] }),
		published: published(FORGED, linkOf(FIRST, FORGED, [FORGED, FORGED])),
	},
	{
		...promiseVector('a forged key under the link of a true one', 'key-unknown', { by: FORGED, trusted: [FIRST] }),
		published: published(FORGED, linkOf(FIRST, SECOND)),
	},
];
