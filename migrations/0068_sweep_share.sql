-- What moving a deposit to the hot wallet costs may be at most this share of the least that an order may be worth, basis
-- points. At a third, 3333, it is worth just what the signer still sweeps.
ALTER TABLE site ADD COLUMN sweep_share_bps INTEGER NOT NULL DEFAULT 200 CHECK (sweep_share_bps BETWEEN 1 AND 3333);

-- Since when a sweep has waited for cheaper blocks, Unix milliseconds; NULL where it waits for nothing. It waits a day at
-- most, and not at all where a payment needs the coins.
ALTER TABLE sweep_candidates ADD COLUMN waits_since INTEGER;
CREATE INDEX sweep_candidates_waiting ON sweep_candidates (network, waits_since) WHERE waits_since IS NOT NULL;
