/** Step 1 of the journal's schema. */

/** Whose nonce it is: empty for the hot wallet, else the pay-in address. `journal/spends.ts` queries by these words. */
const OWNER = "lower(substr(spend, 1, max(instr(spend, 'nonce:') - 2, 0)))";
const NONCE = "CAST(substr(spend, instr(spend, 'nonce:') + 6) AS INTEGER)";
const IS_NONCE = "instr(spend, 'nonce:') > 0";

export const STEP_1 = `
	CREATE TABLE IF NOT EXISTS payments (
		payout_id TEXT PRIMARY KEY, network TEXT NOT NULL, asset TEXT NOT NULL, to_address TEXT NOT NULL, amount TEXT NOT NULL
	) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS versions (
		payout_id TEXT NOT NULL, version INTEGER NOT NULL, tx_id TEXT NOT NULL, raw TEXT NOT NULL, fee TEXT NOT NULL,
		at INTEGER NOT NULL, PRIMARY KEY (payout_id, version)
	) WITHOUT ROWID;
	CREATE INDEX IF NOT EXISTS versions_raised ON versions (payout_id) WHERE version > 0;
	CREATE TABLE IF NOT EXISTS decided (payout_id TEXT NOT NULL PRIMARY KEY, tx_id TEXT NOT NULL) WITHOUT ROWID;

	CREATE TABLE IF NOT EXISTS given_up (payout_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS given_up_orders (order_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

	CREATE TABLE IF NOT EXISTS indexes (scope TEXT PRIMARY KEY, next INTEGER NOT NULL);
	CREATE TABLE IF NOT EXISTS addresses (
		network TEXT NOT NULL, address TEXT NOT NULL, derivation_index INTEGER NOT NULL, PRIMARY KEY (network, address)
	) WITHOUT ROWID;

	CREATE TABLE IF NOT EXISTS signatures (
		payout_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, kind TEXT NOT NULL, network TEXT NOT NULL, raw TEXT NOT NULL,
		tx_id TEXT NOT NULL, day TEXT NOT NULL, usd_cents INTEGER NOT NULL, at INTEGER NOT NULL, from_network TEXT NOT NULL
	);
	CREATE INDEX IF NOT EXISTS signatures_from ON signatures (from_network, at);
	CREATE UNIQUE INDEX IF NOT EXISTS signatures_payout ON signatures (order_id) WHERE kind = 'payout';

	CREATE TABLE IF NOT EXISTS spends (
		network TEXT NOT NULL, spend TEXT NOT NULL, payout_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (network, spend)
	) WITHOUT ROWID;
	CREATE INDEX IF NOT EXISTS spends_at ON spends (network, at);
	CREATE INDEX IF NOT EXISTS spends_payout ON spends (payout_id);
	CREATE INDEX IF NOT EXISTS spends_nonces ON spends (network, ${OWNER}, ${NONCE}) WHERE ${IS_NONCE};

	CREATE TABLE IF NOT EXISTS claims (
		network TEXT NOT NULL, tx_id TEXT NOT NULL, position TEXT NOT NULL, address TEXT NOT NULL, asset TEXT NOT NULL,
		amount TEXT NOT NULL, payout_id TEXT NOT NULL, PRIMARY KEY (network, tx_id, position, address)
	) WITHOUT ROWID;
	CREATE INDEX IF NOT EXISTS claims_address ON claims (network, address);

	CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
	CREATE TABLE IF NOT EXISTS refund_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
	CREATE TABLE IF NOT EXISTS withdrawal_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);

	CREATE TABLE IF NOT EXISTS earnings (
		order_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, asset TEXT NOT NULL, amount TEXT NOT NULL
	) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS earnings_paid (order_id TEXT PRIMARY KEY, payout_id TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS earnings_withdrawn (payout_id TEXT PRIMARY KEY) WITHOUT ROWID;

	CREATE TABLE IF NOT EXISTS movements (
		id TEXT PRIMARY KEY, kind TEXT NOT NULL, network TEXT NOT NULL, address TEXT NOT NULL, asset TEXT NOT NULL,
		amount TEXT NOT NULL, raw TEXT NOT NULL, tx_id TEXT NOT NULL, at INTEGER NOT NULL
	);
	CREATE INDEX IF NOT EXISTS movements_address ON movements (network, address, kind, at);

	CREATE TABLE IF NOT EXISTS address_orders (
		network TEXT NOT NULL, address TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (network, address)
	) WITHOUT ROWID;
`;
