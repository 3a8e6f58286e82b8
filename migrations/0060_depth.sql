-- What the operator asks of deposits beyond the catalog's confirmations (book: networks, "Confirmations"): of all, and of
-- those with which more than `above_usd` is on its way. Null: nothing more. The catalog's always hold as well.
ALTER TABLE network_settings ADD COLUMN confirmations INTEGER CHECK (confirmations BETWEEN 1 AND 100000);
ALTER TABLE network_settings ADD COLUMN above_usd INTEGER CHECK (above_usd BETWEEN 1 AND 1000000000);
ALTER TABLE network_settings ADD COLUMN confirmations_above INTEGER
	CHECK (confirmations_above BETWEEN 1 AND 100000 AND (confirmations_above IS NULL) = (above_usd IS NULL));

-- Deposits that became final lately: what one deposit brings is added to them, so that splitting a payment wins nothing.
CREATE INDEX deposits_lately_final ON deposits (network, last_seen_at) WHERE state = 'final';
