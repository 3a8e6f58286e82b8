-- What `order find` searches by, and partners by name. Addresses in one case: those of Ethereum and bech32 are the same in
-- either, and of two others no two differ by that alone. The newest orders of an address first.
CREATE INDEX orders_by_recipient ON orders (lower(to_address), created_at);
CREATE INDEX orders_by_refund ON orders (lower(refund_address), created_at);
CREATE INDEX partners_by_name ON partners (name COLLATE NOCASE);
