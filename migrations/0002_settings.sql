-- What the operator sets. A row exists only where something differs from the defaults of the code, but for the site.
CREATE TABLE site (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	maintenance INTEGER NOT NULL DEFAULT 0 CHECK (maintenance IN (0, 1)),
	daily_cap_usd INTEGER NOT NULL DEFAULT 1000000 CHECK (daily_cap_usd >= 0),
	base_fee_bps INTEGER NOT NULL DEFAULT 50 CHECK (base_fee_bps BETWEEN 0 AND 2000),
	deposit_window_seconds INTEGER NOT NULL DEFAULT 3600 CHECK (deposit_window_seconds BETWEEN 60 AND 86400)
) STRICT;
INSERT INTO site (id) VALUES (1);

CREATE TABLE asset_settings (
	code TEXT PRIMARY KEY,
	active INTEGER NOT NULL CHECK (active IN (0, 1))
) STRICT;

CREATE TABLE network_settings (
	name TEXT PRIMARY KEY,
	send INTEGER NOT NULL CHECK (send IN (0, 1)),
	receive INTEGER NOT NULL CHECK (receive IN (0, 1))
) STRICT;

CREATE TABLE pair_settings (
	from_asset TEXT NOT NULL,
	to_asset TEXT NOT NULL,
	active INTEGER NOT NULL CHECK (active IN (0, 1)),
	min_usd INTEGER NOT NULL CHECK (min_usd >= 0),
	max_usd INTEGER NOT NULL CHECK (max_usd >= min_usd),
	PRIMARY KEY (from_asset, to_asset)
) STRICT, WITHOUT ROWID;
