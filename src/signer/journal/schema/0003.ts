/** Step 3: the chain of the audit log (`journal/audit-chain.ts`). */
export const STEP_3 = `
	CREATE TABLE IF NOT EXISTS audit_links (
		position INTEGER PRIMARY KEY, number INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, link TEXT NOT NULL,
		accepted_at INTEGER, gap_accepted_at INTEGER
	);
`;
