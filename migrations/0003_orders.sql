-- Orders, and the facts from which their status follows. Rows per order in the common case: 1 order, 1 address,
-- 4 changes, 1 deposit, 1 payout, about 10 ledger entries, 3 webhook events, 3 deliveries.
-- Times are Unix milliseconds; amounts of coins are TEXT: plain decimals in `orders`, base units everywhere else.

-- Filled by the signer ahead of need. `seal` is the signer's HMAC over (network, index, address): an address whose
-- seal does not hold is never shown. A taken address is never free again.
CREATE TABLE pay_in_addresses (
	network TEXT NOT NULL,
	derivation_index INTEGER NOT NULL CHECK (derivation_index >= 0),
	address TEXT NOT NULL,
	seal TEXT NOT NULL,
	order_id TEXT UNIQUE,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (network, derivation_index),
	UNIQUE (network, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX pay_in_addresses_free ON pay_in_addresses (network) WHERE order_id IS NULL;

CREATE TABLE orders (
	id TEXT PRIMARY KEY,
	-- Also the partition key, should partners ever be spread over several databases.
	partner_id TEXT NOT NULL REFERENCES partners (id),
	-- The terms: never changed after create, and sealed (`orders/seal.ts`).
	from_asset TEXT NOT NULL,
	from_network TEXT NOT NULL,
	to_asset TEXT NOT NULL,
	to_network TEXT NOT NULL,
	direction TEXT NOT NULL CHECK (direction IN ('from', 'to')),
	to_address TEXT NOT NULL,
	refund_address TEXT NOT NULL,
	pay_in_address TEXT NOT NULL,
	pay_in_index INTEGER NOT NULL,
	base_fee_bps INTEGER NOT NULL,
	afftax_bps INTEGER NOT NULL CHECK (afftax_bps BETWEEN 0 AND 2000),
	seal TEXT NOT NULL,
	token_hash TEXT NOT NULL,
	idempotency_key TEXT,
	request_hash TEXT NOT NULL,
	-- The estimate until the deposit is final, the settled figures after.
	from_amount TEXT NOT NULL,
	to_amount TEXT NOT NULL,
	rate TEXT NOT NULL,
	network_fee TEXT NOT NULL,
	-- USD value that counts towards the daily cap, and the UTC day it counts on.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	cap_day TEXT NOT NULL,
	holds_cap INTEGER NOT NULL DEFAULT 1 CHECK (holds_cap IN (0, 1)),
	-- The status, set by `orders/lifecycle.ts` alone.
	status TEXT NOT NULL DEFAULT 'NEW' CHECK (status IN ('NEW', 'PENDING', 'EXCHANGE', 'DONE', 'EXPIRED', 'EMERGENCY')),
	sequence INTEGER NOT NULL DEFAULT 0 CHECK (sequence >= 0),
	emergency_reasons TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(emergency_reasons)),
	-- Which bound a LIMIT crossed: only too little can be topped up.
	limit_side TEXT CHECK (limit_side IN ('below', 'above')),
	emergency_choice TEXT,
	-- When its deposits were last judged: what changed after that has not been heard yet.
	facts_at INTEGER NOT NULL DEFAULT 0,
	-- Copies of facts, so that a partner's read is one row.
	deposit_tx_id TEXT,
	deposit_amount TEXT,
	payout_tx_id TEXT,
	payout_amount TEXT,
	refund_tx_id TEXT,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	watch_until INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	finished_at INTEGER,
	deleted_at INTEGER,
	CHECK (from_asset <> to_asset),
	CHECK ((status = 'DONE') = (finished_at IS NOT NULL)),
	CHECK (status <> 'DONE' OR payout_tx_id IS NOT NULL),
	UNIQUE (from_network, pay_in_address)
) STRICT;
-- Idempotency-Key: per partner, as long as the order (book: contract, "Orders").
CREATE UNIQUE INDEX orders_idempotency ON orders (partner_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- The agent's reads: what to watch, what may have to move.
CREATE INDEX orders_watched ON orders (from_network, watch_until);
CREATE INDEX orders_unfunded ON orders (from_network, expires_at) WHERE status = 'NEW';
CREATE INDEX orders_moving ON orders (from_network) WHERE status IN ('PENDING', 'EMERGENCY');
-- The operator's lists.
CREATE INDEX orders_by_partner ON orders (partner_id, created_at);
CREATE INDEX orders_by_time ON orders (created_at);

-- The history, and the compare-and-set of every transition: of two writers that move an order from the same
-- sequence, the second one's batch fails on this key as a whole.
CREATE TABLE order_changes (
	order_id TEXT NOT NULL REFERENCES orders (id),
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
	status TEXT NOT NULL,
	previous_status TEXT,
	cause TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (order_id, sequence)
) STRICT, WITHOUT ROWID;

-- A day's volume in USD cents, kept by the triggers below, so that no path can forget it.
CREATE TABLE daily_volume (
	day TEXT PRIMARY KEY,
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0)
) STRICT, WITHOUT ROWID;

-- A create that finds the site in maintenance or the cap reached aborts with its whole batch.
CREATE TRIGGER orders_maintenance BEFORE INSERT ON orders
WHEN (SELECT maintenance FROM site) = 1
BEGIN
	SELECT RAISE(ABORT, 'refused: maintenance');
END;

CREATE TRIGGER orders_daily_cap AFTER INSERT ON orders
BEGIN
	INSERT INTO daily_volume (day, usd_cents) VALUES (NEW.cap_day, NEW.usd_cents)
	ON CONFLICT (day) DO UPDATE SET usd_cents = usd_cents + NEW.usd_cents;
	SELECT RAISE(ABORT, 'refused: daily cap')
	WHERE (SELECT usd_cents FROM daily_volume WHERE day = NEW.cap_day) > (SELECT daily_cap_usd * 100 FROM site);
END;

-- Unpaid, expired orders give their share back; a late deposit takes it again, above the cap if need be.
CREATE TRIGGER orders_cap_released AFTER UPDATE OF holds_cap ON orders
WHEN OLD.holds_cap <> NEW.holds_cap
BEGIN
	UPDATE daily_volume SET usd_cents = usd_cents + (NEW.holds_cap - OLD.holds_cap) * NEW.usd_cents WHERE day = NEW.cap_day;
END;

CREATE TABLE deposits (
	network TEXT NOT NULL,
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	order_id TEXT NOT NULL REFERENCES orders (id),
	address TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0),
	-- seen: on the chain or in the mempool; final: deep enough, and never looked at again; gone: neither.
	state TEXT NOT NULL CHECK (state IN ('seen', 'final', 'gone')),
	-- Worth less than its own network fee: recorded, and changes no status.
	dust INTEGER NOT NULL DEFAULT 0 CHECK (dust IN (0, 1)),
	-- The payout or refund that answers for it: a deposit is paid for once. Null while none does.
	payout_id TEXT,
	first_seen_at INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	-- One transaction may pay several orders from inside a contract, where it has no other position than the address.
	PRIMARY KEY (network, tx_id, position, address),
	CHECK (payout_id IS NULL OR state = 'final')
) STRICT, WITHOUT ROWID;
CREATE INDEX deposits_by_order ON deposits (order_id);
CREATE INDEX deposits_open ON deposits (network) WHERE state <> 'final';
