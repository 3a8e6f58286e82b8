/** The questions to the signer about the audit log. It keeps the log's chain where nobody writes who writes D1. */

/** `moved on`: new lines are chained. `cut`: the newest line of the chain is not in D1 as it was. `later`: not now. */
export type AuditStep = 'moved on' | 'cut' | 'later';

export interface BrokenLine {
	/** `gap`: lines that were written before it and that the signer never saw. */
	readonly what: 'missing' | 'rewritten' | 'gap';
	readonly number: number;
	/** Unix milliseconds, of the line. */
	readonly at: number;
}

export interface AuditProof {
	/** The chain's length. */
	readonly lines: number;
	/** Unix milliseconds of its first line; null of an empty one. */
	readonly since: number | null;
	readonly wrong: number;
	/** The first ones of those. */
	readonly broken: readonly BrokenLine[];
	/** Lines that were missing or rewritten, and of which a person said that they know why. */
	readonly accepted: number;
	/** SHA-256 that commits to all of it; empty of an empty chain. */
	readonly head: string;
}

export interface AuditedSigner {
	/** Chains the lines that came since. Safe to repeat. @throws what D1 throws */
	followAudit(): Promise<AuditStep>;
	/** Compares every line with the chain. Null where the journal cannot be written now. @throws what D1 throws */
	verifyAudit(): Promise<AuditProof | null>;
	/** A person knows why lines are missing or rewritten: they are wrong no longer. Returns how many. @throws as above */
	acceptAudit(): Promise<number>;
}
