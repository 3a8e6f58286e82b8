-- Of each UTC day and each thing on the status page: how many minutes it worked and how many it did not, as the cron found
-- it (`status/record.ts`). A minute that the cron missed is in neither. Kept for 90 days: a few rows a day.
CREATE TABLE status_days (
	day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	-- A network, or 'Prices'.
	subject TEXT NOT NULL,
	minutes_ok INTEGER NOT NULL CHECK (minutes_ok >= 0),
	minutes_bad INTEGER NOT NULL CHECK (minutes_bad >= 0),
	-- The last minute that was counted, Unix minutes: a cron that runs twice counts once.
	last_minute INTEGER NOT NULL,
	CHECK (minutes_ok + minutes_bad <= 1440),
	PRIMARY KEY (day, subject)
) STRICT, WITHOUT ROWID;
