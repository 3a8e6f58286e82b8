-- Pay-in addresses that a sweep may have to empty. A row comes in the batch that makes a payout, a refund, or what was
-- sent for the sweep itself final, and goes when nothing is left to be swept. Rows per order: 1 for a while, then none.
CREATE TABLE sweep_candidates (
	network TEXT NOT NULL,
	order_id TEXT NOT NULL REFERENCES orders (id),
	-- Looks that found it too small, or the order not over; each waits longer than the one before.
	looks INTEGER NOT NULL DEFAULT 0,
	next_look_at INTEGER NOT NULL,
	PRIMARY KEY (network, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_candidates_due ON sweep_candidates (network, next_look_at);
INSERT INTO sweep_candidates (network, order_id, next_look_at)
SELECT DISTINCT from_network, orders.id, 0 FROM orders JOIN payouts ON payouts.order_id = orders.id
WHERE payouts.state = 'final';

-- What a payout wallet has done since the books were last added up (`treasury/wallet-record.ts`). A transaction that the
-- chain undid stays `sent` for the operator, with the time at which that, and what it cost, became final.
CREATE INDEX payouts_final ON payouts (network, final_at) WHERE final_at IS NOT NULL;
