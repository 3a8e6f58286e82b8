/**
 * Step 2: the journal counts its entries, so that one which is older than what the agents remember is noticed
 * (`lost.ts`), and knows when it began.
 */
export const STEP_2 = `
	CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY CHECK (id = 0), number INTEGER NOT NULL, begun_at INTEGER NOT NULL);
	INSERT OR IGNORE INTO entries VALUES (0, 0, unixepoch() * 1000);
`;
