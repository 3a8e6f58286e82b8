/**
 * The heads that were signed, of each kind in their order. The next one has to go on from the last: so a database that was
 * set back, together with the chain in it, cannot go on as if nothing had been.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import type { Head, HeadAnswer, HeadKind, HeadStatement, NewHead, SignedHead } from '../../ports/heads.ts';
import { HEAD_KINDS } from '../../ports/heads.ts';
import type { PromiseKeys } from '../promises/keys.ts';
import { JournalPart } from './part.ts';

const PER_PAGE = 500;
const MARK = 'head ';
const COLUMNS = 'SELECT number, position, digest, at, key, statement, signature FROM heads WHERE kind = ?';

type Row = { [Column in keyof SignedHead]: SignedHead[Column] };

export class Heads extends JournalPart {
	/** As `HeadSigner.heads`. */
	after(kind: HeadKind, after: number | null): SignedHead[] {
		return after === null
			? this.rows<Row>(`${COLUMNS} ORDER BY number DESC LIMIT 1`, kind)
			: this.rows<Row>(`${COLUMNS} AND number > ? ORDER BY number LIMIT ${PER_PAGE}`, kind, after);
	}

	/** As `HeadSigner.markHead`: one synchronous turn. */
	mark(kind: HeadKind, heads: readonly Head[]): Head | null {
		const { kv } = this.storage;
		const last = kv.get<Head>(MARK + kind) ?? null;
		if (last && !heads.some(({ position, digest }) => position === last.position && digest === last.digest))
			return last;
		const newest = heads.at(-1);
		if (newest) kv.put(MARK + kind, newest);
		return null;
	}

	/**
	 * Atomic: the last head is judged, and the new one is signed and stored, in one synchronous turn. `at`: Unix seconds.
	 * @throws TypeError where it is no head
	 */
	sign(keys: PromiseKeys, { kind, position, digest, since, kept }: NewHead, at: number): HeadAnswer {
		if (!HEAD_KINDS.includes(kind) || !/^[0-9a-f]{64}$/.test(digest) || ![position, kept ?? 0].every(isPosition))
			throw new TypeError('no head');
		const [last] = this.after(kind, null);
		const isLast = since?.position === last?.position && since?.digest === last?.digest;
		const isAhead =
			!last || position > last.position || (position === last.position && digest === last.digest) || kept !== null;
		if (!isLast || !isAhead || at < (last?.at ?? 0)) return { refused: last ?? null };
		const previous = last ? hex.encode(sha256(new TextEncoder().encode(last.statement))) : '';
		const more = { kind, position, previous, type: 'partner-exchange/head/1' } as const;
		const told: HeadStatement = { at, digest, ...(kept !== null && { kept }), ...more };
		const { key, statement, signature } = keys.sign(JSON.stringify(told), at);
		if (kept !== null) this.storage.kv.delete(MARK + kind);
		const row = [kind, position, digest, at, key, statement, signature];
		this.rows('INSERT INTO heads VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)', ...row);
		return { signed: this.after(kind, null)[0] as SignedHead };
	}
}

const isPosition = (position: number): boolean => Number.isSafeInteger(position) && position >= 0;
