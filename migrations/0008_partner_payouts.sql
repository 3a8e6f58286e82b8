-- What partners are paid of their earnings. Planned: amount, address and orders are fixed, the operator is to pay;
-- paid: `tx_id` is the transaction by which he did. Rows per payout: 1, and 1 in the second table per order it pays for.
CREATE TABLE partner_payouts (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	asset TEXT NOT NULL,
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	-- Base units of `asset`, and their value when it was planned.
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	order_count INTEGER NOT NULL CHECK (order_count > 0),
	planned_at INTEGER NOT NULL,
	tx_id TEXT,
	paid_at INTEGER,
	CHECK ((tx_id IS NULL) = (paid_at IS NULL))
) STRICT;
-- Of two that are planned at the same time, one fails with its whole batch.
CREATE UNIQUE INDEX partner_payouts_planned ON partner_payouts (partner_id) WHERE tx_id IS NULL;
-- A transaction is booked once.
CREATE UNIQUE INDEX partner_payouts_tx ON partner_payouts (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX partner_payouts_by_partner ON partner_payouts (partner_id, planned_at);

-- An order's afftax is paid out once: the key says so.
CREATE TABLE partner_payout_orders (
	order_id TEXT PRIMARY KEY REFERENCES orders (id),
	payout_id TEXT NOT NULL REFERENCES partner_payouts (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX partner_payout_orders_by_payout ON partner_payout_orders (payout_id);
