-- What the feed may show as an asset's reserve at most, in coins; null: what the payout wallet holds.
ALTER TABLE asset_settings ADD COLUMN reserve TEXT CHECK (reserve NOT GLOB '*[^0-9.]*' AND length(reserve) > 0);

-- Counts the operator's changes to all settings; each is a compare-and-set on it.
ALTER TABLE site ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
