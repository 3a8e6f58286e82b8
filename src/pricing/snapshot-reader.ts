/**
 * RateBook's snapshot, as an isolate sees it: its own memory first, then KV, then RateBook. Memory is used as it is
 * while it is fresh, and while a newer one is being fetched for up to 30 s (the longest that the contract lets a
 * catalog be behind); what is older is never used. A reader is made once per module: it is this isolate's cache and
 * nothing else. What KV holds decides rates and limits, so it is sealed: what does not open, or is from the future, is
 * not there.
 */
import { openedFromCache, sealedForCache } from '../crypto/cached.ts';
import { type KeyRing, type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { JoinedCalls } from '../platform/joined.ts';
import { logError } from '../platform/log.ts';
import { objectNamed } from '../platform/region.ts';
import type { Env } from '../ports/env.ts';
import type { RateBookRpc } from '../ports/rate-book.ts';

const USABLE_MILLISECONDS = 30_000;
/** A snapshot may be this far ahead of the reader's clock: machines differ a little. */
const CLOCKS_DIFFER_MILLISECONDS = 5_000;
/** A refresh that takes longer counts as lost: the request that began it may have ended. */
const REFRESH_MILLISECONDS = 10_000;

export type SnapshotSource = KeyVariables & Pick<Env, 'CACHE' | 'RATE_BOOK' | 'REGION'>;

type Background = (work: Promise<unknown>) => void;

/** A snapshot as RateBook puts it into KV. */
export const keptSnapshot = (keys: KeyRing, key: string, snapshot: unknown): Promise<string> =>
	sealedForCache(keys, ['snapshot', key], JSON.stringify(snapshot));

/** The snapshot in KV, if it was sealed by RateBook and may still be used at `now`. */
export async function snapshotInKv<T extends { readonly at: number }>(
	source: Omit<SnapshotSource, 'RATE_BOOK'>,
	key: string,
	now: number,
): Promise<T | null> {
	const kept = await source.CACHE.get(key).catch(() => null);
	const text = kept === null ? null : await openedFromCache(keyRing(source, 'SEAL_KEY'), ['snapshot', key], kept);
	if (text === null) return null;
	const snapshot = JSON.parse(text) as T;
	const age = now - snapshot.at;
	return age < USABLE_MILLISECONDS && age >= -CLOCKS_DIFFER_MILLISECONDS ? snapshot : null;
}

interface Kind<T> {
	/** Where RateBook puts it in KV. */
	readonly key: string;
	readonly freshMilliseconds: number;
	readonly ask: (book: DurableObjectStub<RateBookRpc>) => Promise<T>;
	/** A remembered snapshot may become worthless by itself, however lately it was fetched. */
	readonly isUsable?: (snapshot: T, now: number) => boolean;
}

/** `at`: Unix milliseconds when it was built. */
export class SnapshotReader<T extends { readonly at: number }> {
	readonly #kind: Kind<T>;
	readonly #fetches = new JoinedCalls<null, T>();
	#memory: { readonly snapshot: T; readonly fetchedAt: number } | null = null;
	/** Unix milliseconds when the refresh that is under way began; 0 while there is none. */
	#refreshingSince = 0;

	constructor(kind: Kind<T>) {
		this.#kind = kind;
	}

	/**
	 * The snapshot, or null when neither memory, KV nor RateBook has one that may be used. What memory has is there at once,
	 * without a promise: nearly every call is answered from it.
	 */
	readonly read = (source: SnapshotSource, now: number, background: Background): T | null | Promise<T | null> => {
		const known = this.#inMemory(now);
		if (!known) return this.#fetchJoined(source, now, background);
		if (this.#memory && now - this.#memory.fetchedAt >= this.#kind.freshMilliseconds)
			this.#refresh(source, now, background);
		return known;
	};

	/**
	 * This isolate has just changed something in the snapshot and must see it in its next call. An older snapshot, whose
	 * fetching began before that change, does not take the newer's place.
	 */
	readonly use = (snapshot: T): void => {
		const [fetchedAt, memory] = [Date.now(), this.#memory];
		const isFresh = memory !== null && fetchedAt - memory.fetchedAt < this.#kind.freshMilliseconds;
		if (!(isFresh && snapshot.at < memory.snapshot.at)) this.#memory = { snapshot, fetchedAt };
	};

	#inMemory(now: number): T | null {
		if (!this.#memory || now - this.#memory.fetchedAt >= USABLE_MILLISECONDS) return null;
		const { snapshot } = this.#memory;
		return this.#kind.isUsable?.(snapshot, now) === false ? null : snapshot;
	}

	async #fetchAnew(source: SnapshotSource): Promise<T> {
		const snapshot = await this.#kind.ask(objectNamed(source, source.RATE_BOOK, 'book'));
		this.use(snapshot);
		return snapshot;
	}

	#failed(error: unknown): void {
		logError('snapshot_fetch_failed', error, { snapshot: this.#kind.key });
	}

	/** One at a time. */
	#refresh(source: SnapshotSource, now: number, background: Background): void {
		if (now - this.#refreshingSince < REFRESH_MILLISECONDS) return;
		this.#refreshingSince = now;
		const refreshed = this.#fetchAnew(source).catch((error) => this.#failed(error));
		background(
			refreshed.finally(() => {
				this.#refreshingSince = 0;
			}),
		);
	}

	async #fetchFirst(source: SnapshotSource, now: number, background: Background): Promise<T> {
		// Another call may have brought it meanwhile.
		const known = this.#inMemory(Date.now());
		if (known) return known;
		const kept = await snapshotInKv<T>(source, this.#kind.key, now);
		if (!kept) return this.#fetchAnew(source);
		// By no later time than now, or memory would be fresh for longer than its time.
		this.#memory = { snapshot: kept, fetchedAt: Math.min(kept.at, now) };
		this.#refresh(source, now, background);
		return kept;
	}

	/** Calls that come together share it, and none depends on the request of another one. */
	async #fetchJoined(source: SnapshotSource, now: number, background: Background): Promise<T | null> {
		const send = async (calls: readonly null[]) => {
			const snapshot = await this.#fetchFirst(source, now, background);
			return calls.map(() => snapshot);
		};
		try {
			return await this.#fetches.ask(this.#kind.key, null, { send, background });
		} catch (error) {
			this.#failed(error);
			return null;
		}
	}
}
