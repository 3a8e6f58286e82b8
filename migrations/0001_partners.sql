-- Partners and what admits them. One row per partner; the gate reads it when it wakes and is told of each change.
CREATE TABLE partners (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
	enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
	api_key TEXT NOT NULL UNIQUE,
	-- AES-256-GCM under SECRETS_KEY, bound to the partner and the secret's name.
	api_secret_sealed TEXT NOT NULL,
	webhook_secret_sealed TEXT NOT NULL,
	weight_per_minute INTEGER NOT NULL DEFAULT 2500 CHECK (weight_per_minute >= 0),
	afftax_bps INTEGER NOT NULL DEFAULT 0 CHECK (afftax_bps BETWEEN 0 AND 2000),
	max_ref_codes INTEGER NOT NULL DEFAULT 50 CHECK (max_ref_codes >= 0),
	require_timestamp INTEGER NOT NULL DEFAULT 0 CHECK (require_timestamp IN (0, 1)),
	webhook_url TEXT,
	-- JSON array of event types.
	webhook_events TEXT NOT NULL CHECK (json_valid(webhook_events)),
	payout_asset TEXT,
	payout_address TEXT,
	payout_address_changed_at INTEGER,
	-- Counters never go down (book: contract, "Partner earnings").
	orders_done INTEGER NOT NULL DEFAULT 0 CHECK (orders_done >= 0),
	volume_usd_cents INTEGER NOT NULL DEFAULT 0 CHECK (volume_usd_cents >= 0),
	earned_usd_cents INTEGER NOT NULL DEFAULT 0 CHECK (earned_usd_cents >= 0),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE reference_codes (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	code TEXT NOT NULL CHECK (length(code) BETWEEN 4 AND 32 AND code NOT GLOB '*[^A-Za-z0-9_-]*'),
	label TEXT CHECK (length(label) <= 64),
	afftax_bps INTEGER NOT NULL DEFAULT 0 CHECK (afftax_bps BETWEEN 0 AND 2000),
	enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
	created_at INTEGER NOT NULL,
	UNIQUE (partner_id, code)
) STRICT;

-- Who changed what: operators through their command, partners through keys/rotate. Append only.
CREATE TABLE audit_log (
	id TEXT PRIMARY KEY,
	at INTEGER NOT NULL,
	command TEXT NOT NULL,
	subject TEXT,
	changes TEXT NOT NULL CHECK (json_valid(changes))
) STRICT;
CREATE INDEX audit_log_at ON audit_log (at);
