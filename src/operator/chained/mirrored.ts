/**
 * The signed heads beside the copies in the bucket. Who sets the signer's journal back together with the database leaves
 * them there: a head that the signer has signed, and does not know, tells of it.
 */
import { base64 } from '@scure/base';
import type { HeadStatement, SignedHead } from '../../ports/heads.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import { allHeads, type Chained } from './heads.ts';

export const HEADS_FOLDER = 'history/heads/';
/** Heads that one hour copies: more wait only where the bucket was bound late. */
const MOST_COPIED = 500;
/** Objects that are read for one check: none as a rule, one where the signer has forgotten heads. */
const MOST_READ = 100;
const AT_DIGITS = 12;

/** In the order of their times. */
export const nameOf = ({ at, number }: Pick<SignedHead, 'at' | 'number'>): string =>
	`${HEADS_FOLDER}${String(at).padStart(AT_DIGITS, '0')}-${number}`;

/** Those that the bucket has not. What it has stays: it may be locked. @throws what R2 or the signer throws */
export async function mirrorHeads({ BACKUPS: bucket, SIGNER }: Chained['env']): Promise<void> {
	if (!bucket) return;
	const [names, heads] = await Promise.all([namesIn(bucket), allHeads(SIGNER)]);
	const missing = heads.filter((head) => !names.has(nameOf(head))).slice(0, MOST_COPIED);
	for (const head of missing)
		await bucket.put(nameOf(head), JSON.stringify(head), { onlyIf: { etagDoesNotMatch: '*' } });
}

/**
 * The newest head of the bucket that the signer's keys have signed, and that is none of these, which it knows; null where
 * there is none. @throws as above
 */
export async function forgottenHead(
	{ BACKUPS: bucket, SIGNER }: Chained['env'],
	known: readonly SignedHead[],
): Promise<HeadStatement | null> {
	if (!bucket) return null;
	const names = await namesIn(bucket);
	for (const head of known) names.delete(nameOf(head));
	if (names.size === 0) return null;
	const { keys } = await SIGNER.promiseKeys();
	for (const name of [...names].sort().reverse().slice(0, MOST_READ)) {
		const head = await (await bucket.get(name))?.json<SignedHead>().catch(() => null);
		if (!head || known.some(({ statement }) => statement === head.statement)) continue;
		const signed = await Promise.all(keys.map(({ publicKey }) => isSignedBy(publicKey, head)));
		const said = signed.includes(true) ? (JSON.parse(head.statement) as HeadStatement) : null;
		if (said?.kind === 'history') return said;
	}
	return null;
}

/** False also where it is no signature. */
async function isSignedBy(publicKey: string, { signature, statement }: SignedStatement): Promise<boolean> {
	try {
		const [key, signed] = [publicKey, signature].map((text) => base64.decode(text)) as [Uint8Array, Uint8Array];
		const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
		return await crypto.subtle.verify('Ed25519', imported, signed, new TextEncoder().encode(statement));
	} catch {
		return false;
	}
}

async function namesIn(bucket: Pick<R2Bucket, 'list'>): Promise<Set<string>> {
	const names = new Set<string>();
	for (let cursor: string | undefined = ''; cursor !== undefined; ) {
		const page: R2Objects = await bucket.list({ prefix: HEADS_FOLDER, ...(cursor && { cursor }) });
		for (const { key } of page.objects) names.add(key);
		cursor = page.truncated ? page.cursor : undefined;
	}
	return names;
}
