-- The operator's list of what waits for a person: final deposits that no payout pays for.
CREATE INDEX deposits_unclaimed ON deposits (order_id) WHERE state = 'final' AND payout_id IS NULL AND dust = 0;
