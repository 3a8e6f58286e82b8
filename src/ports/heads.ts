/**
 * The heads of chains that others keep, which the signer signs each hour. It sees no row of them, but remembers what it has
 * signed where nobody writes who writes the database, and signs nothing that goes back. They leave it as they are published
 * (book: history).
 */
import type { SignedStatement } from './promises.ts';

/** The closed list of chains. */
export const HEAD_KINDS = ['history', 'solvency'] as const;
export type HeadKind = (typeof HEAD_KINDS)[number];

export interface Head {
	readonly position: number;
	/** SHA-256 of everything up to there, 64 hexadecimal digits. */
	readonly digest: string;
}

export interface NewHead extends Head {
	readonly kind: HeadKind;
	/** The caller's own chain at the position of the signer's last head of this kind; null where there is none. */
	readonly since: Head | null;
	/**
	 * Null as a rule. A number: a person knows why the chain went back, and heads beyond this position no longer count. Then
	 * `since` is the last head itself.
	 */
	readonly kept: number | null;
}

/** A statement as its text has it, after `JSON.parse`: its names are in the order of RFC 8785. */
export interface HeadStatement extends Head {
	readonly type: 'partner-exchange/head/1';
	readonly kind: HeadKind;
	/** Unix seconds when it was signed. */
	readonly at: number;
	/** Present where a person said so: no earlier head beyond this position counts any more. */
	readonly kept?: number;
	/** SHA-256 of the last statement of this kind, hexadecimal; empty for the first. */
	readonly previous: string;
}

/** The statement with the numbers that it is found by. */
export interface SignedHead extends SignedStatement, Head {
	/** Rises from head to head, of all kinds. */
	readonly number: number;
	/** Unix seconds. */
	readonly at: number;
}

/** Refused: the chain has not got, at its position, what was signed last. */
export type HeadAnswer = { readonly signed: SignedHead } | { readonly refused: SignedHead | null };

export interface HeadSigner {
	/**
	 * Signs a head that goes on from the last one of its kind. Who lost the answer asks `heads` what was signed.
	 * @throws where the journal cannot be written now
	 */
	signHead(head: NewHead): Promise<HeadAnswer>;
	/**
	 * Remembers the newest of these until the next call, where the one that was remembered last is among them; else that one is the
	 * answer, and nothing changes. So what was set back within the hour is seen too. Null where the journal cannot be written now.
	 */
	markHead(kind: HeadKind, heads: readonly Head[]): Promise<Head | null>;
	/** `after`: the number after which a page of them begins, the oldest first; null for the newest alone. */
	heads(kind: HeadKind, after: number | null): Promise<SignedHead[]>;
}
