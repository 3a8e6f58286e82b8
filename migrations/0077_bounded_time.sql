-- When EXCHANGE was chosen, Unix milliseconds: it is priced by prices that were asked for afterwards. A choice that is
-- repeated keeps the time of the first one.
ALTER TABLE orders ADD COLUMN chosen_at INTEGER;
