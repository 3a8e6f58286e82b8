-- What `order find` searches by, and partners by name. Addresses in one case: those of Ethereum and bech32 are the same in
-- either, and of two others no two differ by that alone. The newest orders of an address first.
CREATE INDEX orders_by_recipient ON orders (lower(to_address), created_at);
CREATE INDEX orders_by_refund ON orders (lower(refund_address), created_at);
-- Versions of a transaction that were replaced by one with a higher fee, and the transactions that operators made instead.
CREATE INDEX transaction_versions_by_tx ON transaction_versions (tx_id);
CREATE INDEX transactions_settled ON transactions (settled_tx_id) WHERE settled_tx_id IS NOT NULL;
CREATE INDEX partners_by_name ON partners (name COLLATE NOCASE);
