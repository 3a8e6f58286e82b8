-- Two more kinds of our own transactions: `withdrawal` moves free coins from the hot wallet to the operator's own address,
-- `consolidation` joins many small outputs of a wallet into one. And what each row needs so that nobody has to guess:
-- the seal of its settlement, and why it waits.
CREATE TABLE replaced_versions AS SELECT payout_id, tx_id, raw, replaced_at FROM payout_replacements;
DROP TABLE payout_replacements;
CREATE TABLE transactions_next (
	id TEXT PRIMARY KEY,
	-- An earnings payout has the id of its row in `partner_payouts`.
	order_id TEXT REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation')),
	network TEXT NOT NULL,
	asset TEXT NOT NULL,
	to_address TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	-- What the deposit was worth at settlement; of the others, what they move.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	-- The pay-in address that a sweep empties or that gas is for, and the asset that is swept.
	pay_in_address TEXT,
	pay_in_index INTEGER,
	sweep_asset TEXT,
	state TEXT NOT NULL CHECK (state IN ('planned', 'signed', 'sent', 'final')),
	-- The newest version of the transaction; older ones are in `payout_replacements`.
	raw TEXT,
	tx_id TEXT,
	-- What it cost in the network's coin beyond what it moved, signed base units (`TransactionDepth`); known once it is final.
	fee TEXT CHECK (ltrim(fee, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(fee, '-')) > 0),
	held TEXT,
	planned_at INTEGER NOT NULL,
	signed_at INTEGER,
	sent_at INTEGER,
	final_at INTEGER,
	next_attempt_at INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	settled_tx_id TEXT CHECK (settled_tx_id IS NULL OR state = 'final'),
	-- Of a payout or refund: HMAC over order, kind, asset, amount and the deposits that it answers for.
	settlement_seal TEXT,
	-- The last reason why it could not go on, and Unix milliseconds since when that is the reason; null while it goes on.
	waits_because TEXT,
	waits_since INTEGER,
	CHECK ((kind IN ('payout', 'refund')) = (order_id IS NOT NULL)),
	CHECK ((kind IN ('gas', 'sweep')) = (pay_in_address IS NOT NULL AND pay_in_index IS NOT NULL AND sweep_asset IS NOT NULL)),
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL)),
	CHECK ((waits_because IS NULL) = (waits_since IS NULL))
) STRICT;
INSERT INTO transactions_next (id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
	sweep_asset, state, raw, tx_id, fee, held, planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts, settled_tx_id)
SELECT id, order_id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
	sweep_asset, state, raw, tx_id, fee, held, planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts, settled_tx_id
FROM payouts;
DROP TABLE payouts;
ALTER TABLE transactions_next RENAME TO payouts;
-- A payout is sent at most once (book: contract, "Payout safety").
CREATE UNIQUE INDEX payouts_once ON payouts (order_id) WHERE kind = 'payout';
-- Of a payout and a refund that are decided at the same time, one fails with its whole batch.
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (order_id) WHERE state IN ('planned', 'signed');
-- A pay-in address is swept, or funded for it, one transaction after the other.
CREATE UNIQUE INDEX payouts_one_sweep ON payouts (network, pay_in_address) WHERE kind IN ('gas', 'sweep') AND state <> 'final';
-- A wallet is consolidated by one transaction after the other.
CREATE UNIQUE INDEX payouts_one_consolidation ON payouts (network) WHERE kind = 'consolidation' AND state <> 'final';
CREATE UNIQUE INDEX payouts_tx ON payouts (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX payouts_open ON payouts (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX payouts_held ON payouts (network) WHERE held IS NOT NULL;
CREATE INDEX payouts_waiting ON payouts (waits_since) WHERE waits_because IS NOT NULL;
CREATE INDEX payouts_sweeps ON payouts (network, pay_in_address) WHERE kind IN ('gas', 'sweep');
CREATE INDEX payouts_final ON payouts (network, final_at) WHERE final_at IS NOT NULL;
CREATE TABLE payout_replacements (
	payout_id TEXT NOT NULL REFERENCES payouts (id),
	tx_id TEXT NOT NULL,
	raw TEXT NOT NULL,
	replaced_at INTEGER NOT NULL,
	PRIMARY KEY (payout_id, tx_id)
) STRICT, WITHOUT ROWID;
INSERT INTO payout_replacements SELECT payout_id, tx_id, raw, replaced_at FROM replaced_versions;
DROP TABLE replaced_versions;

-- Deposits on record when the operator finalised their order: they are for `order refund` alone and revive nothing.
ALTER TABLE deposits ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside IN (0, 1));
-- The reference code that the order was made under.
ALTER TABLE orders ADD COLUMN reference_code TEXT;
-- Of the daily cap, the share that one partner's unpaid orders may hold, basis points.
ALTER TABLE site ADD COLUMN unpaid_share_bps INTEGER NOT NULL DEFAULT 2500 CHECK (unpaid_share_bps BETWEEN 0 AND 10000);
-- 1: orders may be larger than what the hot wallet can pay now.
ALTER TABLE asset_settings ADD COLUMN beyond_reserve INTEGER NOT NULL DEFAULT 0 CHECK (beyond_reserve IN (0, 1));
