-- May partners view their secrets in the cabinet? Each view needs a fresh passkey check and leaves a row in audit_log.
ALTER TABLE site ADD COLUMN shows_secrets INTEGER NOT NULL DEFAULT 1 CHECK (shows_secrets IN (0, 1));
