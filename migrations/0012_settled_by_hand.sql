-- The transaction by which the operator paid, from a wallet of his own, what a transaction of ours never brought to the
-- recipient. Rows with one: hardly any. What ours was to move has not moved.
ALTER TABLE payouts ADD COLUMN settled_tx_id TEXT CHECK (settled_tx_id IS NULL OR state = 'final');
