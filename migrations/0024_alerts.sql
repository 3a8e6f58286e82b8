-- What went wrong once and cannot be read from other rows: a broken seal, a lost counter, a call that failed. One row
-- for each kind and subject, so repetitions add no rows.
CREATE TABLE incidents (
	kind TEXT NOT NULL,
	subject TEXT NOT NULL,
	detail TEXT NOT NULL,
	times INTEGER NOT NULL CHECK (times > 0),
	first_at INTEGER NOT NULL,
	last_at INTEGER NOT NULL CHECK (last_at >= first_at),
	PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;

-- One row for each thing that waits and was or will be told to the alert endpoint. `raised`: to be told. `told`: told.
-- `over`: to be told that it is over; then the row goes. `event_id` is the id of the message that is to be posted.
CREATE TABLE alerts (
	key TEXT PRIMARY KEY,
	state TEXT NOT NULL CHECK (state IN ('raised', 'told', 'over')),
	event_id TEXT NOT NULL UNIQUE,
	area TEXT NOT NULL,
	subject TEXT NOT NULL,
	cause TEXT NOT NULL,
	todo TEXT NOT NULL,
	since INTEGER,
	raised_at INTEGER NOT NULL,
	-- Since when it waits no more; null while it waits.
	gone_at INTEGER,
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER NOT NULL,
	last_error TEXT,
	CHECK (state <> 'over' OR gone_at IS NOT NULL)
) STRICT;

-- Work of the cron that is due less often than each minute. `found`: how many times in a row it found something.
CREATE TABLE periodic_checks (
	name TEXT PRIMARY KEY,
	due_at INTEGER NOT NULL,
	found INTEGER NOT NULL DEFAULT 0 CHECK (found >= 0)
) STRICT, WITHOUT ROWID;
