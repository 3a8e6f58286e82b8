/**
 * The head of the chain, signed by the signer each hour. Before it is signed the segments since the last one go to the bucket of
 * backups, where one is bound; afterwards D1 keeps their digests alone. A copy proves itself: its lines lead from the
 * last signed head to this one.
 */
import { and, asc, eq, gt, gte, lte } from 'drizzle-orm';
import type { Db } from '../../platform/d1/database.ts';
import { pick } from '../../platform/pick.ts';
import type { Head, HeadStatement, SignedHead } from '../../ports/heads.ts';
import type { OperatorEnv } from '../env.ts';
import { digestOf, type Segment } from './segment.ts';
import { chainedSegments, isNewest } from './table.ts';

/** Segments of one copy: an hour has 180 of them, unless many have gaps. */
const PER_COPY = 200;
const MOST_COPIES = 10;

export interface Chained {
	readonly env: Pick<OperatorEnv, 'SIGNER' | 'BACKUPS'>;
	readonly db: Db;
}

export type StoredSegment = typeof chainedSegments.$inferSelect;

/** A head that counts, and where the chain was at the one before it. */
export interface Stretch extends Pick<SignedHead, 'position' | 'digest' | 'at'> {
	readonly after: { readonly position: number; readonly digest: string };
	/** Was it signed because a person knew why the chain had gone back? */
	readonly isAccepted: boolean;
}

const START = { position: 0, digest: '' };

/** All that the signer has signed, the oldest first. @throws what the signer throws */
export async function allHeads(signer: Chained['env']['SIGNER']): Promise<SignedHead[]> {
	const all: SignedHead[] = [];
	for (let after: number | null = 0; after !== null; ) {
		const heads: SignedHead[] = await signer.heads('history', after);
		all.push(...heads);
		after = heads.at(-1)?.number ?? null;
	}
	return all;
}

/** The heads that count, the oldest first. */
export function stretchesOf(heads: readonly Pick<SignedHead, 'statement' | 'position' | 'digest' | 'at'>[]): Stretch[] {
	const counting: Stretch[] = [];
	for (const { statement, position, digest, at } of heads) {
		const { kept } = JSON.parse(statement) as HeadStatement;
		while (kept !== undefined && (counting.at(-1)?.position ?? 0) > kept) counting.pop();
		const last = counting.at(-1);
		const isAccepted = kept !== undefined;
		if (last?.position === position && !isAccepted) counting[counting.length - 1] = { ...last, at };
		else counting.push({ position, digest, at, after: last ?? START, isAccepted });
	}
	return counting;
}

export const segmentAt = async (db: Db, position: number): Promise<StoredSegment | undefined> =>
	(await db.select().from(chainedSegments).where(eq(chainedSegments.position, position)))[0];

export const newestSegment = async (db: Db): Promise<StoredSegment | undefined> =>
	(await db.select().from(chainedSegments).where(isNewest()))[0];

/** The last signed head that the chain does not lead to; null where all is signed. @throws what D1, R2 or the signer throws */
export async function signHeads(chained: Chained): Promise<SignedHead | null> {
	for (let copies = 0; copies < MOST_COPIES; copies++) {
		const [last] = await chained.env.SIGNER.heads('history', null);
		const since = last ? await segmentAt(chained.db, last.position) : START;
		if (!since || since.digest !== (last?.digest ?? '')) return last ?? null;
		const segments = await segmentsAfter(chained.db, since.position);
		const head = segments.at(-1) ?? since;
		if (head.position === 0) return null;
		const refused = await signHead(chained, { segments, head, since: last ? since : null, kept: null });
		if (refused || segments.length < PER_COPY) return refused;
	}
	return null;
}

/**
 * The signer remembers the newest segment. What it remembers and D1 has not, or not so; null where all is well. @throws what D1
 * or the signer throws
 */
export async function markNewest({ env, db }: Chained): Promise<Head | null> {
	const newest = await newestSegment(db);
	if (!newest) return env.SIGNER.markHead('history', []);
	const head = pick(newest, 'position', 'digest');
	const last = await env.SIGNER.markHead('history', [head]);
	const own = last && (await segmentAt(db, last.position));
	if (!last || own?.digest !== last.digest) return last;
	// Another run, which was faster, has marked a newer one.
	if (last.position >= head.position) return null;
	return env.SIGNER.markHead('history', [last, head]);
}

/**
 * The chain as it is counts from now on, beyond the last position that a signed head shares with it. Who calls has written
 * why. @throws as above
 */
export async function acceptChain(chained: Chained): Promise<void> {
	const { db, env } = chained;
	const [last] = await env.SIGNER.heads('history', null);
	const head = await newestSegment(db);
	if (!head) return;
	let kept = START;
	for (const { position, digest } of stretchesOf(await allHeads(env.SIGNER)).toReversed()) {
		if ((await segmentAt(db, position))?.digest !== digest) continue;
		kept = { position, digest };
		break;
	}
	const segments = await segmentsAfter(db, kept.position, head.position - kept.position);
	await signHead(chained, { segments, head, since: last ?? null, kept: kept.position });
}

const segmentsAfter = (db: Db, position: number, most = PER_COPY) =>
	db
		.select()
		.from(chainedSegments)
		.where(gt(chainedSegments.position, position))
		.orderBy(asc(chainedSegments.position))
		.limit(most);

interface Signing {
	readonly segments: readonly StoredSegment[];
	readonly head: Pick<Segment, 'position' | 'digest'>;
	readonly since: Pick<Segment, 'position' | 'digest'> | null;
	readonly kept: number | null;
}

/** The copy is there before the head is signed: whatever is signed can be compared. */
async function signHead({ db, env }: Chained, { segments, head, since, kept }: Signing): Promise<SignedHead | null> {
	const { BACKUPS: bucket, SIGNER } = env;
	const isCopied = bucket !== undefined && segments.every(({ lines }) => lines !== null);
	if (isCopied && segments.length > 0) await bucket.put(keyOf(head), JSON.stringify(segments));
	const own = pick(head, 'position', 'digest');
	const answer = await SIGNER.signHead({
		kind: 'history',
		...own,
		since: since && pick(since, 'position', 'digest'),
		kept,
	});
	if ('refused' in answer) return answer.refused;
	const [first] = segments;
	if (isCopied && first)
		await db
			.update(chainedSegments)
			.set({ lines: null })
			.where(and(gte(chainedSegments.position, first.position), lte(chainedSegments.position, own.position)));
	return null;
}

const keyOf = ({ position, digest }: Pick<Segment, 'position' | 'digest'>): string =>
	`history/${String(position).padStart(12, '0')}-${digest}`;

/** The segments up to a head, from the bucket. Null where it has none that lead there. */
export async function copyOf(bucket: Pick<R2Bucket, 'get'> | undefined, stretch: Stretch): Promise<Segment[] | null> {
	const stored = await bucket?.get(keyOf(stretch));
	if (!stored) return null;
	const segments = await stored.json<Segment[]>().catch(() => []);
	return (await digestAfter(stretch.after, segments)) === stretch.digest ? segments : null;
}

/** The digest that these segments lead to; null where they do not follow one another. */
export async function digestAfter(
	{ position, digest }: Stretch['after'],
	segments: readonly Segment[],
): Promise<string | null> {
	let before = digest;
	for (const [i, segment] of segments.entries()) {
		if (segment.position !== position + i + 1 || (await digestOf(before, segment)) !== segment.digest) return null;
		before = segment.digest;
	}
	return before;
}
