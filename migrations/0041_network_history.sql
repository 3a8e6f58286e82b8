-- How each network was, once an hour, for plots. Kept for 90 days: some 2 000 rows a network.
CREATE TABLE network_history (
	network TEXT NOT NULL,
	-- Unix milliseconds of the full hour.
	at INTEGER NOT NULL,
	-- Since the last poll that worked; null where there was none.
	lag_seconds INTEGER CHECK (lag_seconds >= 0),
	-- What the hot wallet could spend, worth in US dollars; null where no poll or price said so.
	reserve_usd_cents INTEGER CHECK (reserve_usd_cents >= 0),
	PRIMARY KEY (network, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX network_history_by_time ON network_history (at);
