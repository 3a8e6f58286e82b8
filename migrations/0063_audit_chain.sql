-- The audit log only grows: a line is never changed, deleted or replaced by SQL. The signer chains the
-- lines in its journal (`src/signer/journal/audit-chain.ts`), so what is done beside these triggers is seen. `number` has no
-- gap: AUTOINCREMENT gives none twice, and gives it back where a batch fails.
CREATE TABLE audit_lines (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	at INTEGER NOT NULL,
	command TEXT NOT NULL,
	-- Id of what was changed.
	subject TEXT,
	changes TEXT NOT NULL CHECK (json_valid(changes)),
	-- Who made the change: an operator's e-mail, `token`, `command` and the name of its user, `partner`, or `service`.
	actor TEXT NOT NULL
) STRICT;
INSERT INTO audit_lines (id, at, command, subject, changes, actor)
SELECT id, at, command, subject, changes, coalesce(actor, 'service') FROM audit_log ORDER BY at, rowid;
DROP TABLE audit_log;
ALTER TABLE audit_lines RENAME TO audit_log;
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_subject ON audit_log (subject, at);

-- `INSERT OR REPLACE` would delete a line without the trigger for that.
CREATE TRIGGER audit_log_added BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id OR number = NEW.number)
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never replaced');
END;
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never changed');
END;
CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log
BEGIN
	SELECT RAISE(ABORT, 'refused: a line of the audit log is never deleted');
END;
