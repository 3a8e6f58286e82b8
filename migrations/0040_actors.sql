-- Who made a change: an operator's e-mail, `token`, `command` and the name of its user, `partner`, or `service`. Null in
-- lines of Workers that did not know it.
ALTER TABLE audit_log ADD COLUMN actor TEXT;
