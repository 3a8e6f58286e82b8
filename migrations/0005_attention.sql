-- The operator's list of what waits for a person: final deposits that no payout pays for.
CREATE INDEX deposits_unclaimed ON deposits (order_id) WHERE state = 'final' AND settled = 0 AND dust = 0;
