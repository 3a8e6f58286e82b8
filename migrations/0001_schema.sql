-- The whole schema. Beside each table stand its invariants: constraints, partial indexes, and triggers where a constraint
-- cannot say it. Amounts are base units as decimal text, compared and added exactly; times are Unix milliseconds. Later
-- migrations only add (book: years, "Upgrading").

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
	payout_asset TEXT,
	payout_address TEXT,
	payout_address_changed_at INTEGER,
	-- Counters never go down (book: contract, "Partner earnings").
	orders_done INTEGER NOT NULL DEFAULT 0 CHECK (orders_done >= 0),
	volume_usd_cents INTEGER NOT NULL DEFAULT 0 CHECK (volume_usd_cents >= 0),
	earned_usd_cents INTEGER NOT NULL DEFAULT 0 CHECK (earned_usd_cents >= 0),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	-- The signer's word for where a partner is paid: HMAC over partner, asset, address and the time of the change.
	payout_seal TEXT,
	-- When a partner is paid by itself. `auto_payout_at` is the next try, Unix milliseconds.
	auto_payout TEXT NOT NULL DEFAULT 'none' CHECK (auto_payout IN ('none', 'daily', 'weekly', 'monthly')),
	auto_payout_min_usd INTEGER NOT NULL DEFAULT 0 CHECK (auto_payout_min_usd >= 0),
	auto_payout_at INTEGER,
	-- Why the last try planned nothing although it should have, one line; null where it did or had nothing to pay.
	auto_payout_waits TEXT,
	-- Since when it has been so, Unix milliseconds.
	auto_payout_waits_since INTEGER CHECK ((auto_payout_waits_since IS NULL) = (auto_payout_waits IS NULL)),
	-- What a partner sets for the pages of their orders, as JSON: who may frame them, the name, logo, colour and links that
	-- payers see, the widget, and whether the payer may choose EXCHANGE. What is not named is off.
	order_page TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(order_page) AND length(order_page) <= 4000),
	-- HMAC over the partner and these settings: without it all of them are off.
	order_page_seal TEXT
) STRICT;
CREATE INDEX partners_auto_payout ON partners (auto_payout_at) WHERE auto_payout <> 'none';
CREATE INDEX partners_by_name ON partners (name COLLATE NOCASE);

-- A partner's reference codes. A code that is switched off stays, so that its name is never another's.
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

-- A partner's logos: the one that their settings name, and the last one that was previewed. The name has the image's hash.
CREATE TABLE partner_logos (
	partner_id TEXT NOT NULL REFERENCES partners (id),
	name TEXT NOT NULL,
	-- Base64. Drawn by the service, at most 240 × 80 pixels.
	png TEXT NOT NULL CHECK (length(png) <= 60000),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (name, partner_id)
) STRICT;
CREATE INDEX partner_logos_by_partner ON partner_logos (partner_id);

-- Keys of a partner beside the first one, which is in its own row. A key that is revoked is deleted, and its gate remembers.
CREATE TABLE partner_keys (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	kind TEXT NOT NULL CHECK (kind IN ('app', 'read', 'server')),
	label TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 64),
	api_key TEXT NOT NULL UNIQUE,
	-- AES-256-GCM under SECRETS_KEY, bound to the partner and to what the key may do: a row that says more does not open.
	secret_sealed TEXT NOT NULL,
	-- JSON array of the blocks of addresses that calls may come from; empty: any.
	addresses TEXT NOT NULL CHECK (json_valid(addresses) AND length(addresses) <= 1000),
	expires_at INTEGER,
	created_at INTEGER NOT NULL,
	-- To the hour.
	last_used_at INTEGER
) STRICT;
CREATE INDEX partner_keys_of ON partner_keys (partner_id);
CREATE INDEX partner_keys_ending ON partner_keys (expires_at) WHERE expires_at IS NOT NULL;

-- Partners that strangers made for themselves on a public sandbox, for a day.
CREATE TABLE visitors (
	partner_id TEXT PRIMARY KEY REFERENCES partners (id),
	-- The client's network, IPv4 /24 or IPv6 /48; empty when the visit is over.
	network TEXT NOT NULL,
	began_at INTEGER NOT NULL,
	-- When the partner was switched off; null while it is not.
	ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX visitors_began ON visitors (began_at);
CREATE INDEX visitors_open ON visitors (began_at) WHERE ended_at IS NULL;

-- What the operator sets. A row exists only where something differs from the defaults of the code, but for the site.
CREATE TABLE site (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	maintenance INTEGER NOT NULL DEFAULT 0 CHECK (maintenance IN (0, 1)),
	daily_cap_usd INTEGER NOT NULL DEFAULT 1000000 CHECK (daily_cap_usd >= 0),
	base_fee_bps INTEGER NOT NULL DEFAULT 50 CHECK (base_fee_bps BETWEEN 0 AND 2000),
	deposit_window_seconds INTEGER NOT NULL DEFAULT 3600 CHECK (deposit_window_seconds BETWEEN 60 AND 86400),
	-- Counts the operator's changes to all settings; each is a compare-and-set on it.
	revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
	-- Of the daily cap, the share that one partner's unpaid orders may hold, basis points.
	unpaid_share_bps INTEGER NOT NULL DEFAULT 2500 CHECK (unpaid_share_bps BETWEEN 0 AND 10000),
	-- Days after the deposit window until a finished order is moved, where a bucket is bound; null: never. An address is
	-- watched for 30 days.
	archive_after_days INTEGER DEFAULT 90 CHECK (archive_after_days BETWEEN 31 AND 3650),
	-- Days after which the body of a delivered webhook is dropped; after 30 days the whole delivery is.
	webhook_body_days INTEGER NOT NULL DEFAULT 30 CHECK (webhook_body_days BETWEEN 1 AND 30),
	-- May partners view their secrets in the cabinet? Each view needs a fresh passkey check and leaves a row in audit_log.
	shows_secrets INTEGER NOT NULL DEFAULT 1 CHECK (shows_secrets IN (0, 1)),
	-- What moving a deposit to the hot wallet costs may be at most this share of the least that an order may be worth, basis
	-- points. At a third, 3333, it is worth just what the signer still sweeps.
	sweep_share_bps INTEGER NOT NULL DEFAULT 200 CHECK (sweep_share_bps BETWEEN 1 AND 3333),
	-- How many hours a deposit waits for somebody's decision; then it goes back to the refund address by itself. NULL: for ever.
	-- One that is too small to go back is booked to the account `unreturned`, and its `payout_id` names that booking.
	decision_hours INTEGER DEFAULT 72 CHECK (decision_hours BETWEEN 1 AND 720),
	-- A hot wallet that lasts fewer hours at the pace of the last day is told; null: never.
	reserve_hours INTEGER DEFAULT 24 CHECK (reserve_hours BETWEEN 1 AND 720),
	-- A refund that is asked for goes back by itself up to this worth, whole US dollars; 0: the operator plans each.
	asked_refund_usd INTEGER NOT NULL DEFAULT 0 CHECK (asked_refund_usd BETWEEN 0 AND 1000000),
	-- What partners may set for themselves in the cabinet: a default margin of at most so many basis points, and payouts of
	-- their earnings that are made by themselves, at most so often and of at least so many whole US dollars.
	own_margin_bps INTEGER NOT NULL DEFAULT 2000 CHECK (own_margin_bps BETWEEN 0 AND 2000),
	own_payouts TEXT NOT NULL DEFAULT 'weekly' CHECK (own_payouts IN ('none', 'monthly', 'weekly', 'daily')),
	own_payout_min_usd INTEGER NOT NULL DEFAULT 20 CHECK (own_payout_min_usd BETWEEN 0 AND 1000000),
	-- 1: each hour what is owed, and what the wallets hold, is proven and published.
	proves_solvency INTEGER NOT NULL DEFAULT 0 CHECK (proves_solvency IN (0, 1)),
	-- 1: Monero too, whose proof shows every coin that was paid to us and is not spent.
	proves_monero INTEGER NOT NULL DEFAULT 0 CHECK (proves_monero IN (0, 1))
) STRICT;
INSERT INTO site (id) VALUES (1);

-- What the operator set of an asset.
CREATE TABLE asset_settings (
	code TEXT PRIMARY KEY,
	active INTEGER NOT NULL CHECK (active IN (0, 1)),
	-- What the feed may show as an asset's reserve at most, in coins; null: what the hot wallet holds.
	reserve TEXT CHECK (reserve NOT GLOB '*[^0-9.]*' AND length(reserve) > 0),
	-- What the operator wants to have free of it, in coins; null: what two days pay out.
	target TEXT CHECK (target NOT GLOB '*[^0-9.]*' AND length(target) > 0),
	-- 1: orders may be larger than what the hot wallet can pay now.
	beyond_reserve INTEGER NOT NULL DEFAULT 0 CHECK (beyond_reserve IN (0, 1)),
	-- How far the base fee leans with what is free against the target, basis points: up to `surcharge_bps` above it for
	-- orders that lead away from the target, up to `discount_bps` below it for those that lead back. 0: not at all.
	surcharge_bps INTEGER NOT NULL DEFAULT 0 CHECK (surcharge_bps BETWEEN 0 AND 500),
	discount_bps INTEGER NOT NULL DEFAULT 0 CHECK (discount_bps BETWEEN 0 AND 500),
	-- What monitors call the asset in their feeds; null: what the code says. Empty: it is left out of the feed.
	bestchange_code TEXT CHECK (bestchange_code NOT GLOB '*[^A-Z0-9]*' AND length(bestchange_code) <= 20),
	fixedfloat_code TEXT CHECK (fixedfloat_code NOT GLOB '*[^A-Z0-9]*' AND length(fixedfloat_code) <= 20)
) STRICT;

-- What the operator set of a network.
CREATE TABLE network_settings (
	name TEXT PRIMARY KEY,
	send INTEGER NOT NULL CHECK (send IN (0, 1)),
	receive INTEGER NOT NULL CHECK (receive IN (0, 1)),
	-- What the operator asks of deposits beyond the catalog's confirmations (book: networks, "Confirmations"): of all, and of
	-- those with which more than `above_usd` is on its way. Null: nothing more. The catalog's always hold as well.
	confirmations INTEGER CHECK (confirmations BETWEEN 1 AND 100000),
	above_usd INTEGER CHECK (above_usd BETWEEN 1 AND 1000000000),
	confirmations_above INTEGER
		CHECK (confirmations_above BETWEEN 1 AND 100000 AND (confirmations_above IS NULL) = (above_usd IS NULL))
) STRICT;

-- What the operator set of a pair: whole US dollars that an order may be worth.
CREATE TABLE pair_settings (
	from_asset TEXT NOT NULL,
	to_asset TEXT NOT NULL,
	active INTEGER NOT NULL CHECK (active IN (0, 1)),
	min_usd INTEGER NOT NULL CHECK (min_usd >= 0),
	max_usd INTEGER NOT NULL CHECK (max_usd >= min_usd),
	PRIMARY KEY (from_asset, to_asset)
) STRICT, WITHOUT ROWID;

-- Orders: their terms, their status, and copies of what a read of one shows.
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
	-- The part of `base_fee_bps` that the reserves added; below zero what they took off.
	lean_bps INTEGER NOT NULL,
	afftax_bps INTEGER NOT NULL CHECK (afftax_bps BETWEEN 0 AND 2000),
	-- The least that the order's own amount may bring its recipient, sealed with that amount; null: whatever the rate gives.
	min_to_amount TEXT,
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
	-- The reference code that the order was made under.
	reference_code TEXT,
	-- A poll must cost nothing for dust that is on record. So each order carries how many dust deposits it has, and what those
	-- add up to that have not vanished; both follow from the rows of `deposits` and are written with them, by triggers.
	dust_count INTEGER NOT NULL DEFAULT 0,
	-- Base units in four parts of nine digits, each summed by itself (`platform/d1/exact-sum.ts`).
	dust_sum TEXT NOT NULL DEFAULT '0 0 0 0 fits',
	-- A reference of the partner's own, given at create and echoed. Null: none was given.
	external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 64),
	-- 1: the create asked that its partner's reference makes one order.
	external_id_unique INTEGER NOT NULL DEFAULT 0 CHECK (external_id_unique = 0 OR (external_id_unique = 1 AND external_id IS NOT NULL)),
	-- What an order holds of the daily cap beyond its final deposits is unpaid, whatever its status: a payment that is in
	-- no block yet, or too small, takes nothing out of the partner's share. `paid_cents`: the part of `usd_cents` that the
	-- final deposits pay. `usd_cents` falls to it when the order ends.
	paid_cents INTEGER NOT NULL DEFAULT 0
		CHECK (paid_cents >= 0 AND paid_cents <= usd_cents),
	-- What the partner and the payer read of an order's strays, as JSON; null where it has none.
	strays TEXT CHECK (strays IS NULL OR json_valid(strays)),
	-- Transactions that the payer has named on the order's page; each costs calls to nodes, so they are few.
	named INTEGER NOT NULL DEFAULT 0,
	-- Base units: a deposit of fewer is dust. It is what a payment of the asset cost when the order was made, and at most a
	-- tenth of what the order asked for; fixed with the order, so that no later fee makes dust of what was asked for.
	dust_below TEXT NOT NULL
		CHECK (length(dust_below) > 0 AND dust_below NOT GLOB '*[^0-9]*'),
	-- When EXCHANGE was chosen, Unix milliseconds: it is priced by prices that were asked for afterwards. A choice that is
	-- repeated keeps the time of the first one.
	chosen_at INTEGER,
	-- When and by whom a refund was asked for, Unix milliseconds, while that is open: a step of the order beyond EMERGENCY, a
	-- choice of EXCHANGE and a planned refund each end it.
	refund_asked_at INTEGER,
	refund_asked_by TEXT CHECK (refund_asked_by IN ('payer', 'partner')),
	-- Transactions that the payer reported as lost, as JSON, with the networks' answers; at most five.
	reports TEXT CHECK (reports IS NULL OR json_valid(reports)),
	-- Of the newest report that explains no coins and that the operator has not looked at, Unix milliseconds.
	reported_at INTEGER,
	-- The app key that made it, which reads no other orders; null: another key made it.
	app_key TEXT,
	CHECK ((refund_asked_at IS NULL) = (refund_asked_by IS NULL)),
	CHECK (from_asset <> to_asset),
	CHECK ((status = 'DONE') = (finished_at IS NOT NULL)),
	CHECK (status <> 'DONE' OR payout_tx_id IS NOT NULL),
	UNIQUE (from_network, pay_in_address)
) STRICT;
-- Idempotency-Key: per partner, as long as the order (book: contract, "Orders").
CREATE UNIQUE INDEX orders_idempotency ON orders (partner_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX orders_unfunded ON orders (from_network, expires_at) WHERE status = 'NEW';
CREATE INDEX orders_moving ON orders (from_network) WHERE status IN ('PENDING', 'EMERGENCY');
-- The operator's lists.
CREATE INDEX orders_by_partner ON orders (partner_id, created_at);
CREATE INDEX orders_by_time ON orders (created_at);
-- The agent's reads: what to watch, what may have to move.
CREATE INDEX orders_watched ON orders (from_network, expires_at, id);
CREATE INDEX orders_watched_today ON orders (from_network, pay_in_index % 10, expires_at, id);
CREATE INDEX orders_watched_in_turn ON orders (from_network, pay_in_index % 100, expires_at, id);
-- No order pays or refunds to a pay-in address of ours: the coins would be taken for another order's deposit. The exact
-- text is found by the UNIQUE key (from_network, pay_in_address), bech32 in capitals too. EVM addresses have several
-- texts and are the same on all EVM networks, so they have an index of their own, in one case.
CREATE INDEX orders_hexadecimal_pay_in ON orders (lower(pay_in_address)) WHERE substr(pay_in_address, 1, 2) = '0x';
-- Orders per reference code (`partner show`).
CREATE INDEX orders_by_code ON orders (partner_id, reference_code) WHERE reference_code IS NOT NULL;
-- By expressions, so that only `order list --status` and `webhook list --partner` take them: a status or a partner alone
-- finds far too many rows for a poll.
CREATE INDEX orders_by_status ON orders (lower(status), created_at);
-- Orders that an older key has sealed (`keys show`, `keys reseal`): the number that the seal names, with its point.
CREATE INDEX orders_by_key ON orders (substr(seal, 1, instr(seal, '.')));
-- What `order find` searches by, and partners by name. Addresses in one case: those of Ethereum and bech32 are the same in
-- either, and of two others no two differ by that alone. The newest orders of an address first.
CREATE INDEX orders_by_recipient ON orders (lower(to_address), created_at);
CREATE INDEX orders_by_refund ON orders (lower(refund_address), created_at);
-- `order list --partner --status` of orders that are over.
CREATE INDEX orders_finished_by_partner ON orders (partner_id, lower(status), created_at) WHERE status IN ('DONE', 'EXPIRED');
CREATE UNIQUE INDEX orders_external_unique ON orders (partner_id, external_id) WHERE external_id_unique = 1;
-- `order find` searches by the reference alone, a partner's list by their own.
CREATE INDEX orders_by_external ON orders (external_id, partner_id, created_at) WHERE external_id IS NOT NULL;
-- A partner's list by status reads as many rows as it shows, however many orders there are.
CREATE INDEX orders_by_partner_status ON orders (partner_id, status, created_at);
-- Orders with as much dust as is recorded of one: more may lie at their addresses.
CREATE INDEX orders_flooded ON orders (from_network, expires_at, id) WHERE dust_count >= 100;
-- Orders that dust came to: what of it nobody asked for goes back, or is booked, when their addresses are watched no more.
CREATE INDEX orders_with_dust ON orders (from_network, watch_until) WHERE dust_count > 0;
-- The payers who wait for an answer.
CREATE INDEX orders_refund_asked ON orders (from_network, refund_asked_at) WHERE refund_asked_at IS NOT NULL;
-- What the unpaid orders of a partner's widget are worth.
CREATE INDEX orders_of_widgets ON orders (partner_id) WHERE status = 'NEW' AND app_key = 'widget';
CREATE INDEX orders_reported ON orders (reported_at) WHERE reported_at IS NOT NULL;

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

CREATE TRIGGER orders_own_address BEFORE INSERT ON orders
WHEN EXISTS (
		SELECT 1 FROM orders
		WHERE from_network = NEW.to_network AND pay_in_address IN (NEW.to_address, lower(NEW.to_address))
	)
	OR EXISTS (
		SELECT 1 FROM orders
		WHERE from_network = NEW.from_network AND pay_in_address IN (NEW.refund_address, lower(NEW.refund_address))
	)
	OR EXISTS (
		SELECT 1 FROM orders
		WHERE substr(pay_in_address, 1, 2) = '0x'
			AND lower(pay_in_address) IN (lower(NEW.to_address), lower(NEW.refund_address))
	)
BEGIN
	SELECT RAISE(ABORT, 'refused: own address');
END;

-- Above the share a create aborts with its whole batch, unless it is the partner's only unpaid order: a small cap must
-- not make every order impossible. The share is in whole cents, rounded down.
CREATE TRIGGER orders_unpaid_share AFTER INSERT ON orders
WHEN NEW.status = 'NEW' AND NEW.holds_cap = 1
BEGIN
	INSERT INTO unpaid_volume (partner_id, day, usd_cents, orders) VALUES (NEW.partner_id, NEW.cap_day, NEW.usd_cents, 1)
	ON CONFLICT (partner_id, day) DO UPDATE SET usd_cents = usd_cents + NEW.usd_cents, orders = orders + 1;
	SELECT RAISE(ABORT, 'refused: unpaid share')
	FROM unpaid_volume
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day AND orders > 1
		AND usd_cents > (SELECT daily_cap_usd * unpaid_share_bps / 100 FROM site);
END;

CREATE TRIGGER orders_counted AFTER INSERT ON orders
WHEN NEW.reference_code IS NOT NULL
BEGIN
	INSERT INTO code_totals (partner_id, reference_code, orders) VALUES (NEW.partner_id, NEW.reference_code, 1)
	ON CONFLICT (partner_id, reference_code) DO UPDATE SET orders = orders + 1;
END;

-- Unpaid, expired orders give their share back; a late deposit takes it again, above the cap if need be.
CREATE TRIGGER orders_cap_released AFTER UPDATE OF holds_cap, usd_cents ON orders
WHEN OLD.holds_cap * OLD.usd_cents <> NEW.holds_cap * NEW.usd_cents
BEGIN
	UPDATE daily_volume
	SET usd_cents = max(0, usd_cents + NEW.holds_cap * NEW.usd_cents - OLD.holds_cap * OLD.usd_cents)
	WHERE day = NEW.cap_day;
END;

CREATE TRIGGER orders_unpaid_changed AFTER UPDATE OF holds_cap, usd_cents, paid_cents ON orders
WHEN OLD.holds_cap * (OLD.usd_cents - OLD.paid_cents) <> NEW.holds_cap * (NEW.usd_cents - NEW.paid_cents)
BEGIN
	UPDATE unpaid_volume
	SET usd_cents = max(0, usd_cents + NEW.holds_cap * (NEW.usd_cents - NEW.paid_cents)
			- OLD.holds_cap * (OLD.usd_cents - OLD.paid_cents)),
		orders = max(0, orders + (NEW.holds_cap = 1 AND NEW.usd_cents > NEW.paid_cents)
			- (OLD.holds_cap = 1 AND OLD.usd_cents > OLD.paid_cents))
	WHERE partner_id = NEW.partner_id AND day = NEW.cap_day;
END;

-- Whole cents, rounded down, as the partner's own counters have it (`treasury/transactions/finish-store.ts`).
CREATE TRIGGER orders_done_counted AFTER UPDATE OF status ON orders
WHEN NEW.status = 'DONE' AND OLD.status <> 'DONE' AND NEW.reference_code IS NOT NULL
BEGIN
	UPDATE code_totals SET orders_done = orders_done + 1,
		volume_usd_cents = volume_usd_cents + paid.usd_cents,
		earned_usd_cents = earned_usd_cents + paid.usd_cents * NEW.afftax_bps / 10000
	FROM (
		SELECT coalesce((SELECT usd_cents FROM transactions WHERE order_id = NEW.id AND kind = 'payout'), 0) AS usd_cents
	) AS paid
	WHERE partner_id = NEW.partner_id AND reference_code = NEW.reference_code;
END;

-- The history, and the compare-and-set of every transition: of two writers that move an order from the same
-- sequence, the second one's batch fails on this key as a whole. Rows are chained by their numbers, which leave no gap, as those
-- of `audit_log`.
CREATE TABLE order_changes (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	order_id TEXT NOT NULL REFERENCES orders (id),
	sequence INTEGER NOT NULL CHECK (sequence >= 0),
	status TEXT NOT NULL,
	previous_status TEXT,
	cause TEXT NOT NULL,
	at INTEGER NOT NULL,
	UNIQUE (order_id, sequence)
) STRICT;

-- A day's volume in USD cents, kept by the triggers below, so that no path can forget it.
CREATE TABLE daily_volume (
	day TEXT PRIMARY KEY,
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0)
) STRICT, WITHOUT ROWID;

-- What came to orders' pay-in addresses, by what the chain says of it.
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
	-- Deposits on record when the operator finalised their order: they are for `order refund` alone and revive nothing.
	set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside IN (0, 1)),
	-- One transaction may pay several orders from inside a contract, where it has no other position than the address.
	PRIMARY KEY (network, tx_id, position, address),
	CHECK (payout_id IS NULL OR state = 'final')
) STRICT, WITHOUT ROWID;
CREATE INDEX deposits_by_order ON deposits (order_id);
CREATE INDEX deposits_open ON deposits (network) WHERE state <> 'final';
-- What else came to an order, without a look at its dust.
CREATE INDEX deposits_not_dust ON deposits (order_id) WHERE dust = 0;
-- The operator's list of what waits for a person: final deposits that no payout pays for.
CREATE INDEX deposits_unclaimed ON deposits (payout_id, order_id) WHERE state = 'final' AND payout_id IS NULL AND dust = 0;
CREATE INDEX deposits_unclaimed_dust ON deposits (payout_id) WHERE state = 'final' AND payout_id IS NULL AND dust = 1;
-- Deposits that became final lately: what one deposit brings is added to them, so that splitting a payment wins nothing.
CREATE INDEX deposits_lately_final ON deposits (network, last_seen_at) WHERE state = 'final';

CREATE TRIGGER deposits_dust_added AFTER INSERT ON deposits WHEN new.dust = 1 BEGIN
	UPDATE orders SET (dust_count, dust_sum) = (SELECT dust_count, dust_sum FROM dust_of_orders WHERE order_id = new.order_id)
	WHERE id = new.order_id;
END;

CREATE TRIGGER deposits_dust_changed AFTER UPDATE OF state, amount ON deposits WHEN new.dust = 1 BEGIN
	UPDATE orders SET (dust_count, dust_sum) = (SELECT dust_count, dust_sum FROM dust_of_orders WHERE order_id = new.order_id)
	WHERE id = new.order_id;
END;

CREATE TRIGGER deposits_holding_kept AFTER DELETE ON deposits
WHEN OLD.state IN ('seen', 'final') AND OLD.payout_id IS NULL
BEGIN
	INSERT INTO deleted_holdings (asset, limb_3, limb_2, limb_1, limb_0)
	SELECT OLD.asset,
		cast(substr(digits, 1, 9) AS INTEGER),
		cast(substr(digits, 10, 9) AS INTEGER),
		cast(substr(digits, 19, 9) AS INTEGER),
		cast(substr(digits, 28, 9) AS INTEGER)
	FROM (SELECT substr('000000000000000000000000000000000000' || OLD.amount, -36) AS digits)
	WHERE true
	ON CONFLICT (asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;

CREATE TRIGGER deposits_sum_added AFTER INSERT ON deposits
WHEN NEW.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes VALUES (NEW.asset, substr(NEW.order_id, 1, 2), 1, NEW.amount);
END;

CREATE TRIGGER deposits_sum_changed AFTER UPDATE OF asset, order_id, amount, state ON deposits
WHEN OLD.state = 'final' OR NEW.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes SELECT OLD.asset, substr(OLD.order_id, 1, 2), -1, OLD.amount WHERE OLD.state = 'final';
	INSERT INTO deposit_sum_changes SELECT NEW.asset, substr(NEW.order_id, 1, 2), 1, NEW.amount WHERE NEW.state = 'final';
END;

CREATE TRIGGER deposits_sum_kept AFTER DELETE ON deposits
WHEN OLD.state = 'final'
BEGIN
	INSERT INTO deposit_sum_changes
	SELECT OLD.asset, part, sign, OLD.amount FROM (SELECT substr(OLD.order_id, 1, 2) AS part, -1 AS sign UNION ALL SELECT '', 1);
END;

-- Dust is paid for together with a deposit that is none. What screening does not accept of it is in no payout, and stops
-- none: so a stranger's dust keeps nobody's order from being paid.
CREATE TRIGGER deposits_dust_screened BEFORE UPDATE OF payout_id ON deposits
WHEN NEW.dust = 1 AND NEW.payout_id IS NOT NULL
BEGIN
	SELECT RAISE(ABORT, 'refused: screening')
	FROM screenings JOIN transactions ON transactions.id = NEW.payout_id
	WHERE transactions.kind = 'payout' AND screenings.order_id = NEW.order_id AND screenings.subject = 'deposit'
		AND screenings.verdict <> 'accept' AND screenings.from_network = NEW.network AND screenings.tx_id = NEW.tx_id
		AND screenings.position = NEW.position AND screenings.address = NEW.address;
END;

-- Double entry: an order's entries sum to zero per asset, always. Signed base units. `number` as in `order_changes`.
CREATE TABLE ledger_entries (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	order_id TEXT NOT NULL REFERENCES orders (id),
	cause TEXT NOT NULL,
	account TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (ltrim(amount, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(amount, '-')) > 0),
	at INTEGER NOT NULL,
	UNIQUE (order_id, cause, account, asset)
) STRICT;
-- The export of the books reads bookings by time. Each booking (`order_id`, `cause`) has exactly one entry on one of
-- these accounts and in the index, whatever else it has.
CREATE INDEX ledger_entries_by_time ON ledger_entries (at, order_id, cause) WHERE account IN ('wallet', 'partnerPaid');

-- The first entry of an order puts it into the newest piece, or opens the next one.
CREATE TRIGGER ledger_entries_first BEFORE INSERT ON ledger_entries
WHEN NOT EXISTS (SELECT 1 FROM ledger_orders WHERE order_id = NEW.order_id)
BEGIN
	INSERT INTO ledger_pieces (number)
	SELECT number + 1 FROM (SELECT number, orders FROM ledger_pieces ORDER BY number DESC LIMIT 1)
	WHERE number = 0 OR orders >= 1000;
	INSERT INTO ledger_orders (order_id, piece) SELECT NEW.order_id, max(number) FROM ledger_pieces;
	UPDATE ledger_pieces SET orders = orders + 1 WHERE number = (SELECT max(number) FROM ledger_pieces);
END;

CREATE TRIGGER ledger_entries_added AFTER INSERT ON ledger_entries
BEGIN
	SELECT RAISE(ABORT, 'refused: amount too long') WHERE length(ltrim(NEW.amount, '-')) > 36;
	INSERT INTO ledger_balances (account, asset, piece, entries, limb_3, limb_2, limb_1, limb_0)
	SELECT NEW.account, NEW.asset, piece, 1,
		sign * cast(substr(digits, 1, 9) AS INTEGER),
		sign * cast(substr(digits, 10, 9) AS INTEGER),
		sign * cast(substr(digits, 19, 9) AS INTEGER),
		sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (
		SELECT piece, iif(substr(NEW.amount, 1, 1) = '-', -1, 1) AS sign,
			substr('000000000000000000000000000000000000' || ltrim(NEW.amount, '-'), -36) AS digits
		FROM ledger_orders WHERE order_id = NEW.order_id
	)
	WHERE true
	ON CONFLICT (account, asset, piece) DO UPDATE SET entries = entries + 1,
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
	UPDATE ledger_pieces SET changed = 1
	WHERE number = (SELECT piece FROM ledger_orders WHERE order_id = NEW.order_id) AND changed = 0;
END;

CREATE TRIGGER ledger_entries_due AFTER INSERT ON ledger_entries
WHEN NEW.account = 'partner'
BEGIN
	INSERT INTO partner_dues (partner_id, asset, limb_3, limb_2, limb_1, limb_0)
	SELECT partner_id, NEW.asset,
		sign * cast(substr(digits, 1, 9) AS INTEGER),
		sign * cast(substr(digits, 10, 9) AS INTEGER),
		sign * cast(substr(digits, 19, 9) AS INTEGER),
		sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (
		SELECT partner_id, iif(substr(NEW.amount, 1, 1) = '-', -1, 1) AS sign,
			substr('000000000000000000000000000000000000' || ltrim(NEW.amount, '-'), -36) AS digits
		FROM orders WHERE id = NEW.order_id
	)
	WHERE true
	ON CONFLICT (partner_id, asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;

-- The exposure in each asset: what swaps brought of it, less what they took. It is the account `market` with the other
-- sign, kept by the trigger below. Signed base units.
CREATE TABLE exposures (
	asset TEXT PRIMARY KEY,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- One row for each settlement, and one more where it was taken back, in the order in which they were booked. The trigger
-- below writes them, so that no path can forget one. Numbers have no gap: the newest row is never deleted, and a batch that
-- fails uses none up. Rows per order: 1 or 2, for 90 days.
CREATE TABLE trades (
	sequence INTEGER PRIMARY KEY,
	-- The order may be archived before the row is deleted.
	order_id TEXT NOT NULL,
	-- The booking: `settled`, or `given up` and the payout's id.
	cause TEXT NOT NULL,
	-- When it was booked, Unix milliseconds.
	at INTEGER NOT NULL,
	-- Entries on the account `market`, and the exposure after them as `platform/d1/exact-sum.ts` reads it. Signed base units.
	from_asset TEXT NOT NULL,
	from_entry TEXT NOT NULL,
	from_exposure TEXT NOT NULL,
	to_asset TEXT NOT NULL,
	to_entry TEXT NOT NULL,
	to_exposure TEXT NOT NULL,
	-- What the payout pays, base units, and what the deposits were worth, US cents.
	payout TEXT NOT NULL,
	usd_cents INTEGER NOT NULL
) STRICT;

-- A settlement has two entries on `market`. The row is written with the second of them.
CREATE TRIGGER trades_booked AFTER INSERT ON ledger_entries
WHEN NEW.account = 'market'
BEGIN
	INSERT INTO exposures (asset, limb_3, limb_2, limb_1, limb_0)
	SELECT NEW.asset,
		sign * cast(substr(digits, 1, 9) AS INTEGER),
		sign * cast(substr(digits, 10, 9) AS INTEGER),
		sign * cast(substr(digits, 19, 9) AS INTEGER),
		sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (
		SELECT iif(substr(NEW.amount, 1, 1) = '-', 1, -1) AS sign,
			substr('000000000000000000000000000000000000' || ltrim(NEW.amount, '-'), -36) AS digits
	)
	WHERE true
	ON CONFLICT (asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
	INSERT INTO trades (order_id, cause, at, from_asset, from_entry, from_exposure, to_asset, to_entry, to_exposure, payout, usd_cents)
	SELECT NEW.order_id, NEW.cause, NEW.at,
		given.asset, given.amount, held.limb_3 || ' ' || held.limb_2 || ' ' || held.limb_1 || ' ' || held.limb_0 || ' fits',
		taken.asset, taken.amount, owed.limb_3 || ' ' || owed.limb_2 || ' ' || owed.limb_1 || ' ' || owed.limb_0 || ' fits',
		coalesce(transactions.amount, '0'), coalesce(transactions.usd_cents, 0)
	FROM orders
	JOIN ledger_entries AS given ON given.order_id = orders.id AND given.cause = NEW.cause AND given.account = 'market'
		AND given.asset = orders.from_asset
	JOIN ledger_entries AS taken ON taken.order_id = orders.id AND taken.cause = NEW.cause AND taken.account = 'market'
		AND taken.asset = orders.to_asset
	JOIN exposures AS held ON held.asset = given.asset
	JOIN exposures AS owed ON owed.asset = taken.asset
	LEFT JOIN transactions ON transactions.order_id = orders.id AND transactions.kind = 'payout'
	WHERE orders.id = NEW.order_id;
END;

-- Whom trades are told, and up to which of them the outbox has been given them. No row: nobody.
CREATE TABLE hedgers (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	partner_id TEXT NOT NULL REFERENCES partners (id),
	queued_until INTEGER NOT NULL
) STRICT;

-- Entries are only ever added. Folding alone removes some, under its row in `ledger_folds`.
CREATE TRIGGER ledger_entries_unchanged BEFORE UPDATE ON ledger_entries
BEGIN
	SELECT RAISE(ABORT, 'refused: an entry is never changed');
END;

CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries
WHEN NOT EXISTS (SELECT 1 FROM ledger_folds WHERE order_id = OLD.order_id)
BEGIN
	SELECT RAISE(ABORT, 'refused: an entry is never deleted');
END;

CREATE TRIGGER unpaid_earnings_added AFTER INSERT ON ledger_entries
WHEN NEW.cause = 'paid' AND NEW.account = 'partner'
BEGIN
	INSERT INTO unpaid_earnings (order_id, partner_id, at) SELECT id, partner_id, NEW.at FROM orders WHERE id = NEW.order_id
	ON CONFLICT (order_id) DO NOTHING;
END;

-- Folding alone deletes entries.
CREATE TRIGGER unpaid_earnings_folded AFTER DELETE ON ledger_entries
WHEN OLD.cause = 'paid' AND OLD.account = 'partner'
BEGIN
	DELETE FROM unpaid_earnings WHERE order_id = OLD.order_id;
END;

-- The chain over the rows of the audit log, the books and the orders' moves (book: history). Each segment has some rows of one
-- table with consecutive numbers. `position` is the segment's own number, and the compare-and-set of its writers.
CREATE TABLE chained_segments (
	position INTEGER PRIMARY KEY CHECK (position > 0),
	rows_of TEXT NOT NULL CHECK (rows_of IN ('audit_log', 'ledger_entries', 'order_changes')),
	first INTEGER NOT NULL,
	last INTEGER NOT NULL CHECK (last >= first),
	-- When it was chained, Unix milliseconds.
	at INTEGER NOT NULL,
	-- A line for each row: its name, its time and its SHA-256. Null where the bucket alone has them.
	lines TEXT,
	-- SHA-256 over the digest before, all of the above and the lines.
	digest TEXT NOT NULL
) STRICT;
-- The newest segment of a table.
CREATE INDEX chained_segments_of ON chained_segments (rows_of, position);

-- Where webhooks go: up to five endpoints a partner, and one for each order that was created with a `callbackUrl`.
CREATE TABLE webhook_endpoints (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	-- Null for an endpoint of the partner's. Otherwise it gets the events of this order alone.
	order_id TEXT REFERENCES orders (id),
	url TEXT NOT NULL,
	-- JSON array of event types.
	events TEXT NOT NULL CHECK (json_valid(events)),
	enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
	-- HMAC over id, partner, order, URL and its time: who writes D1 cannot have webhooks sent elsewhere. Null: the key leaked,
	-- and the URL has to be set again.
	seal TEXT,
	-- When the URL was set, Unix milliseconds.
	url_set_at INTEGER NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_endpoints_by_partner ON webhook_endpoints (partner_id, created_at) WHERE order_id IS NULL;
CREATE UNIQUE INDEX webhook_endpoints_by_order ON webhook_endpoints (order_id) WHERE order_id IS NOT NULL;
-- Those that an older key has sealed, as orders have them.
CREATE INDEX webhook_endpoints_by_key ON webhook_endpoints (substr(seal, 1, instr(seal, '.')));

-- The outbox: a row for each event and endpoint. It is written in the batch of the change that it tells of; `body` is
-- serialised once and is what is signed and posted at each attempt.
CREATE TABLE webhook_events (
	-- The event's id and the endpoint's, with a full stop between.
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	order_id TEXT REFERENCES orders (id),
	sequence INTEGER,
	type TEXT NOT NULL,
	body TEXT NOT NULL,
	state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'ended')),
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	-- As in the body.
	event_id TEXT NOT NULL DEFAULT '',
	-- An endpoint that is deleted leaves its rows.
	endpoint_id TEXT NOT NULL DEFAULT '' CHECK (endpoint_id <> ''),
	UNIQUE (order_id, sequence, endpoint_id)
) STRICT;
CREATE INDEX webhook_events_due ON webhook_events (next_attempt_at) WHERE state = 'due';
CREATE INDEX webhook_events_missed ON webhook_events (endpoint_id, created_at) WHERE state = 'due';
CREATE INDEX webhook_events_by_event ON webhook_events (event_id);
CREATE INDEX webhook_events_by_time ON webhook_events (created_at);
-- Webhooks that were given up (`attention`).
CREATE INDEX webhook_events_ended ON webhook_events (partner_id, created_at) WHERE state = 'ended';
CREATE INDEX webhook_events_by_partner ON webhook_events (lower(partner_id), created_at);
CREATE INDEX webhook_events_undelivered ON webhook_events (created_at) WHERE state <> 'delivered';

-- An event is written without an endpoint, and is stored once for each endpoint that wants it: not at all where none does.
-- The types that are named are those that a partner can choose; all others go to every endpoint of theirs.
CREATE TRIGGER webhook_events_for_endpoints BEFORE INSERT ON webhook_events
WHEN NEW.endpoint_id = ''
BEGIN
	INSERT INTO webhook_events (id, partner_id, order_id, sequence, type, body, state, attempts, next_attempt_at, created_at,
		event_id, endpoint_id)
	SELECT NEW.id || '.' || e.id, NEW.partner_id, NEW.order_id, NEW.sequence, NEW.type, NEW.body, NEW.state, NEW.attempts,
		NEW.next_attempt_at, NEW.created_at, NEW.id, e.id
	FROM webhook_endpoints e
	WHERE e.id IN (
		SELECT id FROM webhook_endpoints WHERE partner_id = NEW.partner_id AND order_id IS NULL
		UNION ALL
		SELECT id FROM webhook_endpoints WHERE order_id = NEW.order_id
	)
	AND e.enabled = 1
	AND (
		NEW.type NOT IN ('order.status_changed', 'partner.paid_out', 'partner.attention')
		OR EXISTS (SELECT 1 FROM json_each(e.events) WHERE value = NEW.type)
	);
	SELECT RAISE(IGNORE);
END;

-- Each attempt to deliver a webhook, and how it ended.
CREATE TABLE webhook_deliveries (
	event_id TEXT NOT NULL REFERENCES webhook_events (id),
	attempt INTEGER NOT NULL,
	at INTEGER NOT NULL,
	-- HTTP status; null when there was no answer.
	status INTEGER,
	duration_milliseconds INTEGER NOT NULL,
	error TEXT,
	PRIMARY KEY (event_id, attempt)
) STRICT, WITHOUT ROWID;

-- What partners are paid of their earnings. Planned: amount, address and orders are fixed, the operator is to pay;
-- paid: `tx_id` is the transaction by which they did. Rows per payout: 1, and 1 in the second table per order it pays for.
CREATE TABLE partner_payouts (
	id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL REFERENCES partners (id),
	asset TEXT NOT NULL,
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	-- Base units of `asset`, and their value when it was planned.
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND amount <> '0'),
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	order_count INTEGER NOT NULL CHECK (order_count > 0),
	planned_at INTEGER NOT NULL,
	tx_id TEXT,
	paid_at INTEGER,
	-- The first instant of the period that the service paid by itself, Unix milliseconds; null where a person asked for it.
	-- A partner is paid by itself at most once a period.
	auto_period INTEGER,
	CHECK ((tx_id IS NULL) = (paid_at IS NULL))
) STRICT;
-- Of two that are planned at the same time, one fails with its whole batch.
CREATE UNIQUE INDEX partner_payouts_planned ON partner_payouts (partner_id) WHERE tx_id IS NULL;
-- A transaction is booked once.
CREATE UNIQUE INDEX partner_payouts_tx ON partner_payouts (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX partner_payouts_by_partner ON partner_payouts (partner_id, planned_at);
CREATE UNIQUE INDEX partner_payouts_once_a_period ON partner_payouts (partner_id, auto_period) WHERE auto_period IS NOT NULL;

-- An order's afftax is paid out once: the key says so.
CREATE TABLE partner_payout_orders (
	order_id TEXT PRIMARY KEY REFERENCES orders (id),
	payout_id TEXT NOT NULL REFERENCES partner_payouts (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX partner_payout_orders_by_payout ON partner_payout_orders (payout_id);

CREATE TRIGGER unpaid_earnings_paid AFTER INSERT ON partner_payout_orders
BEGIN
	DELETE FROM unpaid_earnings WHERE order_id = NEW.order_id;
END;

CREATE TRIGGER unpaid_earnings_again AFTER DELETE ON partner_payout_orders
BEGIN
	INSERT INTO unpaid_earnings (order_id, partner_id, at)
	SELECT orders.id, partner_id, at
	FROM ledger_entries INNER JOIN orders ON orders.id = order_id
	WHERE order_id = OLD.order_id AND cause = 'paid' AND account = 'partner'
	ON CONFLICT (order_id) DO NOTHING;
END;

-- Pay-in addresses that a sweep may have to empty. A row comes in the batch that makes a payout, a refund, or what was
-- sent for the sweep itself final, and goes when nothing is left to be swept. Rows per order: 1 for a while, then none.
CREATE TABLE sweep_candidates (
	network TEXT NOT NULL,
	order_id TEXT NOT NULL REFERENCES orders (id),
	-- Looks that found it too small, or the order not over; each waits longer than the one before.
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER NOT NULL,
	-- When the operator last asked for another sweep of the address, after failures on chain (`order sweep`): Unix
	-- milliseconds. Failures from before do not delay it.
	retried_at INTEGER,
	-- Since when a sweep has waited for cheaper blocks, Unix milliseconds; NULL where it waits for nothing. It waits a day at
	-- most, and not at all where a payment needs the coins.
	waits_since INTEGER,
	PRIMARY KEY (network, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_candidates_due ON sweep_candidates (network, next_attempt_at);
-- A deleted order is looked for in each table that refers to it.
CREATE INDEX sweep_candidates_by_order ON sweep_candidates (order_id);
CREATE INDEX sweep_candidates_waiting ON sweep_candidates (network, waits_since) WHERE waits_since IS NOT NULL;

-- What a partner's unpaid orders of a UTC day hold of the daily cap, and how many there are, kept by the triggers below.
-- An order is unpaid while it is NEW and holds its share of the cap: it leaves when it is paid, expires or is deleted.
CREATE TABLE unpaid_volume (
	partner_id TEXT NOT NULL,
	day TEXT NOT NULL,
	usd_cents INTEGER NOT NULL,
	orders INTEGER NOT NULL,
	PRIMARY KEY (partner_id, day)
) STRICT, WITHOUT ROWID;

-- What went wrong once and cannot be read from other rows: a broken seal, a lost counter, a call that failed. One row
-- for each kind and subject, so repetitions add no rows.
CREATE TABLE incidents (
	kind TEXT NOT NULL,
	subject TEXT NOT NULL,
	detail TEXT NOT NULL,
	times INTEGER NOT NULL CHECK (times > 0),
	first_at INTEGER NOT NULL,
	last_at INTEGER NOT NULL CHECK (last_at >= first_at),
	PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;

-- One row for each thing that waits and was or will be told to the alert endpoint. `raised`: to be told. `told`: told.
-- `over`: to be told that it is over; then the row goes. `event_id` is the id of the message that is to be posted.
CREATE TABLE alerts (
	key TEXT PRIMARY KEY,
	state TEXT NOT NULL CHECK (state IN ('raised', 'told', 'over')),
	event_id TEXT NOT NULL UNIQUE,
	area TEXT NOT NULL,
	subject TEXT NOT NULL,
	cause TEXT NOT NULL,
	todo TEXT NOT NULL,
	since INTEGER,
	raised_at INTEGER NOT NULL,
	-- Since when it waits no more; null while it waits.
	gone_at INTEGER,
	attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at INTEGER NOT NULL,
	last_error TEXT,
	CHECK (state <> 'over' OR gone_at IS NOT NULL)
) STRICT;

-- Work of the cron that is due less often than each minute. `found`: how many times in a row it found something.
CREATE TABLE periodic_checks (
	name TEXT PRIMARY KEY,
	due_at INTEGER NOT NULL,
	found INTEGER NOT NULL DEFAULT 0 CHECK (found >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO periodic_checks (name, due_at) VALUES ('solvency', 0);

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
	triggers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(triggers)),
	-- A restore makes the triggers again whose SQL its hold keeps: this is the seal over them, so that anyone who writes rows
	-- cannot have SQL of their own executed. Null for a backup, which drops none.
	seal TEXT
) STRICT;

-- The entries are proven in pieces of a bounded number of orders, in the order in which they were first booked. Piece 0
-- has no entries: it is the opening balance, what was booked for orders whose entries were folded (`foldEntries`).
CREATE TABLE ledger_pieces (
	number INTEGER PRIMARY KEY CHECK (number >= 0),
	orders INTEGER NOT NULL DEFAULT 0 CHECK (orders >= 0),
	-- Something was booked since the piece was last proven.
	changed INTEGER NOT NULL DEFAULT 1 CHECK (changed IN (0, 1)),
	-- Unix milliseconds; 0: never.
	proven_at INTEGER NOT NULL DEFAULT 0,
	-- The seal is over every entry that was booked up to this moment, Unix milliseconds.
	sealed_until INTEGER NOT NULL DEFAULT 0,
	seal TEXT
) STRICT;
INSERT INTO ledger_pieces (number) VALUES (0);

-- In which piece of the books an order's entries are.
CREATE TABLE ledger_orders (
	order_id TEXT PRIMARY KEY,
	piece INTEGER NOT NULL REFERENCES ledger_pieces (number)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_orders_by_piece ON ledger_orders (piece);

-- The balance of each account in each asset and piece, kept by the triggers of `ledger_entries`.
CREATE TABLE ledger_balances (
	account TEXT NOT NULL,
	asset TEXT NOT NULL,
	piece INTEGER NOT NULL REFERENCES ledger_pieces (number),
	entries INTEGER NOT NULL CHECK (entries >= 0),
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (account, asset, piece)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_balances_by_piece ON ledger_balances (piece);
-- What partners will earn with orders under way: balances that are not zero. Those of finished orders are.
CREATE INDEX ledger_balances_pending ON ledger_balances (asset)
WHERE account = 'partnerPending' AND (limb_3 <> 0 OR limb_2 <> 0 OR limb_1 <> 0 OR limb_0 <> 0);

-- What each partner has earned and was not paid: the account `partner` by partner.
CREATE TABLE partner_dues (
	partner_id TEXT NOT NULL,
	asset TEXT NOT NULL,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (partner_id, asset)
) STRICT, WITHOUT ROWID;

-- What final transactions moved and cost, by UTC day (days since 1970), so that a day can be added up again. Day -1 is
-- of transactions that were deleted with their orders.
CREATE TABLE wallet_flows (
	network TEXT NOT NULL,
	day INTEGER NOT NULL,
	kind TEXT NOT NULL,
	asset TEXT NOT NULL,
	transactions INTEGER NOT NULL,
	moved_3 INTEGER NOT NULL DEFAULT 0,
	moved_2 INTEGER NOT NULL DEFAULT 0,
	moved_1 INTEGER NOT NULL DEFAULT 0,
	moved_0 INTEGER NOT NULL DEFAULT 0,
	fee_3 INTEGER NOT NULL DEFAULT 0,
	fee_2 INTEGER NOT NULL DEFAULT 0,
	fee_1 INTEGER NOT NULL DEFAULT 0,
	fee_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (network, day, kind, asset)
) STRICT, WITHOUT ROWID;

-- Orders whose entries the running batch folds; empty between batches. The row fails, and the batch with it, unless the
-- books of the order and the seals are still what the folding has read.
CREATE TABLE ledger_folds (
	order_id TEXT PRIMARY KEY,
	entries INTEGER NOT NULL,
	piece INTEGER NOT NULL,
	seal TEXT,
	opening_seal TEXT
) STRICT, WITHOUT ROWID;

CREATE TRIGGER ledger_folds_exact BEFORE INSERT ON ledger_folds
WHEN (SELECT count(*) FROM ledger_entries WHERE order_id = NEW.order_id) <> NEW.entries
	OR (SELECT piece FROM ledger_orders WHERE order_id = NEW.order_id) IS NOT NEW.piece
	OR (SELECT seal FROM ledger_pieces WHERE number = NEW.piece) IS NOT NEW.seal
	OR (SELECT seal FROM ledger_pieces WHERE number = 0) IS NOT NEW.opening_seal
BEGIN
	SELECT RAISE(ABORT, 'refused: the books changed');
END;

-- Coins that the wallets hold and no order's books name, of rows that were deleted with their order: deposits that were
-- never booked, and payments whose coins stayed.
CREATE TABLE deleted_holdings (
	asset TEXT PRIMARY KEY,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

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
	lean_usd_cents INTEGER NOT NULL,
	received TEXT NOT NULL,
	paid TEXT NOT NULL,
	partner_share TEXT NOT NULL,
	house_share TEXT NOT NULL,
	surcharge TEXT NOT NULL,
	discount TEXT NOT NULL,
	kept_to TEXT NOT NULL,
	refunded TEXT NOT NULL,
	kept_from TEXT NOT NULL,
	fee_paid_to TEXT NOT NULL,
	fee_paid_from TEXT NOT NULL,
	PRIMARY KEY (day, partner_id, reference_code, from_asset, to_asset)
) STRICT, WITHOUT ROWID;
-- Per partner: the counters of reference codes.
CREATE INDEX archived_totals_by_partner ON archived_totals (partner_id, reference_code);

-- How far each network's orders were looked through, the oldest first. No row: from the beginning.
CREATE TABLE archive_cursors (
	network TEXT PRIMARY KEY,
	expires_at INTEGER NOT NULL,
	order_id TEXT NOT NULL,
	-- When a round over all of them ended; null while it goes on.
	ended_at INTEGER
) STRICT, WITHOUT ROWID;

-- How far the bodies of delivered webhooks were dropped.
CREATE TABLE webhook_bodies (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	dropped_until INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_bodies (id, dropped_until) VALUES (1, 0);

-- What the operator's screening service said about a deposit, an order's recipient or its refund address
-- (`treasury/screening`). Few rows: none while screening is off and nobody has decided by hand.
CREATE TABLE screenings (
	order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
	subject TEXT NOT NULL CHECK (subject IN ('deposit', 'recipient', 'refund')),
	-- Of a deposit; '' of an address.
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	-- The pay-in address, the recipient, the refund address.
	address TEXT NOT NULL,
	-- The network whose agent asks: that of the order's deposits.
	from_network TEXT NOT NULL,
	verdict TEXT NOT NULL CHECK (verdict IN ('accept', 'hold', 'refund')),
	decided_by TEXT NOT NULL CHECK (decided_by IN ('service', 'operator')),
	-- Why no usable answer came, which means hold; or the operator's reason. Null where the service answered.
	note TEXT,
	attempts INTEGER NOT NULL DEFAULT 0,
	at INTEGER NOT NULL,
	-- Null where it is not asked again.
	next_ask_at INTEGER,
	CHECK ((subject = 'deposit') = (tx_id <> '')),
	CHECK (subject <> 'refund' OR verdict <> 'refund'),
	CHECK (next_ask_at IS NULL OR (verdict = 'hold' AND decided_by = 'service')),
	PRIMARY KEY (order_id, subject, tx_id, position, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX screenings_due ON screenings (from_network, next_ask_at) WHERE next_ask_at IS NOT NULL;

-- What `ledger check` asks of pay-in addresses, kept like the balances of the ledger, so that it reads the open addresses alone:
-- the sum of all final deposits of an asset. It is kept in parts, by the first two characters of the order's id, so that a
-- part can be added up again. The part '' is of deposits that were deleted with their orders.
CREATE TABLE deposit_sums (
	asset TEXT NOT NULL,
	part TEXT NOT NULL,
	deposits INTEGER NOT NULL,
	limb_3 INTEGER NOT NULL DEFAULT 0,
	limb_2 INTEGER NOT NULL DEFAULT 0,
	limb_1 INTEGER NOT NULL DEFAULT 0,
	limb_0 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (asset, part)
) STRICT, WITHOUT ROWID;

-- Orders whose earnings no payout pays for, so that a partner's next payout reads those and not all of the partner's orders.
-- Triggers keep them: the entry that books the earnings adds a row, the payout takes it away, and a payout that is given up
-- brings it back.
CREATE TABLE unpaid_earnings (
	order_id TEXT PRIMARY KEY,
	partner_id TEXT NOT NULL,
	-- Of the entry, Unix milliseconds: the oldest is paid first.
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unpaid_earnings_by_partner ON unpaid_earnings (partner_id, at, order_id);

-- What each reference code has brought, counted when it happens, so that nobody adds up the history. Counters never go
-- down. A row for each code under which an order was made.
CREATE TABLE code_totals (
	partner_id TEXT NOT NULL,
	reference_code TEXT NOT NULL,
	orders INTEGER NOT NULL DEFAULT 0,
	orders_done INTEGER NOT NULL DEFAULT 0,
	-- Of DONE orders, worth at settlement.
	volume_usd_cents INTEGER NOT NULL DEFAULT 0,
	earned_usd_cents INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (partner_id, reference_code)
) STRICT, WITHOUT ROWID;

-- Of each UTC day and each thing on the status page: how many minutes it worked and how many it did not, as the cron found
-- it (`status/record.ts`). A minute that the cron missed is in neither. Kept for 90 days: a few rows a day.
CREATE TABLE status_days (
	day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	-- A network, or 'Prices'.
	subject TEXT NOT NULL,
	minutes_ok INTEGER NOT NULL CHECK (minutes_ok >= 0),
	minutes_bad INTEGER NOT NULL CHECK (minutes_bad >= 0),
	-- The last minute that was counted, Unix minutes: a cron that runs twice counts once.
	last_minute INTEGER NOT NULL,
	CHECK (minutes_ok + minutes_bad <= 1440),
	PRIMARY KEY (day, subject)
) STRICT, WITHOUT ROWID;

-- How long payouts and returns took and how many orders needed a person, over 30 days, as the cron counts it once a UTC
-- day (`status/speed.ts`). Null: too few. No row says how many there were. A row for each network, and one for all.
CREATE TABLE speeds (
	-- A network, or 'All'.
	subject TEXT PRIMARY KEY,
	-- Milliseconds from the last deposit's being final to the broadcast: half, and 95 of 100, took no longer.
	payout_half INTEGER CHECK (payout_half >= 0),
	payout_most INTEGER CHECK (payout_most >= payout_half),
	refund_half INTEGER CHECK (refund_half >= 0),
	refund_most INTEGER CHECK (refund_most >= refund_half),
	-- Of orders that were paid in on the network: basis points, rounded up.
	attended_bps INTEGER CHECK (attended_bps BETWEEN 0 AND 10000),
	-- The midnight up to which it was counted, Unix milliseconds.
	until INTEGER NOT NULL,
	CHECK ((payout_half IS NULL) = (payout_most IS NULL)),
	CHECK ((refund_half IS NULL) = (refund_most IS NULL))
) STRICT, WITHOUT ROWID;

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
	-- Who is invited, as a member of the partner's team, and what they may do.
	member TEXT NOT NULL CHECK (length(member) BETWEEN 1 AND 64),
	role TEXT NOT NULL CHECK (role IN ('view', 'support', 'admin')),
	CHECK ((used_at IS NULL) = (passkey_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_invitations_by_partner ON cabinet_invitations (partner_id, created_at);

-- Passkeys that open a partner's cabinet.
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
	last_used_at INTEGER NOT NULL,
	-- Of the invitation that it came by; sealed.
	member TEXT NOT NULL CHECK (length(member) BETWEEN 1 AND 64),
	role TEXT NOT NULL CHECK (role IN ('view', 'support', 'admin'))
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_passkeys_by_partner ON cabinet_passkeys (partner_id, created_at);

-- Sessions of the cabinet. A row goes when the session ends.
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
	expires_at INTEGER NOT NULL,
	-- Who writes the database must not be able to make a challenge, because a passkey that signs one is sealed.
	seal TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cabinet_challenges_by_expiry ON cabinet_challenges (expires_at);

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

-- Forms of the console that were sent: each does its work once, however often it is sent. Rows are kept for a day.
CREATE TABLE operator_forms (
	id TEXT PRIMARY KEY,
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_forms_by_time ON operator_forms (at);

-- How each network was, once an hour, for plots. Kept for 90 days: some 2 000 rows a network.
CREATE TABLE network_history (
	network TEXT NOT NULL,
	-- Unix milliseconds of the full hour.
	at INTEGER NOT NULL,
	-- Since the last poll that worked; null where there was none.
	lag_seconds INTEGER CHECK (lag_seconds >= 0),
	-- What the hot wallet could spend, worth in US dollars; null where no poll or price said so.
	reserve_usd_cents INTEGER CHECK (reserve_usd_cents >= 0),
	PRIMARY KEY (network, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX network_history_by_time ON network_history (at);

-- What addresses of ours received and no order's deposit, reserve entry or transaction of ours accounts for: to an order
-- that is archived, or beyond the dust that is recorded of one order. One row per asset, because strangers decide how many
-- such payments there are. Invariant: the wallets hold it, and `ledger check` expects it.
CREATE TABLE unattributed (
	asset TEXT PRIMARY KEY,
	-- Base units. All that was ever counted, each payment once, when no later poll lists it again; only the agent writes it.
	counted TEXT NOT NULL CHECK (counted <> '' AND counted NOT GLOB '*[^0-9]*'),
	-- What the last poll saw that may still be undone, or become a deposit; each poll replaces it.
	open TEXT NOT NULL CHECK (open <> '' AND open NOT GLOB '*[^0-9]*'),
	-- What of `counted` the operator has booked as reserve; only `treasury book-unattributed` writes it.
	booked TEXT NOT NULL DEFAULT '0' CHECK (booked <> '' AND booked NOT GLOB '*[^0-9]*'),
	-- Unix milliseconds of the last payment that was counted.
	at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What came to a pay-in address of the asset that its order asked for, beyond the deposits on record: dust beyond the
-- hundredth, and what comes when the address is watched no more. Of an archived order each asset that came since. For
-- networks that sweep; a row for each address and asset. Each look writes it again from what lies there, what final sweeps
-- took, and the deposits. It is part of `unattributed`.
CREATE TABLE overflows (
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	asset TEXT NOT NULL,
	order_id TEXT NOT NULL,
	-- Base units that ever came, and how many of them final sweeps have brought to the hot wallet.
	counted TEXT NOT NULL CHECK (counted NOT GLOB '*[^0-9]*' AND counted NOT IN ('', '0')),
	swept TEXT NOT NULL CHECK (swept <> '' AND swept NOT GLOB '*[^0-9]*'),
	-- Unix milliseconds. `at`: of the look that changed it last. `due_at`: when the sweep that the operator asked for is judged
	-- next (`order sweep` of an archived order); null where they asked for none, or it is done.
	at INTEGER NOT NULL,
	due_at INTEGER,
	PRIMARY KEY (network, address, asset)
) STRICT, WITHOUT ROWID;
CREATE INDEX overflows_due ON overflows (network, due_at) WHERE due_at IS NOT NULL;

-- How far the deposits and the sums above have come, for networks whose nodes list every payment. It moves in the batch that
-- counts: a payment is counted once, also where the answer of that batch is lost. It is set back together with the sums.
CREATE TABLE arrival_marks (
	network TEXT PRIMARY KEY,
	cursor TEXT NOT NULL,
	-- Height up to which everything is counted.
	settled INTEGER NOT NULL,
	-- Batches that moved it. Each one names the number that it found, so that one that arrives late writes nothing.
	writes INTEGER NOT NULL,
	-- The height from which the agent's book of coins would have to be read again, if it were lost. Null where none is kept.
	read_from INTEGER
) STRICT, WITHOUT ROWID;

-- An adjustment makes the books say what a wallet holds, where `ledger check` shows that they differ for good. It is an entry
-- of the reserve, and the only one that may take something away.
CREATE TABLE reserve_entries (
	network TEXT NOT NULL,
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (
		(amount NOT GLOB '*[^0-9]*' AND amount NOT IN ('', '0'))
		OR (position = 'adjustment' AND amount GLOB '-[1-9]*' AND substr(amount, 2) NOT GLOB '*[^0-9]*')
		),
	at INTEGER NOT NULL,
	-- The operator's name for where withdrawals go, if these coins came back from there (`treasury returned`).
	returned_from TEXT,
	PRIMARY KEY (network, tx_id, position, asset)
) STRICT, WITHOUT ROWID;

-- Proofs of solvency (`treasury/solvency`): a row for each hour, by its number since 1970. The statement is stored before the
-- signer signs its digest; a head whose statement the database has not got stands alone.
CREATE TABLE solvency_reports (
	number INTEGER PRIMARY KEY,
	-- SHA-256 of the statement, hexadecimal: what the head is of.
	digest TEXT NOT NULL CHECK (length(digest) = 64),
	-- The text, and the signed reserves as JSON; null once they are old.
	statement TEXT CHECK (json_valid(statement)),
	reserves TEXT CHECK (json_valid(reserves)),
	-- Blinds the ids of partners; null once the debts are deleted.
	salt TEXT,
	-- As JSON; null until the signer has answered.
	head TEXT CHECK (json_valid(head)),
	-- The signer's number of the head.
	head_number INTEGER,
	CHECK ((head IS NULL) = (head_number IS NULL))
) STRICT;
CREATE INDEX solvency_reports_signed ON solvency_reports (head_number) WHERE head_number IS NOT NULL;
CREATE INDEX solvency_reports_salted ON solvency_reports (number) WHERE salt IS NOT NULL;
CREATE INDEX solvency_reports_whole ON solvency_reports (number) WHERE statement IS NOT NULL;

-- The leaves of the debts' trees, of the last hours: 256 in a row, in the order of their blinded ids, and the branch that they
-- are in the tree of their asset.
CREATE TABLE solvency_debts (
	number INTEGER NOT NULL,
	asset TEXT NOT NULL,
	first TEXT NOT NULL,
	last TEXT NOT NULL CHECK (last >= first),
	hash TEXT NOT NULL,
	-- Base units.
	sum TEXT NOT NULL CHECK (sum <> '' AND sum NOT GLOB '*[^0-9]*'),
	-- JSON array of pairs: blinded id and base units.
	leaves TEXT NOT NULL CHECK (json_valid(leaves)),
	PRIMARY KEY (number, asset, first)
) STRICT;

-- The audit log only grows: a line is never changed, deleted or replaced by SQL. The signer chains the
-- lines in its journal (`src/signer/journal/audit-chain.ts`), so what is done beside these triggers is seen. `number` has no
-- gap: AUTOINCREMENT gives none twice, and gives it back where a batch fails.
CREATE TABLE audit_log (
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
CREATE INDEX audit_log_at ON audit_log (at);
-- Who changed one thing, and when (`audit list --subject`, `attention`).
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

-- Coins of another asset or network at an order's pay-in address (`treasury/strays`). The transactions that move them are
-- found by network, address and asset.
CREATE TABLE strays (
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	asset TEXT NOT NULL,
	order_id TEXT NOT NULL REFERENCES orders (id),
	-- Base units that ever came, by the last look. What sweeps took of them is in their transactions.
	counted TEXT NOT NULL CHECK (counted <> '' AND counted NOT GLOB '*[^0-9]*'),
	-- Base units of `counted` for which a return was planned, its cost included.
	taken TEXT NOT NULL DEFAULT '0' CHECK (taken <> '' AND taken NOT GLOB '*[^0-9]*'),
	-- The same before the newest return was planned: where that is given up, it is all that is answered for.
	taken_before TEXT NOT NULL DEFAULT '0' CHECK (taken_before <> '' AND taken_before NOT GLOB '*[^0-9]*'),
	-- Where the node lists every payment, base units of `counted` that were taken out of `unattributed` for returns.
	booked TEXT NOT NULL DEFAULT '0' CHECK (booked <> '' AND booked NOT GLOB '*[^0-9]*'),
	-- 1: the node lists every payment, so it is in `unattributed` already. 0: `ledger check` counts it by this row.
	is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1)),
	-- Where it goes back to instead of the order's refund address, as the operator entered it, and the seal over that. The
	-- signer sends it to no other address.
	to_address TEXT,
	to_seal TEXT,
	-- Why it does not go back by itself now; null where it does, or has.
	waits TEXT,
	-- Unix milliseconds.
	found_at INTEGER NOT NULL,
	looked_at INTEGER NOT NULL,
	-- When it is judged next; null while nothing is to be done.
	due_at INTEGER,
	PRIMARY KEY (network, address, asset),
	CHECK ((to_address IS NULL) = (to_seal IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX strays_by_order ON strays (order_id);
CREATE INDEX strays_sealed ON strays (order_id) WHERE to_seal IS NOT NULL;
CREATE INDEX strays_due ON strays (network, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX strays_waiting ON strays (found_at) WHERE waits IS NOT NULL;

-- Tokens that are not listed, at an order's pay-in address, as a transaction that somebody named brought them. Nobody here
-- knows what one is worth, so they are in no sum of the books, and nothing moves them. Of what a token says of itself only
-- the amount is kept.
CREATE TABLE unlisted_tokens (
	network TEXT NOT NULL,
	address TEXT NOT NULL,
	-- Its contract or mint.
	token TEXT NOT NULL CHECK (length(token) <= 64),
	order_id TEXT NOT NULL REFERENCES orders (id),
	-- Its smallest units, as the token itself says.
	amount TEXT NOT NULL CHECK (amount <> '' AND amount NOT GLOB '*[^0-9]*' AND length(amount) <= 78),
	-- Unix milliseconds. `kept_at`: since then the operator has decided what becomes of it, and nobody is asked any more.
	found_at INTEGER NOT NULL,
	kept_at INTEGER,
	-- Where the operator has it go back to, and HMAC over order, network, token and address.
	to_address TEXT,
	to_seal TEXT,
	-- Since when that waits to be done, Unix milliseconds; null once it is, or was given up.
	asked_at INTEGER,
	-- The transaction that sends it or sent it, or gas for that.
	return_id TEXT,
	-- Why it did not go back when the operator last asked.
	waits TEXT CHECK (waits IN ('refused', 'failed', 'immovable', 'too-long')),
	CHECK (asked_at IS NULL OR (to_address IS NOT NULL AND to_seal IS NOT NULL AND kept_at IS NULL)),
	PRIMARY KEY (network, address, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX unlisted_tokens_by_order ON unlisted_tokens (order_id);
CREATE INDEX unlisted_tokens_waiting ON unlisted_tokens (found_at) WHERE kept_at IS NULL;
CREATE INDEX unlisted_tokens_asked ON unlisted_tokens (network) WHERE asked_at IS NOT NULL;

-- Everything that the service sends. Why one stops is a kind with facts (`treasury/transactions/stop-reason.ts`).
CREATE TABLE transactions (
	id TEXT PRIMARY KEY,
	-- Only of a payout or a refund. An earnings payout has the id of its row in `partner_payouts`.
	order_id TEXT REFERENCES orders (id),
	kind TEXT NOT NULL CHECK (kind IN ('payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation', 'stray', 'token')),
	network TEXT NOT NULL,
	asset TEXT NOT NULL,
	to_address TEXT NOT NULL,
	-- Base units. Of `asset` the return of a token that is not listed moves nothing: it costs its fee alone.
	amount TEXT NOT NULL CHECK (amount NOT GLOB '*[^0-9]*' AND length(amount) > 0 AND (amount = '0') = (kind = 'token')),
	-- Of a payout and a refund: what the deposit was worth at settlement. Of the others: what they move.
	usd_cents INTEGER NOT NULL CHECK (usd_cents >= 0),
	-- The pay-in address that a sweep empties, that gas is for or where a stray or token lay, and the asset that is swept, or
	-- the contract or mint of the token.
	pay_in_address TEXT,
	pay_in_index INTEGER,
	sweep_asset TEXT,
	-- planned: owed; signed: stored, and only that one is ever broadcast; sent: the network has it; final: it has the
	-- confirmations that its value needs.
	state TEXT NOT NULL CHECK (state IN ('planned', 'signed', 'sent', 'final')),
	-- The newest version of the signed transaction; older ones are in `transaction_versions`.
	raw TEXT,
	tx_id TEXT,
	-- What it cost in the network's coin beyond what it moved, signed base units (`TransactionDepth`); known once it is
	-- final.
	fee TEXT CHECK (ltrim(fee, '-') NOT GLOB '*[^0-9]*' AND length(ltrim(fee, '-')) > 0),
	-- Why it is blocked: a kind, and its facts as JSON. Null while it is not.
	blocked_kind TEXT,
	blocked_facts TEXT CHECK (json_valid(blocked_facts)),
	planned_at INTEGER NOT NULL,
	signed_at INTEGER,
	sent_at INTEGER,
	final_at INTEGER,
	next_attempt_at INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	-- The transaction by which the operator paid instead of this one, from another wallet.
	settled_tx_id TEXT CHECK (settled_tx_id IS NULL OR state = 'final'),
	-- Of a payout or refund: HMAC over order, kind, asset, amount and the deposits that it pays for.
	settlement_seal TEXT,
	-- The last reason why it could not go on, and since when (Unix milliseconds). Null while it goes on.
	waits_kind TEXT,
	waits_facts TEXT CHECK (json_valid(waits_facts)),
	waits_since INTEGER,
	-- Of an order's payout: HMAC over what the partner earns with it. Null where only an earlier journal signed it.
	earned_seal TEXT,
	CHECK ((kind IN ('payout', 'refund')) = (order_id IS NOT NULL)),
	CHECK ((kind IN ('payout', 'refund')) = (settlement_seal IS NOT NULL)),
	CHECK ((kind IN ('gas', 'sweep', 'stray', 'token')) = (pay_in_address IS NOT NULL AND pay_in_index IS NOT NULL AND sweep_asset IS NOT NULL)),
	CHECK ((state = 'planned') = (raw IS NULL)),
	CHECK ((raw IS NULL) = (tx_id IS NULL)),
	CHECK ((state IN ('sent', 'final')) = (sent_at IS NOT NULL)),
	CHECK ((blocked_kind IS NULL) = (blocked_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_facts IS NULL)),
	CHECK ((waits_kind IS NULL) = (waits_since IS NULL))
) STRICT;
-- An order is paid at most once.
CREATE UNIQUE INDEX transactions_once ON transactions (order_id) WHERE kind = 'payout';
-- When a payout and a refund are decided at the same time, one of them fails with its whole batch.
CREATE UNIQUE INDEX transactions_one_at_a_time ON transactions (order_id) WHERE state IN ('planned', 'signed');
-- A pay-in address has one unfinished gas transaction, sweep or return at a time.
CREATE UNIQUE INDEX transactions_one_sweep ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep', 'stray', 'token') AND state <> 'final';
-- A wallet has one unfinished consolidation at a time.
CREATE UNIQUE INDEX transactions_one_consolidation ON transactions (network) WHERE kind = 'consolidation' AND state <> 'final';
-- An asset has one unfinished withdrawal at a time: a second request before it is final is a mistake.
CREATE UNIQUE INDEX transactions_one_withdrawal ON transactions (asset) WHERE kind = 'withdrawal' AND state <> 'final';
CREATE UNIQUE INDEX transactions_tx ON transactions (network, tx_id) WHERE tx_id IS NOT NULL;
CREATE INDEX transactions_open ON transactions (network, next_attempt_at) WHERE state <> 'final';
CREATE INDEX transactions_blocked ON transactions (network) WHERE blocked_kind IS NOT NULL;
CREATE INDEX transactions_waiting ON transactions (waits_since) WHERE waits_kind IS NOT NULL;
CREATE INDEX transactions_sweeps ON transactions (network, pay_in_address) WHERE kind IN ('gas', 'sweep', 'token');
CREATE INDEX transactions_final ON transactions (network, final_at) WHERE final_at IS NOT NULL;
CREATE INDEX transactions_withdrawals ON transactions (planned_at) WHERE kind = 'withdrawal';
-- What `ledger check` asks of transactions: those that left the wallets for no order, and those whose coins stayed. Those
-- paid by hand too (`order find` looks for them by the id of what was sent instead).
CREATE INDEX transactions_settled ON transactions (settled_tx_id) WHERE settled_tx_id IS NOT NULL;
CREATE INDEX transactions_not_booked ON transactions (asset) WHERE kind IN ('earnings', 'withdrawal', 'stray');
CREATE INDEX transactions_reverted ON transactions (asset) WHERE state = 'sent' AND final_at IS NOT NULL;
CREATE INDEX transactions_by_order ON transactions (order_id) WHERE order_id IS NOT NULL;
-- Reports read payouts and refunds in the order in which they were planned.
CREATE INDEX transactions_by_time ON transactions (planned_at, id) WHERE kind IN ('payout', 'refund');
-- A stray is read by its address.
CREATE INDEX transactions_strays ON transactions (network, pay_in_address) WHERE kind = 'stray';

CREATE TRIGGER transactions_flow_added AFTER INSERT ON transactions
WHEN NEW.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes VALUES (NEW.network, NEW.final_at / 86400000, NEW.kind, NEW.asset, 1,
		iif(NEW.state = 'final' AND NEW.settled_tx_id IS NULL, NEW.amount, '0'), coalesce(NEW.fee, '0'));
END;

CREATE TRIGGER transactions_flow_changed AFTER UPDATE OF network, kind, asset, amount, state, fee, final_at, settled_tx_id ON transactions
WHEN OLD.final_at IS NOT NULL OR NEW.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes SELECT OLD.network, OLD.final_at / 86400000, OLD.kind, OLD.asset, -1,
		iif(OLD.state = 'final' AND OLD.settled_tx_id IS NULL, OLD.amount, '0'), coalesce(OLD.fee, '0')
	WHERE OLD.final_at IS NOT NULL;
	INSERT INTO wallet_flow_changes SELECT NEW.network, NEW.final_at / 86400000, NEW.kind, NEW.asset, 1,
		iif(NEW.state = 'final' AND NEW.settled_tx_id IS NULL, NEW.amount, '0'), coalesce(NEW.fee, '0')
	WHERE NEW.final_at IS NOT NULL;
END;

CREATE TRIGGER transactions_flow_kept AFTER DELETE ON transactions
WHEN OLD.final_at IS NOT NULL
BEGIN
	INSERT INTO wallet_flow_changes SELECT OLD.network, day, OLD.kind, OLD.asset, sign,
		iif(OLD.state = 'final' AND OLD.settled_tx_id IS NULL, OLD.amount, '0'), coalesce(OLD.fee, '0')
	FROM (SELECT OLD.final_at / 86400000 AS day, -1 AS sign UNION ALL SELECT -1, 1);
END;

CREATE TRIGGER transactions_holding_kept AFTER DELETE ON transactions
WHEN OLD.kind IN ('payout', 'refund') AND (OLD.settled_tx_id IS NOT NULL OR (OLD.state = 'sent' AND OLD.final_at IS NOT NULL))
BEGIN
	INSERT INTO deleted_holdings (asset, limb_3, limb_2, limb_1, limb_0)
	SELECT OLD.asset,
		cast(substr(digits, 1, 9) AS INTEGER),
		cast(substr(digits, 10, 9) AS INTEGER),
		cast(substr(digits, 19, 9) AS INTEGER),
		cast(substr(digits, 28, 9) AS INTEGER)
	FROM (SELECT substr('000000000000000000000000000000000000' || OLD.amount, -36) AS digits)
	WHERE true
	ON CONFLICT (asset) DO UPDATE SET
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;

-- A verdict that comes while a payout or refund is being planned makes that batch fail: nothing is planned against what
-- is stored. Deposits that another transaction pays for already, or that were set aside, are not this one's.
CREATE TRIGGER transactions_screened BEFORE INSERT ON transactions
WHEN NEW.kind IN ('payout', 'refund')
BEGIN
	SELECT RAISE(ABORT, 'refused: screening')
	FROM screenings
	WHERE screenings.order_id = NEW.order_id AND (
		(screenings.subject = 'recipient' AND NEW.kind = 'payout' AND screenings.verdict <> 'accept')
		OR (screenings.subject = 'refund' AND NEW.kind = 'refund' AND screenings.verdict <> 'accept')
		OR (screenings.subject = 'deposit' AND screenings.verdict <> 'accept'
			AND (screenings.verdict = 'hold' OR NEW.kind = 'payout')
			AND EXISTS (
				SELECT 1 FROM deposits
				WHERE deposits.network = screenings.from_network AND deposits.tx_id = screenings.tx_id
					AND deposits.position = screenings.position AND deposits.address = screenings.address
					AND deposits.payout_id IS NULL
					AND (NEW.kind = 'refund' OR (deposits.set_aside = 0 AND deposits.dust = 0))
			))
	);
END;

-- Older versions of a transaction, before a fee bump. All versions spend the same coins or nonce, so at most one of
-- them is ever on the chain. Few transactions have any.
CREATE TABLE transaction_versions (
	transaction_id TEXT NOT NULL REFERENCES transactions (id),
	tx_id TEXT NOT NULL,
	raw TEXT NOT NULL,
	replaced_at INTEGER NOT NULL,
	PRIMARY KEY (transaction_id, tx_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX transaction_versions_by_tx ON transaction_versions (tx_id);

CREATE VIEW dust_of_orders AS SELECT order_id, count(*) AS dust_count,
	cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 1, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 10, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 19, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| ' ' || cast(coalesce(sum(iif(state <> 'gone', cast(substr(digits, 28, 9) AS INTEGER), 0)), 0) AS TEXT)
		|| iif(max(length(amount)) > 36, ' long', ' fits') AS dust_sum
FROM (SELECT order_id, state, amount, substr('000000000000000000000000000000000000' || amount, -36) AS digits FROM deposits WHERE dust = 1)
GROUP BY order_id;

-- A view takes the changes of `wallet_flows`, so that they are written down once. `sign`: 1 adds, -1 takes away.
CREATE VIEW wallet_flow_changes AS
SELECT network, day, kind, asset, transactions AS sign, '0' AS moved, '0' AS fee FROM wallet_flows;

CREATE TRIGGER wallet_flow_changed INSTEAD OF INSERT ON wallet_flow_changes
BEGIN
	SELECT RAISE(ABORT, 'refused: amount too long') WHERE max(length(NEW.moved), length(ltrim(NEW.fee, '-'))) > 36;
	INSERT INTO wallet_flows (network, day, kind, asset, transactions, moved_3, moved_2, moved_1, moved_0, fee_3, fee_2, fee_1, fee_0)
	SELECT NEW.network, NEW.day, NEW.kind, NEW.asset, NEW.sign,
		NEW.sign * cast(substr(moved, 1, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 10, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 19, 9) AS INTEGER),
		NEW.sign * cast(substr(moved, 28, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 1, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 10, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 19, 9) AS INTEGER),
		fee_sign * cast(substr(fee, 28, 9) AS INTEGER)
	FROM (
		SELECT substr('000000000000000000000000000000000000' || NEW.moved, -36) AS moved, substr('000000000000000000000000000000000000' || ltrim(NEW.fee, '-'), -36) AS fee,
			iif(substr(NEW.fee, 1, 1) = '-', -NEW.sign, NEW.sign) AS fee_sign
	)
	WHERE true
	ON CONFLICT (network, day, kind, asset) DO UPDATE SET transactions = transactions + excluded.transactions,
		moved_3 = moved_3 + excluded.moved_3,
		moved_2 = moved_2 + excluded.moved_2,
		moved_1 = moved_1 + excluded.moved_1,
		moved_0 = moved_0 + excluded.moved_0,
		fee_3 = fee_3 + excluded.fee_3,
		fee_2 = fee_2 + excluded.fee_2,
		fee_1 = fee_1 + excluded.fee_1,
		fee_0 = fee_0 + excluded.fee_0;
END;

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

-- A view takes the changes, so that they are written down once. `sign`: 1 adds, -1 takes away. A poll must be able to
-- record whatever the chain has, so a longer amount is not refused: no asset has one.
CREATE VIEW deposit_sum_changes AS SELECT asset, part, deposits AS sign, '0' AS amount FROM deposit_sums;

CREATE TRIGGER deposit_sum_changed INSTEAD OF INSERT ON deposit_sum_changes
BEGIN
	INSERT INTO deposit_sums (asset, part, deposits, limb_3, limb_2, limb_1, limb_0)
	SELECT NEW.asset, NEW.part, NEW.sign,
		NEW.sign * cast(substr(digits, 1, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 10, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 19, 9) AS INTEGER),
		NEW.sign * cast(substr(digits, 28, 9) AS INTEGER)
	FROM (SELECT substr('000000000000000000000000000000000000' || NEW.amount, -36) AS digits)
	WHERE true
	ON CONFLICT (asset, part) DO UPDATE SET deposits = deposits + excluded.deposits,
		limb_3 = limb_3 + excluded.limb_3,
		limb_2 = limb_2 + excluded.limb_2,
		limb_1 = limb_1 + excluded.limb_1,
		limb_0 = limb_0 + excluded.limb_0;
END;
