-- Sessions of the operator console where people sign in by the operator's token. A row lives for 12 hours at most.
CREATE TABLE operator_sessions (
	-- SHA-256 of the cookie.
	id TEXT PRIMARY KEY CHECK (length(id) = 64),
	-- SHA-256 of cookie and operator token: the session ends when the token is replaced.
	mark TEXT NOT NULL CHECK (length(mark) = 64),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL CHECK (expires_at > created_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_sessions_by_end ON operator_sessions (expires_at);

-- Tries to sign in by token, of a network of clients, since a time: guessing is slowed.
CREATE TABLE operator_sign_ins (
	network TEXT PRIMARY KEY,
	since INTEGER NOT NULL,
	tries INTEGER NOT NULL CHECK (tries > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_sign_ins_by_time ON operator_sign_ins (since);

-- Forms of the console that were sent: each does its work once, however often it is sent. Rows are kept for a day.
CREATE TABLE operator_forms (
	id TEXT PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_forms_by_time ON operator_forms (at);
