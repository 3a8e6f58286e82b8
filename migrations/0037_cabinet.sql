-- Who may open a partner's cabinet in a browser. Tokens and challenges are stored as their SHA-256 alone.
CREATE TABLE cabinet_invitations (
	hash TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	-- 1: its use ends the partner's earlier passkeys and all sessions.
	recovers INTEGER NOT NULL CHECK (recovers IN (0, 1)),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	-- HMAC under SEAL_KEY: who writes rows cannot invite themselves (`partners/sign-in/seal.ts`).
	seal TEXT NOT NULL,
	used_at INTEGER,
	-- The passkey that it made.
	passkey_id TEXT,
	CHECK ((used_at IS NULL) = (passkey_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_invitations_by_partner ON cabinet_invitations (partner_id, created_at);

CREATE TABLE cabinet_passkeys (
	-- The credential's id, base64url.
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	-- SubjectPublicKeyInfo, base64url.
	public_key TEXT NOT NULL,
	-- Of signatures, as the authenticator counts them; 0 where it does not.
	counter INTEGER NOT NULL CHECK (counter >= 0),
	transports TEXT NOT NULL CHECK (json_valid(transports)),
	label TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 64),
	seal TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_passkeys_by_partner ON cabinet_passkeys (partner_id, created_at);

CREATE TABLE cabinet_sessions (
	-- Of the cookie's token.
	hash TEXT PRIMARY KEY,
	-- What people end it by.
	id TEXT NOT NULL UNIQUE,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	-- The passkey that began it; it ends with the passkey.
	passkey_id TEXT NOT NULL REFERENCES cabinet_passkeys (id) ON DELETE CASCADE,
	user_agent TEXT NOT NULL CHECK (length(user_agent) <= 200),
	created_at INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_sessions_by_partner ON cabinet_sessions (partner_id, created_at);
CREATE INDEX cabinet_sessions_by_passkey ON cabinet_sessions (passkey_id);
CREATE INDEX cabinet_sessions_by_expiry ON cabinet_sessions (expires_at);

-- What a passkey is to sign. Taken once: it is deleted before its answer is verified.
CREATE TABLE cabinet_challenges (
	hash TEXT PRIMARY KEY,
	-- `sign-in`, or what it confirms.
	purpose TEXT NOT NULL,
	-- Hash of the session or the invitation that it was made for; '' of a sign-in.
	bound_to TEXT NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_challenges_by_expiry ON cabinet_challenges (expires_at);
