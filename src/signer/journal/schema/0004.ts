/** Step 4: where each partner's earnings go, as it was set last: D1 may be set back to an address that was replaced. */
export const STEP_4 = `
	CREATE TABLE IF NOT EXISTS payout_addresses (
		partner_id TEXT PRIMARY KEY, asset TEXT NOT NULL, address TEXT NOT NULL, changed_at INTEGER NOT NULL
	) WITHOUT ROWID;
`;
