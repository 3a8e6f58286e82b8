/**
 * Step 1 of the journal's schema: all of it. `entries` counts what the journal has, so that one which is older than what the
 * agents remember is noticed (`lost.ts`), and knows when it began. `audit_links` is the chain of the audit log
 * (`journal/audit-chain.ts`). `payout_addresses` is where each partner's earnings go, as it was set last: D1 may be set back
 * to an address that was replaced. `lately` has what was signed in the last months for deposits of each network. `moved` names
 * the volume that each older order's entries are in (`volumes.ts`). `confirmations` has what persons have signed with their
 * passkeys, and `confirmed_moves` what for (`journal/confirmed.ts`). `heads` are those that were signed of others' chains
 * (`journal/heads.ts`).
 */

/** Whose nonce it is: empty for the hot wallet, else the pay-in address. `journal/spends.ts` queries by these words. */
const OWNER = "lower(substr(spend, 1, max(instr(spend, 'nonce:') - 2, 0)))";
const NONCE = "CAST(substr(spend, instr(spend, 'nonce:') + 6) AS INTEGER)";
const IS_NONCE = "instr(spend, 'nonce:') > 0";

export const STEP_1 = `
	CREATE TABLE payments (
		payout_id TEXT PRIMARY KEY, network TEXT NOT NULL, asset TEXT NOT NULL, to_address TEXT NOT NULL, amount TEXT NOT NULL
	) WITHOUT ROWID;
	CREATE TABLE versions (
		payout_id TEXT NOT NULL, version INTEGER NOT NULL, tx_id TEXT NOT NULL, raw TEXT NOT NULL, fee TEXT NOT NULL,
		at INTEGER NOT NULL, PRIMARY KEY (payout_id, version)
	) WITHOUT ROWID;
	CREATE INDEX versions_raised ON versions (payout_id) WHERE version > 0;
	CREATE TABLE decided (payout_id TEXT NOT NULL PRIMARY KEY, tx_id TEXT NOT NULL) WITHOUT ROWID;

	CREATE TABLE given_up (payout_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
	CREATE TABLE given_up_orders (order_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

	CREATE TABLE indexes (scope TEXT PRIMARY KEY, next INTEGER NOT NULL);
	CREATE TABLE addresses (
		network TEXT NOT NULL, address TEXT NOT NULL, derivation_index INTEGER NOT NULL, promised TEXT,
		PRIMARY KEY (network, address)
	) WITHOUT ROWID;

	CREATE TABLE signatures (
		number INTEGER PRIMARY KEY, payout_id TEXT NOT NULL UNIQUE, order_id TEXT NOT NULL, kind TEXT NOT NULL,
		network TEXT NOT NULL, raw TEXT NOT NULL, tx_id TEXT NOT NULL, day TEXT NOT NULL, at INTEGER NOT NULL
	);
	CREATE INDEX signatures_order ON signatures (order_id);
	CREATE UNIQUE INDEX signatures_payout ON signatures (order_id) WHERE kind = 'payout';
	CREATE TABLE lately (
		network TEXT NOT NULL, at INTEGER NOT NULL, number INTEGER NOT NULL, usd_cents INTEGER NOT NULL,
		PRIMARY KEY (network, at, number)
	) WITHOUT ROWID;

	CREATE TABLE spends (
		network TEXT NOT NULL, spend TEXT NOT NULL, payout_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (network, spend)
	) WITHOUT ROWID;
	CREATE INDEX spends_at ON spends (network, at);
	CREATE INDEX spends_payout ON spends (payout_id);
	CREATE INDEX spends_nonces ON spends (network, ${OWNER}, ${NONCE}) WHERE ${IS_NONCE};

	CREATE TABLE claims (
		network TEXT NOT NULL, tx_id TEXT NOT NULL, position TEXT NOT NULL, address TEXT NOT NULL, asset TEXT NOT NULL,
		amount TEXT NOT NULL, payout_id TEXT NOT NULL, PRIMARY KEY (network, tx_id, position, address)
	) WITHOUT ROWID;
	CREATE INDEX claims_address ON claims (network, address);

	CREATE TABLE days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
	CREATE TABLE refund_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
	CREATE TABLE withdrawal_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
	CREATE TABLE withdrawal_address_days (
		day TEXT NOT NULL, network TEXT NOT NULL, address TEXT NOT NULL, usd_cents INTEGER NOT NULL,
		PRIMARY KEY (day, network, address)
	) WITHOUT ROWID;

	CREATE TABLE earnings (
		order_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, asset TEXT NOT NULL, amount TEXT NOT NULL
	) WITHOUT ROWID;
	CREATE TABLE earnings_paid (order_id TEXT PRIMARY KEY, payout_id TEXT NOT NULL) WITHOUT ROWID;
	CREATE TABLE earnings_withdrawn (payout_id TEXT PRIMARY KEY) WITHOUT ROWID;

	CREATE TABLE movements (
		id TEXT PRIMARY KEY, kind TEXT NOT NULL, network TEXT NOT NULL, address TEXT NOT NULL, asset TEXT NOT NULL,
		amount TEXT NOT NULL, raw TEXT NOT NULL, tx_id TEXT NOT NULL, at INTEGER NOT NULL
	);
	CREATE INDEX movements_address ON movements (network, address, kind, at);

	CREATE TABLE address_orders (
		network TEXT NOT NULL, address TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (network, address)
	) WITHOUT ROWID;
	CREATE INDEX address_orders_order ON address_orders (order_id);

	CREATE TABLE volumes (
		number INTEGER PRIMARY KEY, asked INTEGER NOT NULL, takes INTEGER NOT NULL, orders INTEGER NOT NULL, closed_at INTEGER
	);
	CREATE TABLE moved (key BLOB PRIMARY KEY, volume INTEGER NOT NULL) WITHOUT ROWID;

	CREATE TABLE entries (id INTEGER PRIMARY KEY CHECK (id = 0), number INTEGER NOT NULL, begun_at INTEGER NOT NULL);
	INSERT INTO entries VALUES (0, 0, unixepoch() * 1000);

	CREATE TABLE audit_links (
		position INTEGER PRIMARY KEY, number INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, link TEXT NOT NULL,
		accepted_at INTEGER, gap_accepted_at INTEGER
	);

	CREATE TABLE heads (
		number INTEGER PRIMARY KEY, kind TEXT NOT NULL, position INTEGER NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL,
		key TEXT NOT NULL, statement TEXT NOT NULL, signature TEXT NOT NULL
	);
	CREATE INDEX heads_kind ON heads (kind, number);

	CREATE TABLE confirmations (
		nonce TEXT PRIMARY KEY, at INTEGER NOT NULL, day TEXT NOT NULL, persons INTEGER NOT NULL, usd_cents INTEGER NOT NULL
	) WITHOUT ROWID;
	CREATE INDEX confirmations_day ON confirmations (day);
	CREATE TABLE confirmed_moves (move TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

	CREATE TABLE payout_addresses (
		partner_id TEXT PRIMARY KEY, asset TEXT NOT NULL, address TEXT NOT NULL, changed_at INTEGER NOT NULL
	) WITHOUT ROWID;
`;
