-- A backup or a restore that is under way. While `until` (Unix milliseconds) lies ahead, triggers on all tables refuse
-- every write but those of the command itself. The command makes them when it begins and drops them at its end, so they
-- cost nothing at other times (`src/backup/database.ts`).
CREATE TABLE holds (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	purpose TEXT NOT NULL CHECK (purpose IN ('backup', 'restore')),
	backup_id TEXT NOT NULL,
	until INTEGER NOT NULL,
	-- 1 only inside a batch of the command, which nobody else sees.
	open INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1)),
	-- Of a restore: the piece that comes next.
	next_piece INTEGER NOT NULL DEFAULT 1,
	-- Of a restore: the SQL of the schema's own triggers, a JSON array. They are made again at its end.
	triggers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(triggers))
) STRICT;
