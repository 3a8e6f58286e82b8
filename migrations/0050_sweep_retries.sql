-- When the operator last asked for another sweep of the address, after failures on chain (`order sweep`): Unix
-- milliseconds. Failures from before do not delay it.
ALTER TABLE sweep_candidates ADD COLUMN retried_at INTEGER;
