-- Finished orders move to R2 in batches, each one object of JSON lines. What stays in D1 is below: a row for each batch,
-- a few short keys for each order, and sums. Nothing here is written while the archive is off.

-- Days after the deposit window until a finished order is moved; null: never. An address is watched for 30 days.
ALTER TABLE site ADD COLUMN archive_after_days INTEGER CHECK (archive_after_days BETWEEN 31 AND 3650);
-- Days after which the body of a delivered webhook is dropped; after 30 days the whole delivery is.
ALTER TABLE site ADD COLUMN webhook_body_days INTEGER NOT NULL DEFAULT 30 CHECK (webhook_body_days BETWEEN 1 AND 30);

-- Numbers are consecutive, and the key is the compare-and-set of the move: of two writers that take the same number, the
-- second one's batch fails as a whole. So what was read together with the highest number is still true where the next
-- one is inserted.
CREATE TABLE archived_batches (
	number INTEGER PRIMARY KEY CHECK (number > 0),
	-- The object in R2. It contains the SHA-256 of its lines.
	object TEXT NOT NULL UNIQUE,
	-- HMAC under SEAL_KEY over number and object: who writes rows and objects cannot make an archived order.
	seal TEXT NOT NULL,
	orders INTEGER NOT NULL CHECK (orders > 0),
	bytes INTEGER NOT NULL,
	-- Creation of its first and last order, and when they were moved.
	first_at INTEGER NOT NULL,
	last_at INTEGER NOT NULL,
	at INTEGER NOT NULL
) STRICT;

-- The first 8 bytes of a SHA-256, and the batch that has it: an order's id, its Idempotency-Key, its pay-in address, and
-- the ids of its transactions (`archive/keys.ts`). Rows per order: 2 to 5, of about 15 bytes.
CREATE TABLE archived_keys (
	hash BLOB NOT NULL,
	batch INTEGER NOT NULL,
	PRIMARY KEY (hash, batch)
) STRICT, WITHOUT ROWID;

-- What archived orders add to the reports (`treasury/reports/facts.ts`). Base units as text, exact; cents of USD.
CREATE TABLE archived_totals (
	day TEXT NOT NULL,
	partner_id TEXT NOT NULL,
	-- Empty where the orders were made under none.
	reference_code TEXT NOT NULL,
	from_asset TEXT NOT NULL,
	to_asset TEXT NOT NULL,
	orders INTEGER NOT NULL,
	orders_done INTEGER NOT NULL,
	volume_usd_cents INTEGER NOT NULL,
	partner_usd_cents INTEGER NOT NULL,
	house_usd_cents INTEGER NOT NULL,
	network_fee_usd_cents INTEGER NOT NULL,
	received TEXT NOT NULL,
	paid TEXT NOT NULL,
	partner_share TEXT NOT NULL,
	house_share TEXT NOT NULL,
	kept_to TEXT NOT NULL,
	refunded TEXT NOT NULL,
	kept_from TEXT NOT NULL,
	fee_paid_to TEXT NOT NULL,
	fee_paid_from TEXT NOT NULL,
	PRIMARY KEY (day, partner_id, reference_code, from_asset, to_asset)
) STRICT, WITHOUT ROWID;
-- Per partner: the counters of reference codes.
CREATE INDEX archived_totals_by_partner ON archived_totals (partner_id, reference_code);

-- Sums over archived rows of pay-in addresses (`archive/sums.ts`), base units: what swept addresses hold stays exact. A row
-- for each sum and asset, however many orders there are.
CREATE TABLE archived_sums (
	what TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (ltrim(amount, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(amount, '-')) > 0),
	PRIMARY KEY (what, asset)
) STRICT, WITHOUT ROWID;

-- How far each network's orders were looked through, the oldest first. No row: from the beginning.
CREATE TABLE archive_cursors (
	network TEXT PRIMARY KEY,
	expires_at INTEGER NOT NULL,
	order_id TEXT NOT NULL,
	-- When a round over all of them ended; null while it goes on.
	ended_at INTEGER
) STRICT, WITHOUT ROWID;

-- A create is one batch, and its first statement inserts into this view. It writes nothing: it fails the batch where an
-- archived order has the Idempotency-Key, or its pay-in address is a recipient.
CREATE VIEW archive_guard AS SELECT hash AS key_hash, hash AS to_hash, hash AS refund_hash FROM archived_keys WHERE 0;
CREATE TRIGGER archive_guard_check INSTEAD OF INSERT ON archive_guard
BEGIN
	SELECT RAISE(ABORT, 'refused: archived key')
	WHERE EXISTS (SELECT 1 FROM archived_keys WHERE hash = NEW.key_hash);
	SELECT RAISE(ABORT, 'refused: own address')
	WHERE EXISTS (SELECT 1 FROM archived_keys WHERE hash IN (NEW.to_hash, NEW.refund_hash));
END;

-- How far the bodies of delivered webhooks were dropped.
CREATE TABLE webhook_bodies (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	dropped_until INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_bodies (id, dropped_until) VALUES (1, 0);
