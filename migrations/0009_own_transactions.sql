-- Every transaction of our own is one row of `payouts` and goes one path: planned, signed, sent, final. Beside what an
-- order is owed these are what a partner has earned, the coin that a pay-in address needs to pay for its own sweep, and
-- the sweep that moves a deposit from its address to the payout wallet. Rows per order: 1, and 2 where deposits are swept.
CREATE TABLE own_transactions (
	id TEXT PRIMARY KEY,
	-- An earnings payout has the id of its row in `partner_payouts`.
	order_id TEXT REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund', 'earnings', 'gas', 'sweep')),
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
	CHECK ((kind IN ('payout', 'refund')) = (order_id IS NOT NULL)),
	CHECK ((kind IN ('gas', 'sweep')) = (pay_in_address IS NOT NULL AND pay_in_index IS NOT NULL AND sweep_asset IS NOT NULL)),
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL))
) STRICT;
INSERT INTO own_transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, raw, tx_id, held,
	planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts)
SELECT id, order_id, kind, network, asset, to_address, amount, usd_cents, state, raw, tx_id, held,
	planned_at, signed_at, sent_at, final_at, next_attempt_at, attempts FROM payouts;
DROP TABLE payouts;
ALTER TABLE own_transactions RENAME TO payouts;
-- A payout is sent at most once (book: contract, "Payout safety").
CREATE UNIQUE INDEX payouts_once ON payouts (order_id) WHERE kind = 'payout';
-- Of a payout and a refund that are decided at the same time, one fails with its whole batch.
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (order_id) WHERE state IN ('planned', 'signed');
-- A pay-in address is swept, or funded for it, one transaction after the other.
CREATE UNIQUE INDEX payouts_one_sweep ON payouts (network, pay_in_address) WHERE kind IN ('gas', 'sweep') AND state <> 'final';
CREATE UNIQUE INDEX payouts_tx ON payouts (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX payouts_open ON payouts (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX payouts_held ON payouts (network) WHERE held IS NOT NULL;
CREATE INDEX payouts_sweeps ON payouts (network, pay_in_address) WHERE kind IN ('gas', 'sweep');

-- Versions of a transaction that a version with a higher fee replaced. They spend the same coins or nonce, so at most one
-- of all versions is ever on the chain. Rows per order: seldom any.
CREATE TABLE payout_replacements (
	payout_id TEXT NOT NULL REFERENCES payouts (id),
	tx_id TEXT NOT NULL,
	raw TEXT NOT NULL,
	replaced_at INTEGER NOT NULL,
	PRIMARY KEY (payout_id, tx_id)
) STRICT, WITHOUT ROWID;

-- What the operator put into the payout wallets, base units. Where a chain names no transaction for it (`position` is
-- 'balance'), `tx_id` is ours and the row says by how much a wallet at rest held more than the books.
CREATE TABLE reserve_entries (
	network TEXT NOT NULL,
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	at INTEGER NOT NULL,
	PRIMARY KEY (network, tx_id, position, asset)
) STRICT, WITHOUT ROWID;

-- The signer's word for where a partner is paid: HMAC over partner, asset, address and the time of the change.
ALTER TABLE partners ADD COLUMN payout_seal TEXT;
